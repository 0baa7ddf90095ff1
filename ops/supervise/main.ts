import { steadyClock } from '../clock.ts'
import {
  type Config,
  ConfigError,
  givenKeys,
  loadConfig,
  misspeltSettings,
  systemEnvironment,
} from '../config.ts'
import { describeError } from '../errors.ts'
import { type Instance, openInstance } from './instance.ts'
import { AlreadyRunningError } from './lock.ts'
import { patientOutput } from './patientOutput.ts'
import { run } from './run.ts'
import { writeSandboxFile } from './sandboxFile.ts'
import { createScreen, shortPath } from './screen.ts'

/**
 * `./ops/start`: the whole service as one supervised tree. Exit code 0 after SIGTERM or Ctrl-C, 1 when it could
 * not start or a part is beyond help.
 */
const startedMs = steadyClock.nowMs()
const system = systemEnvironment(process.env)
const screen = createScreen(patientOutput(process.stdout), {
  colour: process.stdout.isTTY === true && system.NO_COLOR === undefined,
})
//  a closed terminal must not stop the service in the middle of its own stopping
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

process.exit(await main())

async function main(): Promise<number> {
  try {
    //  first, as a misspelt name may be why a setting is refused as missing
    for (const { name, meant } of misspeltSettings(process.env))
      screen.warn('unknown setting', `${name} is read by nobody; is ${meant} meant?`)
    const config = loadConfig(process.env, 'supervisor')
    const instance = await openInstance(config, givenKeys(process.env), system, screen)
    const { world, dataDir } = instance
    screen.title(
      `${config.MODE} · ${world.slug}${world.recording ? ' (recorded)' : ''} · data in ${shortPath(dataDir)}`,
    )
    return await run({
      ...instance,
      system,
      screen,
      startTimeoutMs: config.START_TIMEOUT_MS,
      async onStores() {
        if (config.MODE === 'sandbox') await writeSandboxFile({ ...instance, world: world.slug, config })
      },
      onReady: () => announce(config, instance),
    })
  } catch (error) {
    const explained = error instanceof ConfigError || error instanceof AlreadyRunningError
    screen.error('not started', explained ? '' : describeError(error))
    if (explained) screen.block(error.message)
    return 1
  }
}

/** The one line that says it is up: the address, whose money, which markets. */
function announce(config: Config, { facts, world }: Instance): void {
  const markets = world.recording
    ? `recorded markets from ${new Date(Number(facts.MARKET_CLOCK?.split(':')[0])).toISOString()}`
    : `${config.VENUES} markets`
  const tookS = ((steadyClock.nowMs() - startedMs) / 1_000).toFixed(1)
  screen.title(`ready ${facts.PUBLIC_URL} · ${config.MODE} · ${markets} · ${tookS} s`)
}
