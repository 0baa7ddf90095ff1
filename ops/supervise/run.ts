import { join } from 'node:path'
import { steadyClock } from '../clock.ts'
import { describeError } from '../errors.ts'
import { takeOver } from '../shutdown.ts'
import type { Roster } from './leftovers.ts'
import type { Failure } from './life.ts'
import type { Lock } from './lock.ts'
import { openLogFile } from './logFile.ts'
import { type MarketPosition, SAVE_EVERY_MS } from './marketPosition.ts'
import type { Part } from './part.ts'
import { startReaper } from './reaper.ts'
import { createRepeats } from './repeats.ts'
import { type Screen, shortPath } from './screen.ts'
import { runTree, type Tree } from './tree.ts'

export type RunInput = {
  parts: Part[]
  dataDir: string
  system: Record<string, string>
  startTimeoutMs: number
  screen: Screen
  lock: Lock
  roster: Roster
  position: MarketPosition
  /** Called once, when the stores and the chain, which tell others where they are, have been ready. */
  onStores(): Promise<void>
  /** Called once, when every part that the rest needs has been ready. */
  onReady(): void
}

/**
 * Runs a tree from its start to its end, whatever ends it.
 * @returns the exit code, when everything has ended: 0 after a signal, 1 when a part was beyond help.
 */
export async function run(input: RunInput): Promise<0 | 1> {
  const { parts, dataDir, system, startTimeoutMs, screen, lock, roster, position } = input
  const reaper = startReaper(system, (text) => screen.warn('watchdog', text))
  const repeats = createRepeats(steadyClock)
  const savePosition = () =>
    position.save('ahead').catch((error) => {
      const shown = repeats('market clock', describeError(error))
      if (shown !== null) screen.warn('market clock', shown)
    })
  await savePosition()
  const saving = setInterval(savePosition, SAVE_EVERY_MS)
  const tree = runTree(parts, startTimeoutMs, {
    screen,
    openLog: (role) => openLogFile(join(dataDir, 'logs', `${role}.log`)),
    watch: {
      started(role, pid) {
        reaper.add(pid)
        roster.add(role, pid)
      },
      ended(pid) {
        reaper.remove(pid)
        roster.remove(pid)
      },
    },
  })
  const stores = parts.filter(({ operatorPort, withoutIt }) => (operatorPort ?? withoutIt) === undefined)
  const told = tree.readyOf(stores).then(() => input.onStores())
  const untold = new Promise<Failure>((resolve) =>
    told.catch((error) => resolve({ label: 'supervisor', reason: describeError(error), words: '' })),
  )
  const beyondHelp: Promise<string | Failure> = Promise.race([signals(tree, screen), tree.failed, untold])
  const isUp = Promise.all([tree.ready, told]).then(() => undefined)
  const up = await Promise.race([beyondHelp, isUp.catch(() => beyondHelp)])
  if (up === undefined) {
    for (const { label, withoutIt } of tree.missing()) screen.warn(label, `not ready yet: ${withoutIt}`)
    input.onReady()
  }
  const end = await beyondHelp

  clearInterval(saving)
  const failed = typeof end !== 'string'
  if (failed) {
    screen.error(end.label, end.reason)
    if (end.words !== '') screen.block(`its last words:\n${end.words}`)
    screen.note('logs', shortPath(join(dataDir, 'logs')))
  }
  const sinceMs = steadyClock.nowMs()
  screen.note('stopping', failed ? 'everything else' : `on ${end}; a second one ends everything at once`)
  await tree.stop()
  await position.save('exact').catch(() => {})
  await roster.flush()
  await reaper.dismiss()
  await lock.release()
  screen.ready('stopped', steadyClock.nowMs() - sinceMs)
  return failed ? 1 : 0
}

/** Resolves with the first signal that asks us to stop; a second one, or an error of ours, ends everything at once. */
function signals(tree: Tree, screen: Screen): Promise<string> {
  return new Promise((resolve) => {
    const endNow = () => {
      tree.kill()
      process.exit(1)
    }
    let asked = false
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      takeOver(signal, () => {
        if (asked) endNow()
        asked = true
        resolve(signal)
      })
    const crash = (error: unknown) => {
      screen.error('supervisor', describeError(error))
      endNow()
    }
    process.on('uncaughtException', crash)
    process.on('unhandledRejection', crash)
  })
}
