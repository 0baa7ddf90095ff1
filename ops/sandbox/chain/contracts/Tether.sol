// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Behaves as the dollar token of another issuer on Ethereum where that differs from USDC: transfers return
/// nothing, a fee may be switched on that the receiver bears, and an account may be blocked. Worthless: local only.
///
/// The code is put at its address without running a constructor: the owner is claimed once by `initialize`.
contract Tether {
    string public constant name = "Tether USD";
    string public constant symbol = "USDT";
    uint8 public constant decimals = 6;

    address public owner;
    uint256 public totalSupply;
    uint256 public basisPointsRate;
    uint256 public maximumFee;
    mapping(address => uint256) public balanceOf;
    mapping(address => bool) public isBlackListed;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Params(uint256 feeBasisPoints, uint256 maxFee);

    modifier onlyOwner() {
        require(msg.sender == owner);
        _;
    }

    function initialize(address firstOwner) external {
        require(owner == address(0));
        owner = firstOwner;
    }

    function mint(address to, uint256 amount) external onlyOwner returns (bool) {
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
        return true;
    }

    function setParams(uint256 newBasisPoints, uint256 newMaxFee) external onlyOwner {
        basisPointsRate = newBasisPoints;
        maximumFee = newMaxFee;
        emit Params(newBasisPoints, newMaxFee);
    }

    function addBlackList(address account) external onlyOwner {
        isBlackListed[account] = true;
    }

    function removeBlackList(address account) external onlyOwner {
        isBlackListed[account] = false;
    }

    /// The fee goes to the owner, in a Transfer of its own.
    function transfer(address to, uint256 value) external {
        require(!isBlackListed[msg.sender]);
        uint256 fee = (value * basisPointsRate) / 10_000;
        if (fee > maximumFee) fee = maximumFee;
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value - fee;
        if (fee > 0) {
            balanceOf[owner] += fee;
            emit Transfer(msg.sender, owner, fee);
        }
        emit Transfer(msg.sender, to, value - fee);
    }
}
