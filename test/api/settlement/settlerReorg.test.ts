import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import { runSettler } from '../../../api/settlement/settler.ts'
import { realClock } from '../../../ops/clock.ts'
import { createLog } from '../../../ops/log.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { until } from '../../support/process.ts'
import { createMemoryLedger, type MemoryLedger } from './memoryLedger.ts'
import { pay } from './payer.ts'
import { USDC } from './vectors.ts'

const log = createLog('test', 'silent')
let anvil: TestChain
let chain: ClosableChain
let ledger: MemoryLedger
const controller = new AbortController()
let done: Promise<void>

beforeAll(async () => {
  anvil = await startTestChain({ buyers: 6, history: true })
  chain = createPaymentChain({ rpcUrl: anvil.rpcUrl, log })
  ledger = createMemoryLedger()
  const settler = runSettler({
    ledger,
    chain,
    rpcUrl: anvil.rpcUrl,
    chainId: 8453,
    key: anvil.settlerKey,
    clock: realClock,
    log,
    signal: controller.signal,
    metrics: createMetrics('test'),
  })
  done = settler.done
})
afterAll(async () => {
  controller.abort()
  await done
  await chain?.close()
  await anvil?.stop()
})

const reorganise = (depth: number) =>
  anvil.clients.node.request({ method: 'anvil_reorg' as never, params: [depth, []] as never })

describe('CHN-02: a reorganisation drops what was mined', () => {
  test.each([1, 3])(
    'of %d blocks: the same transactions are mined again, and no money moves twice',
    async (depth) => {
      const before = await anvil.balance(anvil.receiver)
      const keys: string[] = []
      for (let block = 0; block < depth; block++) {
        const key = `d${depth}-${block}`
        ledger.add(key, await pay(anvil.buyers[block]!, anvil.receiver))
        await ledger.quiet()
        keys.push(key)
      }
      expect(await anvil.balance(anvil.receiver)).toBe(before + BigInt(depth) * 10_000n)
      const txs = keys.map((key) => ledger.row(key).settled!.tx)
      await anvil.clients.node.setAutomine(false) //  the settler sends it again as soon as it looks
      await reorganise(depth)
      expect(await anvil.balance(anvil.receiver)).toBe(before)
      await anvil.clients.node.setAutomine(true)
      await anvil.clients.node.mine({ blocks: 1 }) //  what it has sent meanwhile

      await until(
        'mined again',
        async () => (await anvil.balance(anvil.receiver)) === before + BigInt(depth) * 10_000n,
      )
      for (const tx of txs) expect(await chain.transfers(USDC, tx)).toMatchObject([{ value: 10_000n }])
      await until('and written down again', () =>
        txs.every((tx) =>
          ledger.events.some(
            (event) => event.kind === 'settled' && event.tx === tx && event.outcome === 'already',
          ),
        ),
      )
    },
  )
})
