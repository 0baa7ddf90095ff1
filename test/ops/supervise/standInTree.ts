import { mkdirSync } from 'node:fs'
import { z } from 'zod'
import { systemEnvironment } from '../../../ops/config.ts'
import { describeError } from '../../../ops/errors.ts'
import { endLeftovers, openRoster } from '../../../ops/supervise/leftovers.ts'
import { lockDataDir } from '../../../ops/supervise/lock.ts'
import { openMarketPosition } from '../../../ops/supervise/marketPosition.ts'
import type { Part } from '../../../ops/supervise/part.ts'
import { patientOutput } from '../../../ops/supervise/patientOutput.ts'
import { run } from '../../../ops/supervise/run.ts'
import { createScreen } from '../../../ops/supervise/screen.ts'

/** The real supervisor around stand-in parts: `standInTree.ts <standIn> <dataDir> <json of parts>`. */
export const StandInTree = z.object({
  startTimeoutMs: z.int().default(20_000),
  storesAreKnown: z.boolean().default(true), // false: writing down that they are known fails
  parts: z.array(
    z.object({
      role: z.string(),
      needs: z.array(z.string()).default([]),
      uses: z.array(z.string()).default([]),
      withoutIt: z.string().optional(),
      operatorPort: z.int().optional(),
      waitsForPerson: z.boolean().default(false),
      args: z.array(z.string()).default([]),
      ipc: z.boolean().default(true),
      graceMs: z.int().default(3_000),
      found: z.string().optional(),
    }),
  ),
})

const [standIn = '', dataDir = '', spec = ''] = process.argv.slice(2)
const { parts, startTimeoutMs, storesAreKnown } = StandInTree.parse(JSON.parse(spec))
const screen = createScreen(patientOutput(process.stdout), { colour: false })
const system = systemEnvironment(process.env)
try {
  mkdirSync(dataDir, { recursive: true })
  const lock = await lockDataDir(dataDir, 'http://127.0.0.1:8402')
  for (const role of await endLeftovers(dataDir)) screen.note('cleaned up', role)
  const roster = openRoster(dataDir)
  const position = await openMarketPosition(dataDir, 'stand-ins', {
    capturedAtMs: null,
    speed: 1,
    nowMs: Date.now(),
  })
  const code = await run({
    dataDir,
    system,
    startTimeoutMs,
    screen,
    lock,
    roster,
    position,
    parts: parts.map(
      ({ role, args, ipc, found, waitsForPerson, ...rest }): Part => ({
        role,
        label: role,
        ...rest,
        spawn: () => ({
          command: process.execPath,
          env: system,
          ipc,
          args: [standIn, ...args],
          ...(found === undefined ? {} : { found }),
        }),
        notReady: async (said) => (said === null ? 'has said nothing' : null),
        waitsFor: () => waitsForPerson,
        learn: (said) => screen.note(role, `is process ${said?.pid}`),
      }),
    ),
    onStores: async () => {
      if (!storesAreKnown) throw new Error('no space left on device')
      screen.title('stores are known')
    },
    onReady: () => screen.title('ready http://127.0.0.1:8402'),
  })
  process.exit(code)
} catch (error) {
  screen.error('not started', describeError(error))
  process.exit(1)
}
