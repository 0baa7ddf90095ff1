import { getHeapSpaceStatistics } from 'node:v8'
import { keepHeapTight, keepYoungSmall } from '../../../ops/heap.ts'

/**
 * Holds rows that are replaced all the time, as a board does, and prints the largest heap and the room for what is young, MiB.
 * `tight`, `young` as arguments: bounded.
 */
const LIVE = 200_000
const TIMES = 12

if (process.argv.includes('young')) keepYoungSmall()
if (process.argv.includes('tight')) keepHeapTight()
const row = (at: number) => ({ at, text: `row ${at}`, sides: [at, at + 1] })
const rows = Array.from({ length: LIVE }, (_, at) => row(at))
let peak = 0
for (let at = 0; at < TIMES * LIVE; at++) {
  rows[(at * 7_919) % LIVE] = row(at)
  if (at % 10_000 === 0) peak = Math.max(peak, process.memoryUsage().heapUsed)
}
const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')!.space_size
process.stdout.write(JSON.stringify({ peak: peak / 2 ** 20, young: young / 2 ** 20 }))
