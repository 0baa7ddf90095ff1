import { describe, expect, test } from 'vitest'
import { createAdmission } from '../../../ops/sandbox/clickhouse/admission.ts'
import { errorText, httpStatus, parseEngineError, refuse } from '../../../ops/sandbox/clickhouse/errors.ts'
import type { Allowance } from '../../../ops/sandbox/clickhouse/users.ts'
import { HOUR } from '../../../ops/units.ts'

const free: Allowance = { running: 100, waiting: 0, waitMs: 1_000, perHour: null }
const never = new AbortController().signal
function admission(analyst: Partial<Allowance>, start = 0) {
  const clock = { ms: start, nowMs: () => clock.ms }
  const all = createAdmission({ default: free, analyst: { ...free, ...analyst } }, clock)
  return { clock, enter: (gone = never) => all.enter('analyst', gone), load: () => all.load(), all }
}

describe('places', () => {
  test('as many run as allowed, the next ones wait in line, and one more is refused', async () => {
    const { enter, load } = admission({ running: 2, waiting: 2 })
    const [first, second] = [await enter(), await enter()]
    const order: string[] = []
    const third = enter().then((leave) => {
      order.push('third')
      return leave
    })
    const fourth = enter().then((leave) => {
      order.push('fourth')
      return leave
    })
    await expect(enter()).rejects.toMatchObject({ number: 202 })
    expect(load()).toBe(4)
    second()
    second() // giving back twice gives back once
    await third
    expect(order).toEqual(['third'])
    first()
    const leave = await fourth
    expect(order).toEqual(['third', 'fourth'])
    ;(await third)()
    leave()
    expect(load()).toBe(0)
  })

  test('one user’s places are not another’s', async () => {
    const { enter, all } = admission({ running: 1, waiting: 0 })
    await enter()
    await expect(enter()).rejects.toMatchObject({ number: 202 })
    await expect(all.enter('default', never)).resolves.toBeTypeOf('function')
  })

  test('who waits too long, or goes, leaves the line', async () => {
    const { enter, load } = admission({ running: 1, waiting: 2, waitMs: 30 })
    const leave = await enter()
    await expect(enter()).rejects.toMatchObject({ number: 202, message: expect.stringContaining('30 ms') })
    const gone = new AbortController()
    const waiting = enter(gone.signal)
    gone.abort()
    await expect(waiting).rejects.toMatchObject({ number: 236 })
    expect(load()).toBe(1)
    leave()
    await expect(enter()).resolves.toBeTypeOf('function')
  })
})

describe('the quota is per clock hour', () => {
  test.each([
    [HOUR - 1, false],
    [HOUR, true],
  ])('used up at 0, asked at %d ms: %s', async (atMs, admitted) => {
    const { enter, clock } = admission({ perHour: 2 })
    await enter()
    await enter()
    await expect(enter()).rejects.toMatchObject({
      number: 201,
      message: expect.stringContaining('1970-01-01T01:00:00'),
    })
    clock.ms = atMs
    const again = enter().then(
      () => true,
      () => false,
    )
    expect(await again).toBe(admitted)
  })
})

describe('errors', () => {
  test.each([
    [516, 403],
    [497, 403],
    [194, 401],
    [62, 400],
    [60, 404],
    [115, 404],
    [159, 408],
    [229, 413],
    [48, 501],
    [241, 500],
    [99_999, 500],
  ])('code %d is status %d', (code, status) => {
    expect(httpStatus(code)).toBe(status)
  })

  test('the engine’s double wrapping and our file names do not show', () => {
    const error = parseEngineError(
      'Code: 27. DB::Exception: Code: 27. DB::Exception: Cannot parse input: (at row 2)\n: (in file/uri /d/http/7): While executing CSV: While executing File: data for INSERT was parsed from file. (CANNOT_PARSE_INPUT_ASSERTION_FAILED) (version 26.7.2.1). (CANNOT_PARSE_INPUT_ASSERTION_FAILED)',
      '/d/http/',
    )
    expect(error).toMatchObject({ number: 27, symbol: 'CANNOT_PARSE_INPUT_ASSERTION_FAILED' })
    expect(error.message).toBe('Cannot parse input: (at row 2)\n: While executing CSV.')
    expect(errorText(refuse('READONLY', 'No.'), '26.7')).toBe(
      'Code: 164. DB::Exception: No. (READONLY) (version 26.7 (official build))\n',
    )
  })

  test('what is no ClickHouse error is one of unknown kind', () => {
    expect(parseEngineError('boom', '/d/')).toMatchObject({
      number: 1002,
      symbol: 'UNKNOWN_EXCEPTION',
      message: 'boom',
    })
  })
})
