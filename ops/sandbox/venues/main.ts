import { marketClock, parseMarketClock } from '../../clock.ts'
import { loadConfig } from '../../config.ts'
import { describeError } from '../../errors.ts'
import { createLog } from '../../log.ts'
import { onShutdown } from '../../shutdown.ts'
import { DEFAULT_PACE, EARLIEST_MS, generateWorld } from './generator/generate.ts'
import { openRecording } from './replay/recording.ts'
import { replayWorld } from './replay/world.ts'
import { serveVenues } from './serve.ts'

/**
 * Both venues of the sandbox in one process. VENUES is `generator` or a folder of recordings; one JSON
 * line with the two base URLs says when it listens, on standard output beside the log.
 */
async function main(): Promise<void> {
  const config = loadConfig(process.env, 'script')
  const log = createLog('venues', config.LOG_LEVEL)
  if (config.VENUES === 'live') throw new Error('VENUES=live: the real venues need no sandbox')
  const clock = marketClock(parseMarketClock(config.MARKET_CLOCK))
  if (config.VENUES === 'generator' && clock.nowMs() < EARLIEST_MS)
    throw new Error(`MARKET_CLOCK: generated worlds begin ${new Date(EARLIEST_MS).toISOString()}`)
  const world =
    config.VENUES === 'generator'
      ? generateWorld({
          seed: config.VENUES_SEED,
          size: config.VENUES_SIZE,
          pace: { ...DEFAULT_PACE, stepMs: config.VENUES_STEP_MS },
        })
      : replayWorld(openRecording(config.VENUES))
  const venues = await serveVenues({
    world,
    clock,
    host: config.HOST,
    portA: config.VENUE_A_PORT,
    portB: config.VENUE_B_PORT,
  })
  onShutdown(log, () => venues.close())
  log.info({ world: world.name, a: venues.aUrl, b: venues.bUrl }, 'venues listen')
  process.stdout.write(`${JSON.stringify({ ready: true, a: venues.aUrl, b: venues.bUrl })}\n`)
}

main().catch((error) => {
  process.stderr.write(`${describeError(error)}\n`)
  process.exit(1)
})
