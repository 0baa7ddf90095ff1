import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createLog } from '../../../ops/log.ts'
import { onShutdown } from '../../../ops/shutdown.ts'

/** A part that does no work but behaves as one does: the tree cannot tell it from a real one. */
const { values } = parseArgs({
  options: {
    'ready-after': { type: 'string', default: '0' }, // ms; below 0: never
    'die-after': { type: 'string' }, //                 ms
    words: { type: 'string', default: 'no words' },
    deaf: { type: 'boolean', default: false }, //       ignores SIGTERM
    'drain-ms': { type: 'string', default: '0' },
    grandchild: { type: 'boolean', default: false },
    native: { type: 'boolean', default: false }, //     knows nothing of our channel, like redis-server
  },
})
const log = createLog('stand-in', 'info')
const after = (ms: string, act: () => void) => setTimeout(act, Number(ms))
setInterval(() => {}, 60_000)

if (values.grandchild) {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  process.stdout.write(`{"grandchild":${child.pid}}\n`)
}
if (values.deaf) process.on('SIGTERM', () => {})
else if (!values.native)
  onShutdown(log, async () => {
    await sleep(Number(values['drain-ms']))
    log.info({}, 'drained')
  })
if (Number(values['ready-after']) >= 0)
  after(values['ready-after'], () => process.stdout.write(`{"ready":true,"pid":${process.pid}}\n`))
if (values['die-after'] !== undefined)
  after(values['die-after'], () => {
    process.stderr.write(`${values.words}\n`)
    process.exit(7)
  })
