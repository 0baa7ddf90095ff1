import { keepHeapTight } from '../../../ops/heap.ts'

/** Holds rows that are replaced all the time, as a board does, and prints the largest heap in MiB. `tight` as argument: bounded. */
const LIVE = 200_000
const TIMES = 12

if (process.argv.includes('tight')) keepHeapTight()
const row = (at: number) => ({ at, text: `row ${at}`, sides: [at, at + 1] })
const rows = Array.from({ length: LIVE }, (_, at) => row(at))
let peak = 0
for (let at = 0; at < TIMES * LIVE; at++) {
  rows[(at * 7_919) % LIVE] = row(at)
  if (at % 10_000 === 0) peak = Math.max(peak, process.memoryUsage().heapUsed)
}
process.stdout.write(`${Math.round(peak / 2 ** 20)}\n`)
