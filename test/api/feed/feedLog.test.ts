import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FeedLog } from '../../../api/feed/feedLog.ts'
import { eventFrame } from '../../../api/feed/frames.ts'

const event = (ms: number) => eventFrame(`${ms}-0`, { kind: 'opened', topic: 'gaps' })

function logOf(times: number[], { max = 1_000, floor = '0-0' } = {}): FeedLog {
  const log = new FeedLog(max, floor)
  for (const ms of times) log.append(event(ms))
  return log
}
const read = (log: FeedLog, at: number): string[] =>
  Array.from({ length: log.end - at }, (_, step) => log.at(at + step)!.id)

describe('resume: nothing behind the id is missed, or it is told', () => {
  const log = logOf([10, 20, 30])
  test.each([
    ['0-0', ['10-0', '20-0', '30-0']], // nothing was ever trimmed: from the beginning
    ['0-1', ['10-0', '20-0', '30-0']],
    ['10-0', ['20-0', '30-0']],
    ['30-0', []],
  ])('behind %s', (id, expected) => {
    const resume = log.resume(id)
    expect('at' in resume && read(log, resume.at)).toEqual(expected)
  })
  test('an id that comes behind the newest is not one of ours', () => {
    expect(log.resume('30-1')).toEqual({ gap: 'unknown_id' })
    expect(logOf([]).resume('1-0')).toEqual({ gap: 'unknown_id' })
  })

  test('nor is one before all of them, although nothing was trimmed: the store lost everything and began anew', () => {
    expect(log.resume('9-0')).toEqual({ gap: 'unknown_id' })
  })

  test.each(['10-1', '15-0', '29-9'])('nor is one between two of them, %s: the store lost it', (id) => {
    expect(log.resume(id)).toEqual({ gap: 'unknown_id' })
    expect(logOf([10, 20, 30, 40], { max: 3 }).resume(id)).toEqual({ gap: 'unknown_id' })
  })

  test('the newest entry is known although it could not be read', () => {
    const other = logOf([10])
    other.reached('20-0')
    expect(other.resume('20-0')).toEqual({ at: 1 })
    expect(other.resume('15-0')).toEqual({ gap: 'unknown_id' })
  })

  test.each([
    ['20-0', true], //  the newest that was trimmed: all behind it are here
    ['19-0', false],
    ['0-0', false],
  ])('of three events two are kept: behind %s %s', (id, possible) => {
    expect('at' in logOf([10, 20, 30, 40], { max: 2 }).resume(id)).toBe(possible)
  })

  test.each([
    ['10-0', true],
    ['9-9', false], //  whatever came before the oldest that the store had is unknown
  ])('the store had trimmed before we came: behind %s %s', (id, possible) => {
    expect('at' in logOf([10, 20], { floor: '10-0' }).resume(id)).toBe(possible)
  })
})

test('property: whatever is kept, a resume gives exactly what came behind the id, or a gap when something of it is gone', () => {
  fc.assert(
    fc.property(fc.nat(40), fc.integer({ min: 1, max: 50 }), fc.nat(45), (count, max, from) => {
      const times = Array.from({ length: count }, (_, at) => at + 1)
      const log = logOf(times, { max })
      const resume = log.resume(`${from}-0`)
      const behind = times.filter((ms) => ms > from).map((ms) => `${ms}-0`)
      if (from > count) expect(resume).toEqual({ gap: 'unknown_id' })
      else if (from < count - max) expect(resume).toEqual({ gap: 'trimmed' })
      else expect('at' in resume && read(log, resume.at)).toEqual(behind)
    }),
  )
})

test('a place is never used twice: what was trimmed is undefined', () => {
  const log = logOf([1, 2, 3, 4, 5], { max: 2 })
  expect([0, 1, 2, 3, 4, 5].map((place) => log.at(place)?.id)).toEqual([
    undefined,
    undefined,
    undefined,
    '4-0',
    '5-0',
    undefined,
  ])
  expect([log.end, log.oldestId, log.lastId]).toEqual([5, '4-0', '5-0'])
})

test('at most 96 MiB of events are kept, whatever their number', () => {
  const log = new FeedLog(1_000, '0-0')
  const text = Buffer.alloc(1024 * 1024)
  for (let ms = 1; ms <= 200; ms++) log.append({ ...event(ms), sse: text, text })
  expect([log.oldestId, log.lastId, log.end]).toEqual(['105-0', '200-0', 200])
  expect(log.resume('103-0')).toEqual({ gap: 'trimmed' })
  expect(log.resume('104-0')).toEqual({ at: 104 })
})
