import { expect, test } from 'vitest'
import { penaltiesOf } from '../../../api/http/penalties.ts'

const open = (burst: number, perS: number) => {
  const clock = { ms: 1_000, nowMs: () => clock.ms }
  return { clock, penalties: penaltiesOf({ burst, perS })({}, clock) }
}

test('nobody has to be looked up until somebody fails, and again when all failures of all addresses are forgiven', () => {
  const { clock, penalties } = open(2, 1)
  expect(penalties.isQuiet()).toBe(true)
  for (let nth = 0; nth < 3; nth++) penalties.count('10.0.0.1')
  penalties.count('10.0.0.2') //  is forgiven sooner
  clock.ms += 2_999
  expect(penalties.isQuiet()).toBe(false)
  clock.ms += 1
  expect(penalties.isQuiet()).toBe(true)
})

test('who has to wait is never one who need not be looked up', () => {
  const { clock, penalties } = open(1, 2)
  for (const address of ['a', 'b', 'b', 'a', 'b', 'c']) penalties.count(address)
  for (let at = 0; at < 20; at++, clock.ms += 100)
    if (['a', 'b', 'c'].some((address) => penalties.waitS(address) > 0))
      expect(penalties.isQuiet()).toBe(false)
})

test('ten thousand addresses are remembered; of more, the one that failed longest ago is forgotten', () => {
  const { penalties } = open(1, 0.001)
  for (let nth = 0; nth < 10_000; nth++) penalties.count(`address-${nth}`)
  penalties.count('address-0') //  failed again: now the second is the oldest
  expect([penalties.waitS('address-0'), penalties.waitS('address-1')]).toEqual([2_000, 1_000])
  penalties.count('another')
  expect([penalties.waitS('address-0'), penalties.waitS('address-1'), penalties.waitS('address-2')]).toEqual([
    2_000, 0, 1_000,
  ])
})
