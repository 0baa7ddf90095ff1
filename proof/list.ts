import { startRedis } from '../test/support/redis.ts'
import { openLedger, somePayment, someTerms } from '../test/support/ledger.ts'
import { authorizationKey } from '../api/ledger/ledger.ts'
import { settleLedgerOf } from '../api/worker/settleLedger.ts'
const server = await startRedis({ appendfsync: 'always' })
const one = openLedger(server.url)
const N = Number(process.argv[2] ?? 1776), KB = Number(process.argv[3] ?? 140)
const big = JSON.stringify({ result: { text: 'the same question again and again '.repeat(Math.ceil(KB * 1024 / 34)) }, snapshotVersion: null })
for (let i = 0; i < N; i++) {
  const p = somePayment(i)
  const from = `0x${(Math.floor(i / 100) + 1).toString(16).padStart(40, 'c')}` as const
  const payment = { ...p, authorization: { ...p.authorization, from } }
  await one.ledger.claim(authorizationKey(payment), 'o', someTerms({ draft: big }), payment)
}
globalThis.gc?.()
console.log('rss before', Math.round(process.memoryUsage().rss / 1e6), 'redis', (await one.redis.info('memory')).match(/used_memory_human:(\S+)/)?.[1])
const jobs = settleLedgerOf(one.ledger, 8453, '1')
for (let i = 0; i < 4; i++) {
  const t = performance.now(), c = process.cpuUsage()
  let got = 'none'
  try { got = String((await jobs.pending(20_000)).length) } catch (e) { got = String(e) }
  const cpu = process.cpuUsage(c)
  console.log('pending', got, Math.round(performance.now() - t), 'ms', 'cpu', Math.round((cpu.user + cpu.system) / 1000), 'rss', Math.round(process.memoryUsage().rss / 1e6))
}
one.close(); await server.stop()
