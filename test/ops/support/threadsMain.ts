import { readdirSync, readFileSync } from 'node:fs'
import { letCollectorStandBack } from '../../../ops/heap.ts'

/** Prints the niceness of the main thread and of all others, smallest first, before and after the collector was told to stand back. */
const nicenessOf = (id: string) => {
  const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
}
const look = () => {
  const others = readdirSync('/proc/self/task').filter((id) => Number(id) !== process.pid)
  return { main: nicenessOf(String(process.pid)), others: others.map(nicenessOf).sort((x, y) => x - y) }
}
const before = look()
letCollectorStandBack()
process.stdout.write(JSON.stringify({ before, after: look() }))
