import { describe, expect, test } from 'vitest'
import { readArguments } from '../../../ops/purchase/arguments.ts'
import { PurchaseEnd } from '../../../ops/purchase/outcomes.ts'

describe('ops/buy reads its arguments', () => {
  test('a path with parameters: --q is one of them', () => {
    const read = readArguments([
      '/x402/v1/move',
      '--q',
      'fed rate',
      '--param',
      'window=day',
      '--param',
      'x=a=b',
    ])
    expect(read.target).toBe('/x402/v1/move')
    expect(read.parameters).toEqual([
      ['q', 'fed rate'],
      ['window', 'day'],
      ['x', 'a=b'],
    ])
  })

  test('without more words at most 1.00 USDC is paid', () => {
    expect(readArguments(['/p']).maxMicroUsdc).toBe(1_000_000n)
  })

  test.each([
    ['0.001', 1_000n],
    ['2', 2_000_000n],
    ['0.000001', 1n], // the smallest there is
  ])('--max-usdc %s', (text, micro) => {
    expect(readArguments(['/p', '--max-usdc', text]).maxMicroUsdc).toBe(micro)
  })

  test('a base is reduced to its origin', () => {
    expect(readArguments(['/p', '--base', 'https://example.com/x/']).base).toBe('https://example.com')
  })

  test.each([
    [[], 'nothing to buy'],
    [['/a', '/b'], 'two things'],
    [['/a', '--resume', 'f'], 'a new and an old purchase'],
    [['/a', '--max-usdc', '0'], 'nothing allowed'],
    [['/a', '--max-usdc', '-1'], 'negative'],
    [['/a', '--max-usdc', '0.0000001'], 'finer than the token'],
    [['/a', '--max-usdc', '1e3'], 'not plain decimal'],
    [['/a', '--timeout', '0'], 'no time'],
    [['/a', '--timeout', '3601'], 'more than an hour'],
    [['/a', '--timeout', '1.5'], 'not whole seconds'],
    [['/a', '--param', 'novalue'], 'no name=value'],
    [['/a', '--param', '=v'], 'no name'],
    [['/a', '--base', 'ftp://example.com'], 'not HTTP'],
    [['/a', '--bse', 'http://x'], 'unknown option'],
  ])('%j is refused: %s', (argv) => {
    try {
      readArguments(argv)
      expect.unreachable('it was accepted')
    } catch (error) {
      expect(error).toBeInstanceOf(PurchaseEnd)
      expect((error as PurchaseEnd).outcome).toBe('usage')
    }
  })
})
