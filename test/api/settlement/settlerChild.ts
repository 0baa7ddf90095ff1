import type { Hex } from 'viem'
import { createPaymentChain } from '../../../api/settlement/chain.ts'
import type { SettleLedger } from '../../../api/settlement/port.ts'
import { runSettler } from '../../../api/settlement/settler.ts'
import { realClock } from '../../../ops/clock.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { createLog } from '../../../ops/log.ts'
import { createMetrics } from '../../../ops/metrics.ts'

/** The process of settlerProcess.ts: a settler whose ledger answers over IPC. */
const [rpcUrl, chainUrl] = process.argv.slice(2) as [string, string]
const log = createLog('test', 'silent')
const waiting = new Map<number, { resolve(result: never): void; reject(error: Error): void }>()
let lastId = 0

const call =
  (method: keyof SettleLedger) =>
  (...args: unknown[]) =>
    new Promise<never>((resolve, reject) => {
      waiting.set(++lastId, { resolve, reject })
      process.send!({ id: lastId, method, args })
    })

const settler = runSettler({
  ledger: {
    pending: call('pending'),
    recordBroadcast: call('recordBroadcast'),
    recordSettled: call('recordSettled'),
    recordRefused: call('recordRefused'),
  },
  chain: createPaymentChain({ rpcUrl: chainUrl, log }),
  rpcUrl,
  chainId: 8453,
  key: process.env.TEST_SETTLER_KEY as Hex,
  clock: realClock,
  log,
  signal: new AbortController().signal,
  metrics: createMetrics('test'),
})

process.on('message', (message: { wake?: true; id: number; result?: never; error?: string }) => {
  if (message.wake) return settler.wake()
  const asked = waiting.get(message.id)
  waiting.delete(message.id)
  if (message.error === undefined) asked?.resolve(message.result as never)
  else asked?.reject(new UnavailableError('ledger_unavailable', message.error))
})
process.on('disconnect', () => process.exit(0))
