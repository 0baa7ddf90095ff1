import { sha256 } from '@noble/hashes/sha2.js'
import { bech32, bech32m, createBase58check } from '@scure/base'

const base58check = createBase58check(sha256)
const PUBLIC_KEY_HASH = [0x00, 0x6f]

/** What an output to a valid address holds, in hex. */
export function bitcoinScript(address: string): string {
  const segwit = bech32.decodeUnsafe(address) ?? bech32m.decodeUnsafe(address)
  if (segwit) {
    const [version, ...words] = segwit.words
    const program = bech32.fromWords(words)
    return hex(version === 0 ? 0x00 : 0x50 + version!, program.length, ...program)
  }
  const [kind, ...hash] = base58check.decode(address)
  return PUBLIC_KEY_HASH.includes(kind!)
    ? hex(0x76, 0xa9, hash.length, ...hash, 0x88, 0xac) //  OP_DUP OP_HASH160 … OP_EQUALVERIFY OP_CHECKSIG
    : hex(0xa9, hash.length, ...hash, 0x87) //              OP_HASH160 … OP_EQUAL
}

const hex = (...bytes: number[]): string => Buffer.from(bytes).toString('hex')
