import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { UnavailableError } from '../../ops/errors.ts'

/** How many schedules a test tries; more by hand: SCHEDULES=5000 npx vitest run --config test/vitest.config.ts FILE. */
export const SCHEDULES = Number(process.env.SCHEDULES ?? 60)

/** The last of those that wait, up to ten: who has just made a call makes the next one, while others stand still for long. */
const GOES_ON = 2_519
const some = (choice: fc.Arbitrary<number>) => fc.array(choice, { minLength: 20, maxLength: 250 })
const any = fc.nat({ max: 1_000 })
/** For `createTurns`: anybody, or mostly whoever went last. */
export const CHOICES = fc.oneof(
  some(any),
  some(fc.oneof({ arbitrary: fc.constant(GOES_ON), weight: 2 }, { arbitrary: any, weight: 1 })),
)

/**
 * Concurrent work that takes its steps one at a time, in an order that the test chooses: each call of a port waits for
 * its turn.
 * @param choices which of those that wait goes on, over and over.
 */
export function createTurns(choices: readonly number[]) {
  const waiting: { name: string; go(): void }[] = []
  const taken: string[] = []
  let underWay = 0

  const turnOf = (name: string) => new Promise<void>((go) => waiting.push({ name, go }))
  const untilAllWait = async () => {
    for (let quiet = 0; quiet < 2; quiet++) {
      await setImmediate()
      if (underWay > 0) quiet = -1
    }
  }
  const call = async <Answer>(name: string, work: () => Promise<Answer>): Promise<Answer> => {
    await turnOf(name)
    underWay++
    try {
      return await work()
    } finally {
      underWay--
    }
  }

  return {
    /** A step that is no call of a port, and takes no time. */
    turnOf,
    /** One that takes time: nobody else goes on meanwhile. */
    step: call,
    /**
     * Ports as a process sees them.
     * @param dies after so many calls: the next one is never made, and nothing comes after it. null: it lives.
     * @param loses the calls, counted from 0, that are made, and whose reply is lost.
     */
    process(who: string, dies: number | null, loses: readonly number[] = []) {
      let calls = 0
      const never = new Promise<never>(() => {})
      const withoutReply = async (work: () => unknown) => {
        await work()
        throw new UnavailableError('ledger_unavailable', 'the test has lost the reply')
      }
      return <Port extends object>(port: Port, methods?: ReadonlySet<string>): Port =>
        new Proxy(port, {
          get(target, name) {
            const value = Reflect.get(target, name)
            if (typeof value !== 'function' || methods?.has(String(name)) === false) return value
            return (...args: unknown[]) => {
              const nth = calls++
              if (dies !== null && nth >= dies) return never
              const work = () => value.apply(target, args)
              return loses.includes(nth)
                ? call(`${who} ${String(name)}, reply lost`, () => withoutReply(work))
                : call(`${who} ${String(name)}`, work)
            }
          },
        })
    },
    /** Gives turns until nobody waits for one. @returns who took which, in order. */
    async run(): Promise<string[]> {
      for (;;) {
        await untilAllWait()
        if (waiting.length === 0) return taken
        const choice = choices[taken.length % choices.length]!
        const [next] = waiting.splice(choice % waiting.length, 1)
        taken.push(next!.name)
        next!.go()
      }
    },
  }
}
