import { setTimeout as sleep } from 'node:timers/promises'
import { createLog } from '../../../ops/log.ts'
import { onShutdown } from '../../../ops/shutdown.ts'

/** A process that ends in one of the ways that ours may end; its only argument says which. */
const GRACE_MS = 600

const never = new Promise<never>(() => {})
const fail = async () => {
  throw new Error('the store is gone')
}
/** Blocks the event loop. */
const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
const soon = () => sleep(100)

const WAYS: Record<string, { finish(): Promise<unknown>; tidyUp?(): Promise<unknown>; untold?(): void }> = {
  done: { finish: soon },
  'finish hangs': { finish: () => never },
  'finish fails': { finish: fail },
  'tidyUp fails': { finish: soon, tidyUp: fail },
  'tidyUp hangs': { finish: soon, tidyUp: () => never },
  'somebody fails meanwhile': {
    finish: () => {
      void fail()
      return soon()
    },
  },
  'somebody fails afterwards': {
    finish: soon,
    tidyUp: async () => {
      void fail()
      await soon()
    },
  },
  'is not told, and nobody catches a rejection': {
    finish: soon,
    untold: () => void fail(),
  },
  'is not told, and nobody catches what is thrown': {
    finish: soon,
    untold() {
      throw new Error('the store is gone')
    },
  },
  'stood still until its time was over': {
    finish: async () => {
      setTimeout(() => standStill(2 * GRACE_MS), 50)
      await soon()
    },
  },
}
const way = WAYS[process.argv[2] ?? '']
if (way === undefined) throw new Error('which way?')
onShutdown(createLog('child', 'info'), way.finish, {
  graceMs: GRACE_MS,
  ...(way.tidyUp === undefined ? {} : { tidyUp: way.tidyUp }),
})
setInterval(() => {}, 60_000)
process.stdout.write('ready\n')
if (way.untold !== undefined) setTimeout(way.untold, 50)
