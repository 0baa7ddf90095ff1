import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { base58, bech32 } from '@scure/base'
import secp256k1 from 'secp256k1'
import { z } from 'zod'
import { keptJson } from '../keptJson.ts'

const SolanaAccount = z.object({ address: z.string(), secretKey: z.string() }) // base58 of 64 bytes, as wallets import it
const BitcoinAccount = z.object({ address: z.string(), privateKey: z.string() }) // hex

/** Who is paid on the chains that have no EVM. Generated once per data folder, like all keys of the sandbox. */
const Receivers = z.object({
  solana: SolanaAccount,
  solanaAlternate: SolanaAccount,
  bitcoin: BitcoinAccount,
})
export type Receivers = z.infer<typeof Receivers>

/** @param dir null: new ones, kept nowhere. */
export async function loadReceivers(dir: string | null): Promise<Receivers> {
  const kept = keptJson(dir === null ? null : join(dir, 'receivers.json'), Receivers)
  const known = await kept.load()
  if (known !== null) return known
  const made = { solana: solanaAccount(), solanaAlternate: solanaAccount(), bitcoin: bitcoinAccount() }
  await kept.save(made)
  return made
}

function solanaAccount(): z.infer<typeof SolanaAccount> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const { d, x } = privateKey.export({ format: 'jwk' })
  const [secret, address] = [Buffer.from(d!, 'base64url'), Buffer.from(x!, 'base64url')]
  return { address: base58.encode(address), secretKey: base58.encode(Buffer.concat([secret, address])) }
}

/** Of regtest (`bcrt1…`): a wallet of the real network refuses to pay it. */
function bitcoinAccount(): z.infer<typeof BitcoinAccount> {
  const privateKey = randomBytes(32)
  const program = ripemd160(sha256(secp256k1.publicKeyCreate(privateKey)))
  return {
    address: bech32.encode('bcrt', [0, ...bech32.toWords(program)]),
    privateKey: privateKey.toString('hex'),
  }
}
