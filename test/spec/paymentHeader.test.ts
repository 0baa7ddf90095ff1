import { describe, expect, test } from 'vitest'
import { parsePayment } from '../../api/payment/payload.ts'
import { asV2 } from '../../api/payment/payloadV1.ts'
import type { Offer } from '../../api/payment/terms.ts'

const authorization = {
  from: '0xabcdef1111111111111111111111111111abcdef',
  to: '0xfedcba2222222222222222222222222222fedcba',
  value: '10000',
  validAfter: '0',
  validBefore: '1790000300',
  nonce: `0x${'ab'.repeat(32)}`,
}
const accepted = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '10000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: authorization.to,
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
}
const payload = (change: object = {}, inner: object = {}) => ({
  x402Version: 2,
  accepted,
  payload: { signature: `0x${'11'.repeat(65)}`, authorization: { ...authorization, ...inner } },
  ...change,
})
const base64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64')
const refusalOf = (header: string) => {
  const parsed = parsePayment(header)
  return 'refusal' in parsed ? parsed.refusal : null
}

test('5.1 a base64 PaymentPayload is read into canonical form', () => {
  const parsed = parsePayment(
    base64(payload({}, { nonce: authorization.nonce.toUpperCase().replace('0X', '0x') })),
  )
  expect(parsed).toMatchObject({
    authorization: {
      value: 10_000n,
      validAfter: 0n,
      validBefore: 1_790_000_300n,
      nonce: authorization.nonce,
    },
  })
})

describe('RPL-09 spelling makes no difference: the same payment is the same value', () => {
  const plain = parsePayment(base64(payload()))
  test.each([
    ['without padding', base64(payload()).replace(/=+$/, '')],
    ['other key order', base64({ ...payload(), x402Version: 2, payload: payload().payload, accepted })],
    ['blanks', base64(JSON.stringify(payload(), null, 3))],
    [
      'client resource and extensions',
      base64(payload({ resource: { url: 'https://evil.example' }, extensions: { a: 1 } })),
    ],
    ...(['from', 'to', 'nonce'] as const).map((name): [string, string] => [
      `upper-case ${name}`,
      base64(payload({}, { [name]: authorization[name].toUpperCase().replace('0X', '0x') })),
    ]),
  ])('%s', (_, header) => {
    expect(parsePayment(header)).toEqual(plain)
  })
})

describe('VAL-05 amounts and times are canonical decimal strings', () => {
  test.each([
    '',
    ' 10000 ',
    '0x2710',
    '+10000',
    '-1',
    '010000',
    '0b11',
    '1e4',
    '10000\n',
    '1.0',
    '1'.repeat(79),
    (1n << 256n).toString(),
  ])('value %j is refused', (value) => {
    expect(refusalOf(base64(payload({}, { value })))).toBe('malformed_payment')
    expect(refusalOf(base64(payload({}, { validBefore: value })))).toBe('malformed_payment')
    expect(refusalOf(base64(payload({}, { validAfter: value })))).toBe('malformed_payment')
  })
  test('so is a number', () => {
    expect(refusalOf(base64(payload({}, { value: 10_000 })))).toBe('malformed_payment')
  })
  test.each(['0', '1', ((1n << 256n) - 1n).toString()])('%s is canonical', (value) => {
    expect(refusalOf(base64(payload({}, { value })))).toBeNull()
  })
})

describe('VAL-11, VAL-13, VAL-14 one dialect; everything else is refused, nothing throws', () => {
  const text = JSON.stringify(payload())
  test.each([
    ['empty object', base64('{}'), 'unsupported_payment'],
    ['version 1', base64(payload({ x402Version: 1 })), 'unsupported_payment'],
    ['version 3', base64(payload({ x402Version: 3 })), 'unsupported_payment'],
    ['version "2"', base64(payload({ x402Version: '2' })), 'unsupported_payment'],
    ['no version', base64(payload({ x402Version: undefined })), 'unsupported_payment'],
    ['null', base64('null'), 'unsupported_payment'],
    ['an array', base64('[]'), 'unsupported_payment'],
    [
      'permit2',
      base64({ ...payload(), payload: { signature: '0x', permit2Authorization: {} } }),
      'unsupported_payment',
    ],
    ['no authorization', base64({ ...payload(), payload: { signature: '0x' } }), 'malformed_payment'],
    ['an extra signed field', base64(payload({}, { extra: 1 })), 'malformed_payment'],
    ...[
      '',
      '0x',
      '11'.repeat(65),
      `0x${'1'.repeat(129)}`,
      `0x${'zz'.repeat(65)}`,
      `0x${'11'.repeat(8193)}`,
    ].map((signature): [string, string, string] => [
      `SIG-02 signature ${signature.slice(0, 8)} of ${signature.length} characters`,
      base64({ ...payload(), payload: { ...payload().payload, signature } }),
      'malformed_payment',
    ]),
    ...(['from', 'to', 'nonce'] as const).map((name): [string, string, string] => [
      `${name} with 0X`,
      base64(payload({}, { [name]: authorization[name].replace('0x', '0X') })),
      'malformed_payment',
    ]),
    ...[{ amount: 10_000 }, { maxTimeoutSeconds: '300' }, { extra: null }].map(
      (change): [string, string, string] => [
        `accepted with ${JSON.stringify(change)}`,
        base64(payload({ accepted: { ...accepted, ...change } })),
        'malformed_payment',
      ],
    ),
    [
      'erc7710',
      base64(payload({ payload: { delegationManager: authorization.to, permissionContext: '0x' } })),
      'malformed_payment',
    ],
    ['short nonce', base64(payload({}, { nonce: '0xab' })), 'malformed_payment'],
    [
      'duplicate key',
      base64(text.replace('"value":"10000"', '"value":"1","value":"10000"')),
      'malformed_payment',
    ],
    ['__proto__', base64(text.replace('{', '{"__proto__":{},')), 'malformed_payment'],
    ['deep', base64(`${'['.repeat(5_000)}`), 'malformed_payment'],
    [
      'url-safe base64',
      base64(`{"a":"${'~?'.repeat(40)}"}`)
        .replaceAll('+', '-')
        .replaceAll('/', '_'),
      'malformed_payment',
    ],
    ['junk after padding', `${base64('{"a":1}')}=x`, 'malformed_payment'],
    ['a newline', `${base64(payload()).slice(0, 40)}\n${base64(payload()).slice(40)}`, 'malformed_payment'],
    ['a blank', ` ${base64(payload())}`, 'malformed_payment'],
    ['too little padding', base64('{"a":1}').replace(/=$/, ''), 'malformed_payment'],
    ['too much padding', `${base64('{"a":11}').replace(/=+$/, '')}===`, 'malformed_payment'],
    ['impossible length', 'abcde', 'malformed_payment'],
    ['UTF-16', Buffer.from(text, 'utf16le').toString('base64'), 'malformed_payment'],
    ['a byte order mark', base64(`\ufeff${text}`), 'malformed_payment'],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0xfe]).toString('base64'), 'malformed_payment'],
    ['not base64', '{}', 'malformed_payment'],
    ['longer than 24 KiB', base64('a'.repeat(30_000)), 'malformed_payment'],
  ])('%s', (_, header, refusal) => {
    expect(refusalOf(header)).toBe(refusal)
  })
})

describe('VAL-13, VAL-14, VAL-16 a payment of version 1 is written in the same dialect', () => {
  const v1 = { x402Version: 1, scheme: 'exact', network: 'base', payload: payload().payload }
  const text = JSON.stringify(v1)
  const read = (header: string) => asV2(header, accepted as Offer)

  test.each([
    ['padded', base64(v1)],
    ['without padding', base64(v1).replace(/=+$/, '')],
  ])('%s: it says the same as one of version 2', (_, header) => {
    const translated = read(header)
    expect('header' in translated && parsePayment(translated.header)).toEqual(parsePayment(base64(payload())))
  })

  test.each([
    [
      'url-safe base64',
      base64({ ...v1, note: '~?'.repeat(40) })
        .replaceAll('/', '_')
        .replaceAll('+', '-'),
    ],
    ['too little padding', base64(`${text}${' '.repeat((4 - (text.length % 3)) % 3)}`).replace(/=$/, '')],
    ['junk after padding', `${base64('{"a":1}')}=x`],
    ['a newline', `${base64(v1).slice(0, 40)}\n${base64(v1).slice(40)}`],
    ['impossible length', 'abcde'],
    ['UTF-16', Buffer.from(text, 'utf16le').toString('base64')],
    ['a byte order mark', base64(`\ufeff${text}`)],
    ['duplicate key', base64(text.replace('"value":"10000"', '"value":"1","value":"10000"'))],
    ['longer than 24 KiB', base64({ ...v1, note: 'a'.repeat(30_000) })],
  ])('%s', (_, header) => {
    expect(read(header)).toMatchObject({ problem: 'malformed_payment' })
  })
})
