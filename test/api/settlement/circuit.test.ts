import { describe, expect, test } from 'vitest'
import { afterAnswer, type Circuit, CLOSED, isOpen } from '../../../api/settlement/circuit.ts'

const failing = (times: number, nowMs = 0): Circuit =>
  Array.from({ length: times }).reduce<Circuit>((circuit) => afterAnswer(circuit, false, nowMs), CLOSED)

describe('a circuit opens after failures in a row', () => {
  test.each([
    [2, 0],
    [3, 5_000],
    [4, 10_000],
    [6, 40_000],
    [7, 60_000],
    [50, 60_000], // never longer
  ])('%d failures: open for %d ms', (times, openMs) => {
    const circuit = failing(times, 1_000)
    expect(isOpen(circuit, 1_000 + openMs - 1)).toBe(openMs > 0)
    expect(isOpen(circuit, 1_000 + openMs)).toBe(false)
  })

  test('one good answer closes it; a failed probe opens it for longer', () => {
    const open = failing(3)
    expect(afterAnswer(open, true, 5_000)).toEqual(CLOSED)
    expect(isOpen(afterAnswer(open, false, 5_000), 14_999)).toBe(true)
    expect(isOpen(failing(2), 0)).toBe(false)
  })
})
