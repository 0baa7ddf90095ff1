import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Address, Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { z } from 'zod'
import { JsonText } from '../../jsonText.ts'
import { replaceFile } from '../../replaceFile.ts'

const Account = z.object({
  address: z.custom<Address>((value) => typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)),
  privateKey: z.custom<Hex>((value) => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value)),
})
export type Account = z.infer<typeof Account>

/**
 * Everybody who holds something on the sandbox chain. Generated once per data folder, never constants:
 * whoever knows a well-known development key could otherwise spend on any chain that copied it.
 */
const Accounts = z.object({
  owner: Account, //    of the token: mints, pauses, blacklists
  settler: Account, //  pays gas
  receiver: Account, // gets paid; the service itself needs the address only
  buyers: z.array(Account).min(1),
})
export type Accounts = z.infer<typeof Accounts>

export function generateAccounts(buyers: number): Accounts {
  const make = (): Account => {
    const privateKey = generatePrivateKey()
    return { address: privateKeyToAddress(privateKey), privateKey }
  }
  return {
    owner: make(),
    settler: make(),
    receiver: make(),
    buyers: Array.from({ length: buyers }, make),
  }
}

/**
 * Reads the accounts of a data folder or makes them: `accounts.json`, and `settler.key` with the one key that
 * the worker needs (both mode 0600).
 * @throws on a file that is not ours, instead of replacing keys.
 */
export async function loadAccounts(dir: string, buyers: number): Promise<Accounts> {
  const file = join(dir, 'accounts.json')
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text !== null) {
    const { data } = JsonText.pipe(Accounts).safeParse(text)
    if (data !== undefined) return data
    throw new Error(`the accounts in ${file} cannot be read; remove that folder to begin a new chain`)
  }
  const accounts = generateAccounts(buyers)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  //  on disk before the accounts are, which stand for both
  await writeFile(join(dir, 'settler.key'), `${accounts.settler.privateKey}\n`, { mode: 0o600, flush: true })
  await replaceFile(file, `${JSON.stringify(accounts, null, 2)}\n`)
  return accounts
}
