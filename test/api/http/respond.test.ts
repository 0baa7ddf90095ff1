import { describe, expect, test } from 'vitest'
import { PROBLEMS, type ProblemCode } from '../../../api/errors.ts'
import { problemReply } from '../../../api/http/respond.ts'

const headerOf = (problem: ProblemCode, name: string, retryAfterS?: number) =>
  problemReply({ problem, ...(retryAfterS === undefined ? {} : { retryAfterS }) }).headers.find(
    ([each]) => each === name,
  )?.[1]
const codes = Object.keys(PROBLEMS) as ProblemCode[]

describe('design 3: Retry-After goes with a 503 that may succeed later, and with no other', () => {
  test.each(codes.filter((code) => PROBLEMS[code].status === 503))('%s', (code) => {
    expect(headerOf(code, 'retry-after')).toBe(PROBLEMS[code].retryable ? '2' : undefined)
  })

  test('what is switched off is not asked for again', () => {
    expect(PROBLEMS.card_checkout_off).toMatchObject({ status: 503, retryable: false })
    expect(headerOf('card_checkout_off', 'retry-after')).toBeUndefined()
  })

  test('who knows how long says so', () => {
    expect(headerOf('rate_limited', 'retry-after', 15)).toBe('15')
    expect(headerOf('stale_data', 'retry-after', 0)).toBe('0')
    expect(headerOf('not_found', 'retry-after')).toBeUndefined()
  })
})

describe('HTTP-19 a 426 says which protocol it asks for', () => {
  test.each(codes.filter((code) => PROBLEMS[code].status === 426))('%s', (code) => {
    expect([headerOf(code, 'upgrade'), headerOf(code, 'connection')]).toEqual(['websocket', 'upgrade'])
  })

  test('and no other', () => {
    const others = codes.filter((code) => PROBLEMS[code].status !== 426)
    expect(others.filter((code) => headerOf(code, 'upgrade') !== undefined)).toEqual([])
  })
})

test('HTTP-14 no cache keeps a refusal', () => {
  expect(problemReply({ problem: 'internal' }).headers).toContainEqual(['cache-control', 'private, no-store'])
})
