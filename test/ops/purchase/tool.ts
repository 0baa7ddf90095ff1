import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { runMain } from '../../support/process.ts'
import { type Seller, type SellerOptions, startSeller } from './seller.ts'

/** What ./ops/buy starts, with a wallet and a data folder of its own. */
export async function openTool() {
  const dir = await mkdtemp(join(tmpdir(), 'microdata-tool-'))
  const key = generatePrivateKey()
  const keyFile = join(dir, 'wallet.key')
  await writeFile(keyFile, key, { mode: 0o600 })
  const sellers: Seller[] = []

  const start = (args: string[], env: Record<string, string> = {}) =>
    runMain('ops/purchase/main.ts', { args, env: { NO_COLOR: '1', DATA_DIR: dir, ...env } })
  const run = async (args: string[], env: Record<string, string> = {}) => {
    const running = start(args, env)
    const { code } = await running.exited
    return { code, stdout: running.stdout(), stderr: running.stderr() }
  }
  const sell = async (options: SellerOptions = {}) => {
    const seller = await startSeller(options)
    sellers.push(seller)
    return seller
  }
  return {
    dir,
    key,
    keyFile,
    start,
    run,
    sell,
    address: privateKeyToAddress(key),
    /** One purchase from a seller of its own. */
    async buyFrom(options: SellerOptions, args: string[] = []) {
      const seller = await sell(options)
      const { base, payments } = seller
      const ended = await run([`${base}/x402/v1/spread`, '--key-file', keyFile, '--json', ...args])
      return { ...ended, report: JSON.parse(ended.stdout), payments, seller }
    },
    async close() {
      await Promise.all(sellers.map((seller) => seller.stop()))
      await rm(dir, { recursive: true, force: true })
    },
  }
}
