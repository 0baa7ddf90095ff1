import { sha256 } from '@noble/hashes/sha2.js'
import { base58, bech32, bech32m, createBase58check } from '@scure/base'
import { isAddress } from 'viem'

/**
 * Why an address cannot be a receiver, or null (RAIL-12). Money sent to a mistyped address is gone, so checksums
 * are checked wherever the chain has them. Texts name the fault and never the address.
 */
export function refuseEvmAddress(address: string): string | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return 'must be 0x and 40 hex digits'
  if (/^0x0{40}$/.test(address)) return 'is the zero address'
  const digits = address.slice(2)
  const isUpper = digits === digits.toUpperCase() //  which has no checksum, like lower case
  return isUpper || isAddress(address, { strict: true }) ? null : 'has a wrong EIP-55 checksum'
}

/** Solana's addresses have no checksum: 32 bytes in base58 is all there is to see. */
export function refuseSolanaAddress(address: string): string | null {
  const bytes = decode(() => base58.decode(address))
  if (bytes === null || bytes.length !== 32) return 'must be 32 bytes in base58'
  return bytes.every((byte) => byte === 0) ? 'is the system program' : null
}

const base58check = createBase58check(sha256)
const BASE58_VERSIONS = { mainnet: [0x00, 0x05], test: [0x6f, 0xc4] }
const SEGWIT_PREFIXES = { mainnet: ['bc'], test: ['bcrt', 'tb'] }

/** @param network a test address takes no real money, and the other way round. */
export function refuseBitcoinAddress(address: string, network: 'mainnet' | 'test'): string | null {
  const legacy = decode(() => base58check.decode(address))
  if (legacy !== null && legacy.length === 21)
    return BASE58_VERSIONS[network].includes(legacy[0]!) ? null : WRONG_NETWORK
  return refuseSegwit(address, network)
}

/**
 * As everybody writes it. Bech32 may be all upper case, as in a QR code, and names the same output; servers answer
 * in lower case. In base58 the case is part of the address.
 */
export function canonicalBitcoinAddress(address: string): string {
  return decodeSegwit(address) === null ? address : address.toLowerCase()
}

const WRONG_NETWORK = 'belongs to another Bitcoin network'

function refuseSegwit(address: string, network: 'mainnet' | 'test'): string | null {
  const found = decodeSegwit(address)
  if (found === null) return 'is no Bitcoin address, or has a wrong checksum'
  const [version] = found.words
  const program = decode(() => bech32.fromWords(found.words.slice(1)))
  //  BIP-350: version 0 takes bech32, every later one bech32m; of them only taproot pays anybody today
  const fits =
    program !== null &&
    (version === 0
      ? !found.later && (program.length === 20 || program.length === 32)
      : version === 1 && found.later && program.length === 32)
  if (!fits) return 'is no Bitcoin address of a known kind'
  return SEGWIT_PREFIXES[network].includes(found.prefix) ? null : WRONG_NETWORK
}

/** `later`: in bech32m. */
function decodeSegwit(address: string): { prefix: string; words: number[]; later: boolean } | null {
  const zero = bech32.decodeUnsafe(address)
  const found = zero ?? bech32m.decodeUnsafe(address)
  return found ? { ...found, later: zero === undefined } : null
}

function decode<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
