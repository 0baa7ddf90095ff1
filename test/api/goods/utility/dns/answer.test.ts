import { describe, expect, test } from 'vitest'
import {
  DnsAnswer,
  isSilent,
  MAX_RECORDS,
  MAX_TXT_CHARS,
  type Outcomes,
  type Status,
  shapeAnswer,
  shortestTtlS,
} from '../../../../../api/goods/utility/dns/answer.ts'
import { createAnswerCache, MAX_CHARS, MAX_NAMES } from '../../../../../api/goods/utility/dns/answerCache.ts'
import { specialNameOf, specialUseOf } from '../../../../../api/goods/utility/dns/specialUse.ts'

const NOW = 1_790_000_000_000
const NODATA = { status: 'nodata' } as const
const outcomes = (some: Partial<Outcomes> = {}): Outcomes => ({
  A: NODATA,
  AAAA: NODATA,
  MX: NODATA,
  TXT: NODATA,
  NS: NODATA,
  CNAME: NODATA,
  ...some,
})
const shape = (some: Partial<Outcomes>) => shapeAnswer('example.com', outcomes(some), NOW)
const addresses = (...ttls: number[]) => ({
  status: 'ok' as const,
  raw: ttls.map((ttl, at) => ({ address: `23.0.0.${at}`, ttl })),
})

describe('DNS-05: addresses that are none of the public internet are flagged', () => {
  test.each([
    ['23.192.228.80', null],
    ['2606:4700::1111', null],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.255', 'loopback'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.32.0.1', null],
    ['192.168.255.255', 'private'],
    ['169.254.169.254', 'linkLocal'],
    ['100.64.0.1', 'carrierGradeNat'],
    ['100.128.0.1', null],
    ['0.0.0.0', 'unspecified'],
    ['255.255.255.255', 'broadcast'],
    ['224.0.0.1', 'multicast'],
    ['192.0.2.1', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['240.0.0.1', 'reserved'],
    ['::1', 'loopback'],
    ['::', 'unspecified'],
    ['fd00::1', 'uniqueLocal'],
    ['fe80::1', 'linkLocal'],
    ['ff02::1', 'multicast'],
    ['2001:db8::1', 'reserved'],
    ['100:0:0:1::1', 'dummy'],
    ['100:0:0:2::1', null],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:8.8.8.8', 'ipv4Mapped'],
    ['64:ff9b::7f00:1', 'rfc6052'],
    ['2002:7f00:1::', '6to4'],
    ['no address', 'invalid'],
  ])('%s: %s', (address, use) => {
    expect(specialUseOf(address)).toBe(use)
  })

  test.each([
    ['db.corp.internal', 'specialName'],
    ['LOCALHOST.', 'specialName'],
    ['mail.example.com', null],
    ['notinternal.com', null],
    ['127.0.0.1', 'loopback'],
  ])('a name in an answer: %s: %s', (name, use) => {
    expect(specialNameOf(name)).toBe(use)
  })

  test.each<[string, Partial<Outcomes>, boolean]>([
    ['only public', { A: addresses(60) }, false],
    ['one private among public', { A: { status: 'ok', raw: [{ address: '10.0.0.1', ttl: 1 }] } }, true],
    ['private IPv6', { AAAA: { status: 'ok', raw: [{ address: 'fd00::1', ttl: 1 }] } }, true],
    ['mail server inside', { MX: { status: 'ok', raw: [{ exchange: 'mx.corp.local', priority: 1 }] } }, true],
    ['name server inside', { NS: { status: 'ok', raw: ['ns.internal'] } }, true],
    ['alias inside', { CNAME: { status: 'ok', raw: ['x.internal'] } }, true],
    ['text says nothing about it', { TXT: { status: 'ok', raw: [['127.0.0.1 localhost']] } }, false],
  ])('%s', (_, some, specialUse) => {
    expect(shape(some).specialUse).toBe(specialUse)
  })
})

describe('DNS-09: each type has its own status', () => {
  test.each<[Status[], boolean | null, boolean]>([
    [['ok', 'nodata'], true, false],
    [['nxdomain'], false, false],
    [['nodata'], true, false],
    [['ok', 'timeout', 'servfail'], true, false],
    [['nxdomain', 'servfail'], false, false],
    [['timeout'], null, true],
    [['servfail'], null, true],
    [['timeout', 'servfail'], null, true],
  ])('%j: exists %j, nothing to sell %j', (statuses, exists, silent) => {
    const pick = (at: number) => {
      const status = statuses[at % statuses.length]!
      return status === 'ok' ? { status, raw: [] } : { status }
    }
    const of = { A: pick(0), AAAA: pick(1), MX: pick(2), TXT: pick(3), NS: pick(4), CNAME: pick(5) }
    expect(shapeAnswer('example.com', of, NOW).exists).toBe(exists)
    expect(isSilent(of)).toBe(silent)
  })

  test('RFC 7505: a name that takes no mail says so', () => {
    const mx = shape({ MX: { status: 'ok', raw: [{ exchange: '', priority: 0 }] } }).MX
    expect(mx.records).toEqual([{ exchange: '.', preference: 0, specialUse: null }])
  })

  test('an alias of the root and a zone that is handed to it name the root', () => {
    const { NS, CNAME } = shape({ NS: { status: 'ok', raw: [''] }, CNAME: { status: 'ok', raw: [''] } })
    const root = [{ name: '.', specialUse: null }]
    expect([NS.records, CNAME.records]).toEqual([root, root])
  })
})

describe('DNS-08: whatever comes, what is sold is bounded', () => {
  test('300 addresses: the first 64 are listed, all are counted', () => {
    const a = shape({ A: addresses(...Array.from({ length: 300 }, () => 60)) }).A
    expect([a.records.length, a.total]).toEqual([MAX_RECORDS, 300])
  })

  test('text: whole records up to the bound, none of them cut, all counted', () => {
    const raw = (chars: number) => [['x'.repeat(chars)], ['y']]
    const fits = shape({ TXT: { status: 'ok', raw: raw(MAX_TXT_CHARS - 1) } }).TXT
    expect([fits.records.length, fits.total]).toEqual([2, 2])
    const tooMuch = shape({ TXT: { status: 'ok', raw: raw(MAX_TXT_CHARS + 1) } }).TXT
    expect([tooMuch.records.length, tooMuch.total, tooMuch.status]).toEqual([0, 2, 'ok'])
  })

  test('strings of one record are joined, bytes read as UTF-8, wrong ones replaced', () => {
    const bytes = Buffer.from('Grüße 🦊').toString('latin1')
    const raw = [[bytes.slice(0, 3), bytes.slice(3)], ['\xff\xfe']]
    expect(shape({ TXT: { status: 'ok', raw } }).TXT.records).toEqual(['Grüße 🦊', '\ufffd\ufffd'])
  })

  test('every answer fits the schema that is published', () => {
    const answer = shape({ A: addresses(1), NS: { status: 'ok', raw: ['ns.example.com'] } })
    expect(DnsAnswer.parse(JSON.parse(JSON.stringify(answer)))).toEqual(answer)
  })
})

describe('an answer is given again as long as its shortest TTL, a minute at most', () => {
  test.each([
    ['TTL 5', 5, { A: addresses(300, 5) }],
    ['TTL 300', 60, { A: addresses(300) }],
    ['no known TTL', 60, {}],
    ['TTL 0', 0, { A: addresses(0) }],
    ['a type that was not answered', 0, { MX: { status: 'timeout' as const } }],
    ['a type that was refused', 0, { MX: { status: 'servfail' as const } }],
    ['no such name', 60, { A: { status: 'nxdomain' as const } }],
  ])('%s: %d s', (_, seconds, some) => {
    const cache = createAnswerCache()
    cache.keep(shape(some), NOW)
    expect(cache.find('example.com', NOW + seconds * 1_000)).toBeNull()
    cache.keep(shape(some), NOW)
    expect(cache.find('example.com', NOW + seconds * 1_000 - 1) !== null).toBe(seconds > 0)
  })

  test('the shortest TTL is that of addresses, of both kinds', () => {
    const AAAA = { status: 'ok' as const, raw: [{ address: 'fd00::1', ttl: 7 }] }
    expect(shortestTtlS(shape({ A: addresses(9), AAAA }))).toBe(7)
  })

  test('beyond its bound of names the oldest goes', () => {
    const cache = createAnswerCache()
    const answer = shape({})
    for (let at = 0; at <= MAX_NAMES; at++) cache.keep({ ...answer, name: `n${at}.com` }, NOW)
    expect(cache.size()).toBe(MAX_NAMES)
    expect([cache.find('n0.com', NOW), cache.find('n1.com', NOW) !== null]).toEqual([null, true])
  })

  test('beyond its bound of characters the oldest goes; a name kept twice counts once', () => {
    const cache = createAnswerCache()
    const long = shape({ TXT: { status: 'ok', raw: [['x'.repeat(MAX_TXT_CHARS)]] } })
    const fit = Math.floor(MAX_CHARS / (MAX_TXT_CHARS + 1_000))
    for (let round = 0; round < 3; round++)
      for (let at = 0; at < fit; at++) cache.keep({ ...long, name: `n${at}.com` }, NOW)
    expect(cache.size()).toBe(fit)
    for (let at = fit; at < 2 * fit; at++) cache.keep({ ...long, name: `n${at}.com` }, NOW)
    expect(cache.size()).toBeLessThan(1.2 * fit)
    expect([cache.find('n0.com', NOW), cache.find(`n${2 * fit - 1}.com`, NOW) !== null]).toEqual([null, true])
  })
})

test('RFC 2181, 8: a TTL with its highest bit set is zero, and such an answer is not kept', () => {
  const answer = shape({ A: addresses(0x7fffffff, 0x80000000, 0xffffffff) })
  expect(answer.A.records.map(({ ttlS }) => ttlS)).toEqual([0x7fffffff, 0, 0])
  expect(shortestTtlS(answer)).toBe(0)
})
