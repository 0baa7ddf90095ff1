import { expect, test } from 'vitest'
import { createRefusedOften } from '../../../api/settlement/refusedOften.ts'

const BURST = 64

test('so many that are under way count as refused until they are not', async () => {
  const often = createRefusedOften(() => 0)
  const ends: (() => void)[] = []
  const asked = Array.from({ length: BURST }, () =>
    often.counted(() => new Promise<null>((resolve) => ends.push(() => resolve(null)))),
  )
  expect(often.isSo()).toBe(true)
  ends.pop()!()
  await asked.pop()
  expect(often.isSo()).toBe(false)
})

test('what was refused is forgotten one a second; one without an answer is neither', async () => {
  let nowMs = 5_000
  const often = createRefusedOften(() => nowMs)
  for (let at = 0; at < BURST; at++) await often.counted(async () => 'insufficient_funds')
  expect(often.isSo()).toBe(true)
  nowMs += 1
  expect(often.isSo()).toBe(false)
  await often.counted(() => Promise.reject(new Error('down'))).catch(() => {})
  expect(often.isSo()).toBe(false)
  await often.counted(async () => 'transfer_failed')
  expect(often.isSo()).toBe(true)
  nowMs += 1_000
  expect(often.isSo()).toBe(false)
})
