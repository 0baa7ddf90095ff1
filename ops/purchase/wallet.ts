import { readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { PurchaseEnd } from './outcomes.ts'

/** Who pays. `name` is for people: where the key came from, never the key. */
export type Wallet = { account: PrivateKeyAccount; name: string }

const READABLE_BY_OTHERS = 0o077
const STDIN = 0

/** @param file `-`: standard input. @throws PurchaseEnd `usage`; never with anything of the file's content. */
export async function walletOfFile(file: string): Promise<Wallet> {
  const refuse = (why: string) => new PurchaseEnd('usage', `--key-file ${file}: ${why}`)
  const fromInput = file === '-'
  let text = ''
  try {
    if (!fromInput && ((await stat(file)).mode & READABLE_BY_OTHERS) !== 0)
      throw refuse('others may read it; chmod 600 it')
    text = (fromInput ? readFileSync(STDIN, 'utf8') : await readFile(file, 'utf8')).trim()
  } catch (error) {
    throw error instanceof PurchaseEnd ? error : refuse('cannot be read')
  }
  const account = accountOf(text)
  if (account === null) throw refuse('holds no private key; write 0x and 64 hex digits')
  return { account, name: fromInput ? 'key of standard input' : `key of ${file}` }
}

/** null: not a private key of secp256k1. */
export function accountOf(text: string): PrivateKeyAccount | null {
  const hex = text.startsWith('0x') ? text : `0x${text}`
  if (!/^0x[0-9a-fA-F]{64}$/.test(hex)) return null
  try {
    return privateKeyToAccount(hex as `0x${string}`)
  } catch {
    return null
  }
}
