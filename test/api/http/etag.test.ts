import { describe, expect, test } from 'vitest'
import { isKnown } from '../../../api/http/etag.ts'

describe('If-None-Match by RFC 9110, 13.1.2', () => {
  test.each([
    ['', false], //                       not sent
    ['"abc"', true],
    ['W/"abc"', true], //                 a proxy compressed it
    ['"x", "abc"', true],
    ['"x",W/"abc" , "y"', true],
    ['*', true], //                       any version there is
    [' * ', true],
    ['"*"', false], //                    a tag like any other
    ['"abcd"', false],
    ['abc', false],
    ['"ab', false],
  ])('%s: %s', (sent, known) => {
    expect(isKnown(sent, '"abc"')).toBe(known)
  })

  test('a weak tag of ours is compared weakly too', () => {
    expect(isKnown('"abc"', 'W/"abc"')).toBe(true)
    expect(isKnown('W/"abc"', 'W/"abc"')).toBe(true)
    expect(isKnown('W/"abcd"', 'W/"abc"')).toBe(false)
  })
})
