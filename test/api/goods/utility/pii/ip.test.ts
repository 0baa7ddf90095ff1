import { describe, expect, test } from 'vitest'
import { locatePii } from '../../../../../api/goods/utility/pii/countPii.ts'

const foundIn = (text: string): string[] =>
  locatePii(text).map(({ kind, span }) => `${kind} ${text.slice(span.start, span.end)}`)

describe('4.1 rule 10: an address ends where the sentence goes on', () => {
  test.each([
    ['Trying 10.0.0.1...', ['ipv4 10.0.0.1']],
    ['Connecting to 203.0.113.7...', ['ipv4 203.0.113.7']],
    ['Trying 192.168.100.200...', ['ipv4 192.168.100.200']],
    ['Trying 10.0.0.1..', ['ipv4 10.0.0.1']],
    ['Trying 10.0.0.1...failed', ['ipv4 10.0.0.1']],
    ['Trying 10.0.0.1...5 tries', ['ipv4 10.0.0.1']],
    ['from 10.0.0.1..10.0.0.9', ['ipv4 10.0.0.1', 'ipv4 10.0.0.9']],
    ['at 10.0.0.1.', ['ipv4 10.0.0.1']],
    ['10.0.0.1: timeout', ['ipv4 10.0.0.1']],
    [`10.0.0.1${'.'.repeat(200)}`, ['ipv4 10.0.0.1']],
    ['Trying 2001:db8::1...', ['ipv6 2001:db8::1']],
    ['Trying 2001:db8::1...failed', ['ipv6 2001:db8::1']],
    ['2001:db8::1: Connection refused', ['ipv6 2001:db8::1']],
    ['ping: 2001:db8:0:0:0:0:0:1: timeout', ['ipv6 2001:db8:0:0:0:0:0:1']],
    ['net 2001:db8:1:: is ours', ['ipv6 2001:db8:1::']], //  the colons are its own
    ['net 2001:db8:1::: refused', ['ipv6 2001:db8:1::']],
    ['2001:db8:1::.', ['ipv6 2001:db8:1::']],
    [
      'ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255: x',
      ['ipv6 ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255'],
    ],
  ])('%s', (text, found) => {
    expect(foundIn(text)).toEqual(found)
  })

  test.each([
    '1.2.3.4.5',
    '101.102.103.104.5', //        also where the first four make the longest possible address
    '2001:2001:2001:2001:2001:2001:101.102.103.104.5',
    '1.2.3.4.x',
    'v1.2.3.4...',
    '.1.2.3.4',
    '1..2.3.4',
    '256.1.1.1...',
    '12:34:56: started',
    'std::vector::at1: x',
    'a::b1: x', //                 two groups
    '1:2:3:4:5:6:7: x', //         seven
    '1:2:3:4:5:6:7:8:9: x', //     nine
    'x2001:db8::1: refused',
  ])('none: %s', (text) => {
    expect(foundIn(text)).toEqual([])
  })
})

describe('4.1 rule 10: numbers of a version, a section or a device are no address', () => {
  test.each([
    'Chrome/120.0.0.0 Safari/537.36 Edg/120.0.0.0',
    'System.Runtime, Version=4.0.0.0, Culture=neutral',
    'FileVersion: 10.0.1.2',
    '"version":"1.2.3.4"',
    'version 10.2.3.4',
    'ver. 10.2.3.4',
    'release 10.2.3.4',
    'firmware: 10.2.3.4',
    'see section 3.2.1.4',
    'sec. 3.2.1.4',
    '§ 3.2.1.4',
    'chapter 3.2.1.4, clause 3.2.1.5',
    'OID 1.3.6.1',
    'ObjectIdentifier("2.5.29.14")',
    'https://tools.ietf.example/html/rfc2616#section-8.1.2.2',
    'sections 2.3.3.1 and on',
    '.. versionchanged:: 1.7.100.3',
    "v8: '12.4.254.14-node.11'",
    'Git 1.8.1.3 Release Notes',
    'documentation 0.12.0.0', //   no address begins with 0 except 0.0.0.0
    'EUI-64 00:1a:2b:ff:fe:3c:4d:5e',
    'wwn 50:06:01:60:3b:20:11:22',
  ])('none: %s', (text) => {
    expect(foundIn(text)).toEqual([])
  })

  test.each([
    ['localhost/10.1.2.3:5432', ['ipv4 10.1.2.3']], //     as Java writes one
    ['net/10.0.0.0/8', []],
    ['//10.0.0.0', ['ipv4 10.0.0.0']],
    ['driver 10.2.3.4', ['ipv4 10.2.3.4']], //             inside a word
    ['the version at 10.2.3.4', ['ipv4 10.2.3.4']],
    ['insect: 10.2.3.4', ['ipv4 10.2.3.4']],
    ['bound to 0.0.0.0', ['ipv4 0.0.0.0']],
    ['range 10.0.0.1-10.0.0.9', ['ipv4 10.0.0.1', 'ipv4 10.0.0.9']],
    ['00:1a:2b:ff:fe:3c:4d:5e1', ['ipv6 00:1a:2b:ff:fe:3c:4d:5e1']],
  ])('%s', (text, found) => {
    expect(foundIn(text)).toEqual(found)
  })
})
