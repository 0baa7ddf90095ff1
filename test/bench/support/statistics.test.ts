import { describe, expect, test } from 'vitest'
import { median, medianRound, percentile, type Round, ratioOf } from './statistics.ts'

const round = (perSecond: number, cpuMicros: number | null = 10): Round => ({
  requests: 100,
  perSecond,
  p50Ms: 1,
  p99Ms: 2,
  bytes: 500,
  cpuMicros,
  coreShare: cpuMicros === null ? null : 1,
  generatorShare: 0.5,
})

describe('what the figures of the bench mean', () => {
  test.each([
    [[5], 5],
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
  ])('median of %j is %d', (values, middle) => {
    expect(median(values)).toBe(middle)
  })

  test.each([
    [0.5, 2],
    [0.99, 4],
    [0.25, 1],
    [0.26, 2],
  ])('percentile %d of 1 2 3 4, nearest rank, is %d', (share, value) => {
    expect(percentile([1, 2, 3, 4], share)).toBe(value)
  })

  test('one round that went wrong does not move a median', () => {
    expect(medianRound([round(100), round(1), round(102)]).perSecond).toBe(100)
  })

  test('a ratio is of medians; its range is of rounds that stood side by side', () => {
    const ratio = ratioOf([round(100), round(50), round(90)], [round(10), round(10), round(30)], 5)
    expect(ratio.perSecond).toBe(9)
    expect(ratio.range).toEqual([3, 10])
  })

  test.each([
    [10, 10, true], // fast and cheap enough
    [10, 30, false], // fast only because the other was not loaded fully
    [4, 10, false],
  ])('a target is reached when requests (%d) and CPU (%d µs) both reach it: %s', (perSecond, cpu, met) => {
    expect(ratioOf([round(perSecond, cpu)], [round(1, 100)], 5).met).toBe(met)
  })

  test('where CPU time cannot be read, requests per second decide alone', () => {
    expect(ratioOf([round(10, null)], [round(1, null)], 5)).toMatchObject({ cpu: null, met: true })
  })
})
