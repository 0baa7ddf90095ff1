import { expect, test, vi } from 'vitest'
import { runTree } from '../../../ops/supervise/tree.ts'
import { HOUR } from '../../../ops/units.ts'

const quiet = () => {}
const PORTS = {
  screen: { title: quiet, ready: quiet, note: quiet, warn: quiet, error: quiet, block: quiet },
  openLog: () => ({ write: quiet, close: quiet }),
  watch: { started: quiet, ended: quiet },
}

test('OPS-14: a clock set ahead while the parts start uses up none of their time', async () => {
  const realNow = Date.now
  const ahead = vi.spyOn(Date, 'now')
  let asked = 0
  const part = {
    role: 'slow',
    label: 'slow',
    needs: [],
    graceMs: 1_000,
    spawn: () => ({ command: 'sleep', args: ['600'], env: {}, ipc: false }),
    notReady: async () => {
      asked++
      if (asked === 1) ahead.mockImplementation(() => realNow() + HOUR)
      return asked < 3 ? 'not yet' : null
    },
  }
  const tree = runTree([part], 30_000, PORTS)
  try {
    expect(await Promise.race([tree.ready, tree.failed])).toBeUndefined()
  } finally {
    ahead.mockRestore()
    await tree.stop()
  }
})
