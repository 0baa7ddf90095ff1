import { type Hex, hashMessage } from 'viem'
import { type Config, ConfigError } from '../../ops/config.ts'
import { recoverAddress } from '../settlement/recover.ts'
import { readSignature } from '../settlement/signature.ts'

/**
 * Proof that the receiver of the money owns this origin: signatures (EIP-191) over it, made elsewhere with the key of a
 * receiving address, which this service does not hold. Directories recover the signer and compare it with `payTo`, so a
 * signature by another key would be published for nothing.
 * @throws {ConfigError}
 */
export function ownershipProofs(
  config: Pick<
    Config,
    | 'OWNERSHIP_PROOFS'
    | 'publicUrl'
    | 'RECEIVER_ADDRESS'
    | 'ETHEREUM_RECEIVER'
    | 'POLYGON_RECEIVER'
    | 'ARBITRUM_RECEIVER'
  >,
): Hex[] {
  const { RECEIVER_ADDRESS, ETHEREUM_RECEIVER, POLYGON_RECEIVER, ARBITRUM_RECEIVER } = config
  const receivers = [RECEIVER_ADDRESS, ETHEREUM_RECEIVER, POLYGON_RECEIVER, ARBITRUM_RECEIVER]
  const digest = hashMessage(config.publicUrl, 'bytes')
  const given = config.OWNERSHIP_PROOFS.split(',').filter((text) => text.trim() !== '')
  return given.map((text, at) => {
    const read = readSignature(text.trim())
    const ecdsa = 'refusal' in read ? null : read.ecdsa
    const signer = ecdsa === null ? null : recoverAddress(digest, ecdsa)
    if (ecdsa !== null && receivers.some((receiver) => receiver.toLowerCase() === signer)) return ecdsa.hex
    const what = signer === null ? 'is no signature of 65 bytes in hex' : `is signed by ${signer}`
    throw new ConfigError([
      `OWNERSHIP_PROOFS: number ${at + 1} ${what}; wanted is the signature (EIP-191) of a receiving address over ${config.publicUrl}`,
    ])
  })
}
