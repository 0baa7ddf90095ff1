import { constants, PerformanceObserver } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import { keepHeapTight, keepHeapTightBesideAnswers, keepYoungSmall } from '../../../ops/heap.ts'

/**
 * Holds rows that are replaced all the time, as a board does. Prints the heap's peak and the size of the young
 * generation, in MiB, and the number of full collections. `tight`, `answers`, `young` as arguments: bounded; `few`:
 * fewer live rows.
 */
const [LIVE, TIMES] = process.argv.includes('few') ? [60_000, 80] : [200_000, 12]

if (process.argv.includes('young')) keepYoungSmall()
if (process.argv.includes('tight')) keepHeapTight()
if (process.argv.includes('answers')) keepHeapTightBesideAnswers()
let whole = 0
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if ((entry as { detail?: { kind?: number } }).detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
      whole++
}).observe({ entryTypes: ['gc'] })
const row = (at: number) => ({ at, text: `row ${at}`, sides: [at, at + 1] })
const rows = Array.from({ length: LIVE }, (_, at) => row(at))
let peak = 0
for (let at = 0; at < TIMES * LIVE; at++) {
  rows[(at * 7_919) % LIVE] = row(at)
  if (at % 10_000 === 0) peak = Math.max(peak, process.memoryUsage().heapUsed)
  if (at % LIVE === 0) await sleep(0) //  timers have their turn
}
await sleep(100) //  the last collections are reported
const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')!.space_size
process.stdout.write(JSON.stringify({ peak: peak / 2 ** 20, young: young / 2 ** 20, whole }))
