import { collectYoungAlone } from '../../../ops/heap.ts'

/** Makes rows of which a tenth lives on, until the young generation was collected many times. `alone` as an argument: by this thread. */
if (process.argv.includes('alone')) collectYoungAlone()
const kept: object[] = []
for (let at = 0; at < 2_000_000; at++) {
  const row = { at, sides: [at, at + 1] }
  if (at % 10 === 0) kept.push(row)
}
