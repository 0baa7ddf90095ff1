import { describe, expect, test } from 'vitest'
import { readArguments as read } from '../../../ops/purchase/arguments.ts'
import { COMMANDS } from '../../../ops/purchase/commands/index.ts'
import { OPTIONS } from '../../../ops/purchase/options.ts'
import { PurchaseEnd } from '../../../ops/purchase/outcomes.ts'

const readArguments = (argv: string[]) => read(argv, COMMANDS)

/** @returns the words of the refusal. */
function refusal(argv: string[]): string {
  try {
    readArguments(argv)
  } catch (error) {
    expect(error).toBeInstanceOf(PurchaseEnd)
    expect((error as PurchaseEnd).outcome).toBe('usage')
    return (error as PurchaseEnd).message
  }
  return expect.unreachable('it was accepted')
}

describe('ops/buy reads its arguments', () => {
  test('a path with parameters: --q is one of them', () => {
    const args = readArguments([
      '/x402/v1/move',
      '--q',
      'fed rate',
      '--param',
      'window=day',
      '--param',
      'x=a=b',
    ])
    expect(args.words).toEqual(['/x402/v1/move'])
    expect(args.parameters).toEqual([
      ['q', 'fed rate'],
      ['window', 'day'],
      ['x', 'a=b'],
    ])
  })

  test.each([
    [['/x402/v1/spread'], 'buy', ['/x402/v1/spread']],
    [['SKU_AG_PING_01'], 'buy', ['SKU_AG_PING_01']],
    [['https://host.example/x'], 'buy', ['https://host.example/x']],
    [['buy', '/x402/v1/spread'], 'buy', ['/x402/v1/spread']],
    [['--json', '/x402/v1/spread'], 'buy', ['/x402/v1/spread']], //   options may come first
    [['--resume', 'f'], 'buy', []],
    [['list'], 'list', []],
    [['--json', 'list', 'gap', 'card'], 'list', ['gap', 'card']],
    [['verify', 'list'], 'verify', ['list']], //                      a word that is a command elsewhere
    [['credits', '2'], 'credits', ['2']],
    [['--help'], '', []],
    [['feed', '--help'], 'feed', []],
  ])('%j is %s %j', (argv, command, words) => {
    expect(readArguments(argv)).toMatchObject({ command, words })
  })

  test.each([
    [['verify', '-Shu6qRaOqQ3lYAFHlmWDA', '--json'], 'verify'],
    [['--json', 'receipts', '--hu6qRaOqQ3lYAFHlmWDA'], 'receipts'],
    [['verify', '--json', '--', '-Shu6qRaOqQ3lYAFHlmWDA'], 'verify'],
  ])('%j: a receipt id that begins with a dash is a word', (argv, command) => {
    const id = argv.find((word) => word.includes('hu6q'))
    expect(readArguments(argv)).toMatchObject({ command, words: [id], json: true })
  })

  test('no option could be taken for a receipt id', () => {
    for (const name of Object.keys(OPTIONS)) expect(`--${name}`.length).toBeLessThan(22)
  })

  test('without more words no limit is set here: the default and the kept ones hold', () => {
    expect(readArguments(['/p']).limits).toEqual({
      callMicroUsdc: null,
      dayMicroUsdc: null,
      sessionMicroUsdc: null,
      session: '',
    })
  })

  test.each([
    ['0.001', 1_000n],
    ['2', 2_000_000n],
    ['0.000001', 1n], // the smallest there is
  ])('--max-usd %s', (text, micro) => {
    expect(readArguments(['/p', '--max-usd', text]).limits.callMicroUsdc).toBe(micro)
    expect(readArguments(['/p', '--max-usdc', text]).limits.callMicroUsdc).toBe(micro) // its former name
  })

  test('a base is reduced to its origin', () => {
    expect(readArguments(['/p', '--base', 'https://example.com/x/']).base).toBe('https://example.com')
  })

  test.each([
    [[], 'nothing to do'],
    [['/a', '/b'], 'two things'],
    [['list', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'], 'nine words'],
    [['/a', '--max-usd', '0'], 'nothing allowed'],
    [['/a', '--max-usd', '-1'], 'negative'],
    [['/a', '--max-usd', '0.0000001'], 'finer than the token'],
    [['/a', '--max-usd', '1e3'], 'not plain decimal'],
    [['/a', '--max-day-usd', 'x'], 'no number'],
    [['/a', '--max-session-usd', '1'], 'a limit for no session'],
    [['/a', '--session', 'A B'], 'not a plain name'],
    [['/a', '--timeout', '0'], 'no time'],
    [['/a', '--timeout', '3601'], 'more than an hour'],
    [['/a', '--timeout', '1.5'], 'not whole seconds'],
    [['/a', '--param', 'novalue'], 'no name=value'],
    [['/a', '--param', '=v'], 'no name'],
    [['/a', '--base', 'ftp://example.com'], 'not HTTP'],
    [['/a', '--q'], 'no value'],
    [['/a', '--json=yes'], 'a value for a switch'],
    [['/a', '--pass', '--credit'], 'two ways to pay'],
    [['/a', '--agent-id', 'a\nb'], 'would break a header'],
    [['feed', '--buy', 'year'], 'no such token'],
    [['feed', '--count', '0'], 'nothing'],
  ])('%j is refused: %s', (argv) => {
    expect(refusal(argv)).not.toBe('')
  })
})

test('an option that stands last without its value: that is said, and nothing of a "--" nobody wrote', () => {
  expect(refusal(['/a', '--q'])).toContain('argument missing')
})

describe('a word that does not exist is an error with a hint', () => {
  test.each([
    [['/a', '--folow'], '--follow'],
    [['/a', '--max-us', '1'], '--max-usd'],
    [['/a', '--bse', 'http://x'], '--base'],
    [['/a', '--keyfile', 'k'], '--key-file'],
    [['lst'], 'did you mean list'],
    [['verfy', 'x'], 'did you mean verify'],
  ])('%j: %s', (argv, hint) => {
    expect(refusal(argv)).toContain(hint)
  })

  test('nothing near: no hint', () => {
    expect(refusal(['/a', '--zzzzzz'])).toBe('--zzzzzz is no option')
    expect(refusal(['zzzzzz'])).not.toContain('did you mean')
  })

  test('an option of another command: whose it is', () => {
    expect(refusal(['list', '--follow'])).toBe('--follow is no option of list (of feed)')
  })
})
