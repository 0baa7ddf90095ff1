import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isRefusedName,
  MAX_INPUT_CHARS,
  readHostname,
} from '../../../../../api/goods/utility/dns/hostname.ts'

const IP = 'is an IP address; names only'
const SINGLE = 'is a single label; public names have a dot'
const SPECIAL = 'is a name for private or special use'
const INVALID = 'is not a valid DNS name'
const UNREADABLE = 'is neither a hostname nor a URL'
const SCHEME = 'is neither a hostname nor an http, https, ws, wss or ftp URL'
const SPACE = 'holds white space or a control character'

describe('4.1 rule 7: a URL is reduced to its hostname', () => {
  test.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.com', 'example.com'],
    ['  example.com  ', 'example.com'],
    ['example.com.', 'example.com'],
    ['https://User:pw@Example.com:8443/a/b?q=1#c', 'example.com'],
    ['http://example.com', 'example.com'],
    ['wss://example.com/socket', 'example.com'],
    ['ftp://example.com/', 'example.com'],
    ['example.com:53', 'example.com'],
    ['example.com:8080/path', 'example.com'],
    ['example.com/path?x=http://localhost', 'example.com'],
    ['//example.com/x', 'example.com'],
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['ＥＸＡＭＰＬＥ。ｃｏｍ', 'example.com'],
    ['ex%61mple.com', 'example.com'],
    ['😀.com', 'xn--e28h.com'],
    ['_dmarc.example.com', '_dmarc.example.com'],
    ['a_b.example.com', 'a_b.example.com'],
    ['1.2.3.4.example.com', '1.2.3.4.example.com'],
    ['127.0.0.1.nip.io', '127.0.0.1.nip.io'],
    ['notinternal.com', 'notinternal.com'],
    ['foo.notinternal', 'foo.notinternal'],
    ['foo.locals', 'foo.locals'],
    ['local.example.com', 'local.example.com'],
    ['home.arpa.example.com', 'home.arpa.example.com'],
    ['mylocal.net', 'mylocal.net'],
  ])('%s → %s', (input, name) => {
    expect(readHostname(input)).toEqual({ name })
  })
})

describe('DNS-01, E10: every spelling of an IP address is refused', () => {
  const forms = ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0x7f000001', '017700000001', '0177.0.0.1']
  const odd = ['①②⑦.0.0.1', '①②⑦.⓪.⓪.①', '１２７。０。０。１', '127.0.0.1.', '8.8.8.8', '0']
  const v6 = ['[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[2001:db8::1]']
  test.each([...forms, ...odd, ...v6])('%s: bare, in a URL, with port, user and path', (form) => {
    for (const text of [form, `http://${form}`, `https://x:y@${form}:8443/p`, `${form}:53`, `//${form}/`])
      expect(readHostname(text), text).toEqual({ refusal: IP })
  })

  test.each([
    ['::1', UNREADABLE],
    ['http://[::1%25eth0]/', UNREADABLE],
    ['fe80::1%eth0', SCHEME],
    ['1.2.3.4.5', UNREADABLE],
    ['foo.0x1', UNREADABLE],
    ['example.123', UNREADABLE],
  ])('%s is refused too', (form, refusal) => {
    expect(readHostname(form)).toEqual({ refusal })
  })
})

describe('DNS-02, DNS-10: names for private and special use are refused, label by label', () => {
  test.each([
    'foo.localhost',
    'a.b.localhost.',
    'printer.local',
    'foo.internal',
    'metadata.google.internal.',
    'home.arpa',
    'HOME.ARPA.',
    'x.home.arpa',
    '1.0.0.127.in-addr.arpa',
    'x.onion',
    'a.test',
    'a.alt',
    'a.invalid',
    'foo.intern\u00adal',
    'foo.ｌｏｃａｌ',
    'foo.%6cocal',
    'http://foo.localhost:80/',
    'x@a.local',
  ])('%s', (form) => {
    expect(readHostname(form)).toEqual({ refusal: SPECIAL })
  })

  test.each([
    'localhost',
    'LOCALHOST.',
    'ⓛocalhost',
    'ｌｏｃａｌｈｏｓｔ',
    'internal',
    'local',
    'router',
    'com',
    'arpa',
  ])('%s is a single label', (form) => {
    expect(readHostname(form)).toEqual({ refusal: SINGLE })
  })
})

describe('DNS-03: what is no valid name', () => {
  const label63 = 'a'.repeat(63)
  const name253 = `${[label63, label63, label63].join('.')}.${'a'.repeat(57)}.com`
  test('the longest label and the longest name are read, one more is not', () => {
    expect(name253).toHaveLength(253)
    expect(readHostname(`${label63}.com`)).toEqual({ name: `${label63}.com` })
    expect(readHostname(`a${label63}.com`)).toEqual({ refusal: INVALID })
    expect(readHostname(name253)).toEqual({ name: name253 })
    expect(readHostname(`${name253}.`)).toEqual({ name: name253 })
    expect(readHostname(name253.replace('com', 'info'))).toEqual({ refusal: INVALID })
  })

  test.each([
    'a..b',
    'example.com..',
    '.example.com',
    '.',
    '*.example.com',
    '-a.com',
    'a-.com',
    'a.b-',
    'x..com',
    'a.1b',
    'a._tcp',
    "a'b.com",
    'a!b.com',
    'a~b.com',
  ])('%s', (form) => {
    expect(readHostname(form)).toEqual({ refusal: INVALID })
  })

  test.each(['', ' ', 'http://', 'xn--a.com', 'example.com%2f.x', 'ex%00ample.com', 'a<b.com', 'a^b.com'])(
    '%j',
    (form) => {
      expect(readHostname(form)).toEqual({ refusal: UNREADABLE })
    },
  )

  test.each([
    'a b.com',
    'exa\tmple.com',
    'example.com\r\nHost: x',
    'a\u0000.com',
    'a\u3000b.com',
    'a\u007fb.com',
  ])('%j', (form) => {
    expect(readHostname(form)).toEqual({ refusal: SPACE })
  })

  test('the longest input is read, one more character is not', () => {
    const url = (chars: number) => `http://example.com/${'a'.repeat(chars - 19)}`
    expect(readHostname(url(MAX_INPUT_CHARS))).toEqual({ name: 'example.com' })
    expect(readHostname(url(MAX_INPUT_CHARS + 1))).toHaveProperty('refusal')
  })
})

describe('DNS-04: the host is taken out once, by the parser whose host is checked', () => {
  test.each([
    ['example.com@localhost', SINGLE],
    ['localhost#.example.com', SINGLE],
    ['localhost?.example.com', SINGLE],
    ['localhost/.example.com', SINGLE],
    ['http:\\\\localhost', SINGLE],
    ['http:///localhost', SINGLE],
    ['http:localhost', SINGLE],
    ['x@localhost', SINGLE],
    ['\\\\foo.internal\\share', SPECIAL],
    ['file:///etc/passwd', SCHEME],
    ['file://example.com/x', SCHEME],
    ['javascript:alert(1)', SCHEME],
    ['data:text/html,x', SCHEME],
    ['mailto:a@example.com', SCHEME],
    ['gopher://example.com/', SCHEME],
    ['view-source:http://example.com', SCHEME],
  ])('%s', (form, refusal) => {
    expect(readHostname(form)).toEqual({ refusal })
  })
})

describe('properties', () => {
  const label = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,10}[a-z0-9])?$/)
  const publicName = fc
    .array(label, { minLength: 1, maxLength: 4 })
    .map((labels) => [...labels, 'com'].join('.'))
    .filter((name) => !/(^|\.)xn--/.test(name) && !name.split('.').some((part) => part.slice(2, 4) === '--'))

  test('a public name comes back the same from every place where it can stand', () => {
    fc.assert(
      fc.property(publicName, fc.nat(65_535), (name, port) => {
        for (const text of [name, `${name}.`, name.toUpperCase(), `https://${name}/x`, `u@${name}:${port}`])
          expect(readHostname(text)).toEqual({ name })
      }),
    )
  })

  test('below a refused name nothing is ever let through', () => {
    const suffixes = ['localhost', 'local', 'internal', 'home.arpa', 'onion']
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 20 }),
        fc.constantFrom(...suffixes),
        (text, suffix) => {
          expect(readHostname(`a${text.replace(/[#/?\\@:]/g, '')}.${suffix}`)).toHaveProperty('refusal')
        },
      ),
    )
  })

  test('any text: never throws; what is let through is a plain, public, canonical name', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.ipV4(), fc.domain()), (text) => {
        const read = readHostname(text)
        if ('refusal' in read) return
        const labels = read.name.split('.')
        expect(read.name).toMatch(/^[a-z0-9_.-]{3,253}$/)
        expect([isIP(read.name), isRefusedName(labels), labels.length > 1]).toEqual([0, false, true])
        expect(readHostname(read.name)).toEqual(read)
      }),
      { numRuns: 2_000 },
    )
  })
})
