import { constants, PerformanceObserver } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { collectAtRest, collectByLimits, keepHeapTight } from '../../../ops/heap.ts'

/**
 * Replaces rows until much or little of the room for garbage is used, then does nothing until the look that is due, and for a
 * second; prints how often the whole heap was looked through meanwhile. `most`, `little`, `rest` as arguments.
 */
const LIVE = 600_000
/** Of the room for garbage, which `keepHeapTight` makes so large beside what lives: less than all of it, so that no limit is reached. */
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
let lives = 0 //  what was used just after the last look, whose limits count: a look that took long has left more than another
let before = 0
/** What a look gives back at once, as a share; it is told of later than that, and what is young is less. */
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
//  the first looks set the limit by what lives, and make the set old that begins others
await sleep(100) //  those of while the rows were made are told of
const made = whole
for (const until of [1, 2, 3]) await churn(() => whole >= made + until)
let begun: number
do {
  await churn(() => used() >= lives * (1 + SHARE * ROOM))
  begun = whole
  await sleep(300) //  a look that had begun already ends, and is told of
} while (whole > begun)
const rests = process.argv.includes('rest')
if (rests) collectAtRest()
//  the look that is due takes its time on a busy machine; after it, and where none is due, a second
const dueUntilMs = performance.now() + (rests && SHARE === MOST ? 5_000 : 0)
while (whole === begun && performance.now() < dueUntilMs) await sleep(50)
await sleep(1_000)
process.stdout.write(JSON.stringify(whole - begun))
process.exit(0)
