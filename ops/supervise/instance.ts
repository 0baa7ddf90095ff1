import { mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { realClock } from '../clock.ts'
import type { Config, Environment } from '../config.ts'
import { inUrl } from '../listen.ts'
import { replaceFile } from '../replaceFile.ts'
import { WORLDS } from '../sandboxFolder.ts'
import { refuseIncomplete, refuseUnreadable } from './complete.ts'
import type { Facts } from './environments.ts'
import { endLeftovers, openRoster, type Roster } from './leftovers.ts'
import { type Lock, lockDataDir } from './lock.ts'
import { type MarketPosition, openMarketPosition } from './marketPosition.ts'
import { ownParts, usedPorts } from './own.ts'
import type { Part } from './part.ts'
import { operatorCount, planTree } from './plan.ts'
import { choosePorts } from './ports.ts'
import type { Screen } from './screen.ts'
import { loadSecrets } from './secretFiles.ts'
import { readWorld, type World } from './world.ts'

/** An instance that may start: its folder is ours, its ports are free, its configuration is complete. */
export type Instance = {
  world: World
  dataDir: string
  lock: Lock
  roster: Roster
  position: MarketPosition
  parts: Part[]
  facts: Facts
  operator: Record<string, string> // role → origin
}

/**
 * Everything that can be refused is refused here, before a process is started.
 * @throws ConfigError, AlreadyRunningError, or an error whose message says what to do.
 */
export async function openInstance(
  config: Config,
  given: ReadonlySet<keyof Environment>,
  system: Record<string, string>,
  screen: Screen,
): Promise<Instance> {
  const world = await readWorld(config)
  const own = ownParts(config, given)
  const dataDir = resolve(config.DATA_DIR || join(WORLDS, world.slug))
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const lock = await lockDataDir(dataDir, config.publicUrl).catch((error: unknown) => {
    throw withFolder(error, dataDir)
  })
  try {
    const ended = await endLeftovers(dataDir)
    if (ended.length > 0)
      screen.note('cleaned up', `left by an earlier start that was killed: ${ended.join(', ')}`)
    const tillPort = await openTillPort(dataDir)
    const ports = await choosePorts(config, usedPorts(own), operatorCount(config), tillPort.former)
    if (own.cardpay) await tillPort.keep(ports.CARDPAY_PORT)
    const position = await openMarketPosition(dataDir, world.slug, {
      capturedAtMs: world.recording?.capturedAtMs ?? null,
      speed: config.MARKET_SPEED,
      nowMs: realClock.nowMs(),
    })
    const secrets = await loadSecrets(dataDir)
    const { anchor } = position
    const input = { config, given, system, own, world, anchor, dataDir, secrets, ports }
    const { parts, facts } = planTree(input)
    refuseIncomplete(config, own, facts)
    refuseUnreadable(config)
    await lock.setUrl(facts.PUBLIC_URL ?? config.publicUrl)
    const operator = Object.fromEntries(
      parts
        .filter(({ operatorPort }) => operatorPort !== undefined)
        .map(({ role, operatorPort }) => [role, `http://${inUrl(config.HOST)}:${operatorPort}`]),
    )
    return { world, dataDir, lock, roster: openRoster(dataDir), position, parts, facts, operator }
  } catch (error) {
    await lock.release()
    throw withFolder(error, dataDir)
  }
}

/** People are sent to the address of an open checkout: after a restart it is to lead to the same page. */
async function openTillPort(dataDir: string) {
  const file = join(dataDir, 'cardpay-port')
  const port = Number(await readFile(file, 'utf8').catch(() => ''))
  return {
    former: Number.isInteger(port) && port > 0 && port <= 65_535 ? { CARDPAY_PORT: port } : {},
    keep: (chosen: number) => replaceFile(file, String(chosen)),
  }
}

/** An error for lack of disk space does not name the file, so it is wrapped in one that names the folder. */
function withFolder(error: unknown, dataDir: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error
  const words = `DATA_DIR: nothing more can be written to ${dataDir}: make room there, or name another folder`
  return new Error(words, { cause: error })
}
