import { digestOfToken } from '../../../api/entitlements/token.ts'
import { createLog } from '../../../ops/log.ts'
import { connectRedis } from '../../../ops/redis.ts'
import { HOUR } from '../../../ops/units.ts'
import { startGenerator } from '../support/contender.ts'
import { type Bench, race, withCleanup } from '../support/frame.ts'
import { heldLimit } from '../support/limit.ts'
import { startOurs } from '../support/ours.ts'
import { recordReply, startBare, startInstantWorld } from '../support/standIns.ts'
import { medianRound, type Round } from '../support/statistics.ts'

const PATH = '/x402/v1/spread'
const PASSES = 10_000
const LIMIT_MS = 5
/** More calls than all rounds together take. */
const CALLS = 1_000_000

/** A read by the holder of an hour pass: its call is spent in the ledger, on disk, before the answer goes out. */
export const passRead: Bench = {
  name: 'pass-read',
  title: `pass-metered read of ${PATH} (10,000 passes, ledger fsync always)`,
  run: (options) =>
    withCleanup(async (later) => {
      const world = await startInstantWorld(later)
      const ours = await startOurs(world, later)
      const tokens = await issuePasses(ours.ledgerUrl)
      const url = `http://127.0.0.1:${ours.port}${PATH}`
      const bare = await startBare(await recordReply(url, { 'x-service-pass': tokens[0]! }), later)
      const job = {
        path: PATH,
        connections: 256,
        expectStatus: 200,
        header: { name: 'X-Service-Pass', values: tokens },
      }
      const raced = await race(
        passRead,
        [
          { contender: ours, job },
          { contender: bare, target: 0.4, job },
        ],
        options,
        [
          'Each answer waits for its step of the ledger to be on disk; steps are shared by calls that come together.',
          'At half of that load calls are timed from when they were due, which timers tell to a millisecond.',
        ],
      )
      const offered = Math.round(raced.rows[0]!.perSecond / 2)
      const generator = startGenerator()
      later(() => generator.stop())
      const { seconds, warmUpSeconds } = options
      const half: Round[] = []
      for (let round = 0; round < options.rounds; round++)
        half.push(await generator.load(ours, { ...job, seconds, warmUpSeconds, offered }))
      return {
        ...raced,
        rows: [...raced.rows, { contender: 'this service at half of that load', ...medianRound(half) }],
        ratios: [
          ...raced.ratios,
          heldLimit(`as fast as a p99 of ${LIMIT_MS} ms at half of that load`, half, ({ p99Ms }) => {
            return LIMIT_MS / p99Ms
          }),
        ],
      }
    }),
}

/** Passes as a sale leaves them in the ledger. */
async function issuePasses(ledgerUrl: string): Promise<string[]> {
  const redis = connectRedis(ledgerUrl, { log: createLog('bench', 'silent'), name: 'bench' })
  const tokens = Array.from({ length: PASSES }, (_, at) => `pass_${String(at).padStart(43, '0')}`)
  const expires = Date.now() + HOUR
  for (let at = 0; at < tokens.length; at += 1_000) {
    const rows = redis.pipeline()
    for (const token of tokens.slice(at, at + 1_000))
      rows.hset(`grant:pass:${digestOfToken(token)}`, {
        sku: 'SKU_AG_HOUR_PASS_01',
        claim: 'bench',
        expires,
        calls: CALLS,
      })
    await rows.exec()
  }
  redis.disconnect()
  return tokens
}
