import { constants, PerformanceObserver } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { collectAtRest, collectByLimits, keepHeapTight } from '../../../ops/heap.ts'

/**
 * Replaces rows until much or little of the room for garbage is used, then is idle until the full collection that is
 * due, and for one more second. Prints the number of full collections meanwhile. Arguments: `most`, `little`, `rest`.
 */
const LIVE = 300_000
/** Room for garbage that `keepHeapTight` leaves, as a share of what lives. Not all is used: no limit is reached. */
const ROOM = 0.3
const MOST = 0.75
const SHARE = process.argv.includes('most') ? MOST : 0.2

collectByLimits()
keepHeapTight()
let whole = 0
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if ((entry as { detail?: { kind?: number } }).detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
      whole++
}).observe({ entryTypes: ['gc'] })
const row = (at: number) => ({ at, text: `row ${at}`, sides: [at, at + 1] })
const rows = Array.from({ length: LIVE }, (_, at) => row(at))
let at = 0
const used = () => process.memoryUsage().heapUsed
let lives = 0 //  heap used just after the last collection, which set the limits: a slow one leaves more than others
let before = 0
/** Share that a full collection frees at once (a young one frees less); the observer reports it only later. */
const GIVEN = 0.03
const churn = async (isEnough: () => boolean) => {
  while (!isEnough()) {
    for (const end = at + 5_000; at < end; at++) rows[(at * 7_919) % LIVE] = row(at)
    const now = used()
    if (now < before * (1 - GIVEN)) lives = now
    before = now
    await sleep(0)
  }
}
//  the first collections set the limit by what lives, and make the set old that triggers others (ops/heap.ts)
await sleep(100) //  collections during the making of the rows are reported
const made = whole
for (const until of [1, 2, 3]) await churn(() => whole >= made + until)
let begun: number
do {
  await churn(() => used() >= lives * (1 + SHARE * ROOM))
  begun = whole
  await sleep(300) //  a collection that had already begun ends, and is reported
} while (whole > begun)
const rests = process.argv.includes('rest')
if (rests) collectAtRest()
//  the collection that is due may be late on a busy machine; after it, or if none is due, wait one second
const dueUntilMs = performance.now() + (rests && SHARE === MOST ? 5_000 : 0)
while (whole === begun && performance.now() < dueUntilMs) await sleep(50)
await sleep(1_000)
process.stdout.write(JSON.stringify(whole - begun))
process.exit(0)
