import { isAlive, sleep, until } from '../support/process.ts'
import type { Dice } from './dice.ts'
import { losePower } from './power.ts'
import type { StormWorld } from './world.ts'

type Blow = (world: StormWorld, dice: Dice) => Promise<unknown>

/** Steps of a sale at which a process may die (faults.md 3.5). */
const STEPS = ['CP3', 'CP4', 'CP8', 'CP9', 'CP10', 'CP11']
const soon = (what: string, happened: () => boolean) => until(what, happened, 4_000).catch(() => null)

/** One at a time, so that somebody is always there: the rule by which progress may be demanded. The quick ones first. */
const BLOWS: Record<string, Blow> = {
  'the networks are faulty': async ({ proxies }, dice) => {
    for (const proxy of proxies) proxy.faulty(true)
    await sleep(1_000 + dice.whole(3_000))
    for (const proxy of proxies) proxy.faulty(false)
  },
  'the ledger loses its power': (world) => losePower(world, () => sleep(500)),
  'an api process stands still': async ({ service, doors }, dice) => {
    const { pid } = service.apis[dice.whole(doors.length)]!
    process.kill(pid, 'SIGSTOP')
    await sleep(500 + dice.whole(1_500))
    process.kill(pid, 'SIGCONT')
  },
  'the worker is killed': ({ service }) => service.startWorker(),
  'an api process is killed': ({ service, doors }, dice) => service.restartApi(dice.whole(doors.length)),
  'the ledger is killed': async ({ service }) => {
    await service.ledgerRedis.kill()
    await service.ledgerRedis.restart()
  },
  'the worker dies with a transaction out': async ({ service, rpc }) => {
    await Promise.race([rpc.loseAnswerTo('eth_sendRawTransaction'), sleep(2_000)])
    await service.startWorker()
  },
  'an api process dies at a step': async ({ service, doors }, dice) => {
    const index = dice.whole(doors.length)
    await service.restartApi(index, { FAULT_POINT: `${dice.pick(STEPS)}:kill` })
    await soon('it is dead', () => !isAlive(service.apis[index]!.pid))
    await service.restartApi(index)
  },
}

/** Every blow once, then as chance has it, until the storm is over; then everything is whole again. @returns how often each came. */
export async function storm(
  world: StormWorld,
  dice: Dice,
  isOver: () => boolean,
): Promise<Record<string, number>> {
  const count: Record<string, number> = {}
  const names = Object.keys(BLOWS)
  for (let at = 0; !isOver(); at++) {
    const name = names[at] ?? dice.pick(names)
    await BLOWS[name]!(world, dice)
    count[name] = (count[name] ?? 0) + 1
    await sleep(dice.whole(500))
  }
  for (const proxy of world.proxies) proxy.faulty(false)
  return count
}
