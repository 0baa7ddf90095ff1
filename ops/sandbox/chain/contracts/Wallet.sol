// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {IERC1271, Signatures} from "Signatures.sol";

/// Smart wallet for tests: says who may spend through EIP-1271, honestly or in one of the ways an attacker
/// would choose. The mode can be changed at any time, as an upgradable wallet can be.
contract Wallet is IERC1271 {
    enum Mode {
        OwnerSigned, //  0 honest: the owner's plain signature over the digest
        AlwaysValid, //  1 anything goes
        Flips, //        2 valid when only simulated (eth_call pays no gas price), invalid when it counts
        BurnsGas, //     3 uses up whatever gas it is given
        ReturnsMegabyte, // 4 the right answer, followed by a megabyte
        Reverts //       5
    }

    address public immutable owner;
    Mode public mode;

    constructor(address owner_, Mode mode_) {
        owner = owner_;
        mode = mode_;
    }

    function setMode(Mode mode_) external {
        mode = mode_;
    }

    /// Lets the owner spend what the wallet holds by a plain transaction.
    function execute(address target, bytes calldata callData) external returns (bytes memory) {
        require(msg.sender == owner, "Wallet: caller is not the owner");
        (bool ok, bytes memory answer) = target.call(callData);
        require(ok, "Wallet: call failed");
        return answer;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (mode == Mode.AlwaysValid) return Signatures.MAGIC;
        if (mode == Mode.Flips) return tx.gasprice == 0 ? Signatures.MAGIC : bytes4(0xffffffff);
        if (mode == Mode.Reverts) revert("Wallet: no");
        if (mode == Mode.BurnsGas) {
            uint256 spun = 0;
            while (true) spun++;
        }
        if (mode == Mode.ReturnsMegabyte) {
            bytes32 magic = bytes32(Signatures.MAGIC);
            assembly {
                mstore(0, magic)
                return(0, 1048576)
            }
        }
        if (signature.length != 65) return 0xffffffff;
        return Signatures.recover(digest, signature) == owner ? Signatures.MAGIC : bytes4(0xffffffff);
    }
}

/// Deploys wallets at addresses that are known before they exist (CREATE2), as ERC-6492 needs.
contract WalletFactory {
    event Deployed(address indexed wallet, address indexed owner);

    /// A second call for the same wallet changes nothing, so a deployment can be repeated safely.
    function deploy(address owner, bytes32 salt) external returns (address wallet) {
        wallet = addressOf(owner, salt);
        if (wallet.code.length > 0) return wallet;
        Wallet made = new Wallet{salt: salt}(owner, Wallet.Mode.OwnerSigned);
        require(address(made) == wallet, "WalletFactory: address mismatch");
        emit Deployed(wallet, owner);
    }

    function addressOf(address owner, bytes32 salt) public view returns (address) {
        bytes32 initCode = keccak256(
            abi.encodePacked(type(Wallet).creationCode, abi.encode(owner, Wallet.Mode.OwnerSigned))
        );
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), salt, initCode)))));
    }
}
