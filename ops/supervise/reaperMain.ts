import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND } from '../units.ts'
import { hasGroup, killGroup } from './child.ts'
import { onLines } from './lines.ts'

/**
 * Ends what a supervisor has left behind. Reads `+<pid>`, `-<pid>` (process groups) and `done` from standard
 * input; when it closes without `done` the supervisor was killed. Its node children have noticed by themselves
 * and drain; what is left after three seconds is asked to stop (the stores among them, which had to outlive the
 * others), and killed after eight.
 */
const ASK_AFTER_MS = 3 * SECOND
const END_AFTER_MS = 8 * SECOND

const groups = new Set<number>()
let done = false
onLines(process.stdin, (line) => {
  const pid = Number(line.slice(1))
  if (line === 'done') done = true
  else if (!Number.isSafeInteger(pid) || pid <= 1) return
  else if (line.startsWith('+')) groups.add(pid)
  else if (line.startsWith('-')) groups.delete(pid)
})
//  Ctrl-C and hang-ups of the terminal are the supervisor's to handle
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

process.stdin.on('end', async () => {
  if (done) process.exit(0)
  await goneWithin(ASK_AFTER_MS)
  for (const pid of groups) killGroup(pid, 'SIGTERM')
  await goneWithin(END_AFTER_MS - ASK_AFTER_MS)
  for (const pid of groups) killGroup(pid, 'SIGKILL')
  process.exit(0)
})

/** Waits at most `ms`. Exits as soon as none of the groups is left: then there is nothing more to do. */
async function goneWithin(ms: number): Promise<void> {
  const endMs = performance.now() + ms
  while (performance.now() < endMs) {
    await sleep(100)
    for (const pid of groups) if (!hasGroup(pid)) groups.delete(pid)
    if (groups.size === 0) process.exit(0)
  }
}
