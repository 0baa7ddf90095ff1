import { expect, test } from 'vitest'
import { createUnderWay, type Entered } from '../../../api/http/underWay.ts'

function world() {
  const underWay = createUnderWay<string>()
  const told: string[] = []
  const enter = (): Entered => {
    underWay.enter()
    return { over: false, slot: null }
  }
  /** One that waits for its answer. */
  const wait = (name: string): Entered => {
    const entered = enter()
    underWay.wait(entered, (answer) => told.push(`${name} ${answer}`))
    return entered
  }
  return { underWay, told, enter, wait }
}

test('only those that wait are told, each once it is entered and until it has its answer', () => {
  const { underWay, told, enter, wait } = world()
  enter()
  const [, answered, gone] = ['a', 'b', 'c'].map(wait)
  underWay.waitNoMore(answered!)
  underWay.leave(gone!)
  underWay.tellAll('come back')
  expect(told).toEqual(['a come back'])
  expect([answered!.over, gone!.over]).toEqual([false, true])
})

test('a place that is free is used again, and never for two', () => {
  const { underWay, wait } = world()
  const [first, second] = ['a', 'b'].map(wait)
  const place = first!.slot
  for (let time = 0; time < 2; time++) underWay.waitNoMore(first!) //  answered, and over a moment later
  expect([wait('c').slot, new Set([second!.slot, place]).size, wait('d').slot]).toEqual([place, 2, 2])
})

test('whoever is told may leave meanwhile', () => {
  const { underWay } = world()
  const told: number[] = []
  for (let index = 0; index < 3; index++) {
    const entered: Entered = { over: false, slot: null }
    underWay.enter()
    underWay.wait(entered, () => {
      told.push(index)
      underWay.leave(entered)
    })
  }
  underWay.tellAll('')
  expect(told).toEqual([0, 1, 2])
})

test('it is idle once the last has left, and at once if there is nobody', async () => {
  const { underWay, enter, wait } = world()
  await underWay.idle()
  const [one, two] = [enter(), wait('b')]
  let isIdle = false
  const idle = underWay.idle().then(() => {
    isIdle = true
  })
  underWay.leave(one)
  await new Promise(setImmediate)
  expect(isIdle).toBe(false)
  underWay.leave(two)
  await idle
})
