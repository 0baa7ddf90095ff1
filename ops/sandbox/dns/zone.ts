/** What the sandbox's name server knows of one name. Absent type: NODATA. */
export type Entry = {
  A?: string[]
  AAAA?: string[]
  MX?: { preference: number; exchange: string }[]
  TXT?: string[] //         each one record; cut into strings of 255 bytes on the wire
  NS?: string[]
  CNAME?: string //         answers every type, followed inside the zone
  rcode?: 'SERVFAIL' | 'REFUSED' // instead of an answer, to every question
  rcodeOf?: { [type: string]: 'SERVFAIL' | 'REFUSED' } // to these types only
  silent?: boolean //       no answer at all
}

export type Zone = Readonly<Record<string, Entry>>

export const TTL_S = 300

const SERVERS = ['ns1.example.com', 'ns2.example.com']

/**
 * The whole public internet of the sandbox, as documented examples: ordinary names, and one name for each case
 * a buyer should have seen once. Addresses are those of RFC 5737 and 3849 (documentation) but for the ones that
 * stand for ordinary public hosts.
 */
export const ZONE: Zone = {
  'example.com': {
    A: ['23.192.228.80', '23.192.228.84'],
    AAAA: ['2600:1406:3a00:21::173e:2e65'],
    MX: [
      { preference: 10, exchange: 'mail.example.com' },
      { preference: 20, exchange: 'mail2.example.com' },
    ],
    TXT: ['v=spf1 include:_spf.example.com -all', 'site-verification=0123456789abcdef'],
    NS: SERVERS,
  },
  'www.example.com': { CNAME: 'example.com' },
  'mail.example.com': { A: ['23.192.228.90'] },
  'mail2.example.com': { A: ['23.192.228.91'] },
  'ns1.example.com': { A: ['23.192.228.53'] },
  'ns2.example.com': { A: ['23.215.0.53'] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject; rua=mailto:dmarc@example.com'] },
  '_spf.example.com': { TXT: ['v=spf1 ip4:23.192.228.0/24 -all'] },
  'xn--mnchen-3ya.example.com': { A: ['23.192.228.81'], TXT: ['Grüße aus München'] },
  'nomail.example.com': { A: ['23.192.228.82'], MX: [{ preference: 0, exchange: '.' }] },
  //  a public name that leads to private places: data for the buyer, flagged
  'private.example.com': {
    A: ['127.0.0.1', '10.0.0.1', '169.254.169.254', '23.192.228.83'],
    AAAA: ['::1', 'fd00::1', 'fe80::1', '::ffff:127.0.0.1'],
  },
  'alias.example.com': { CNAME: 'db.corp.internal' },
  'loop.example.com': { CNAME: 'loop2.example.com' },
  'loop2.example.com': { CNAME: 'loop.example.com' },
  'many.example.com': { A: Array.from({ length: 300 }, (_, at) => `23.193.${at >> 8}.${at & 255}`) },
  'long.example.com': { TXT: Array.from({ length: 60 }, (_, at) => `${at}:`.padEnd(1_000, '.')) },
  'odd.example.com': { TXT: ['\u0000\u001b[31mred\u001b[0m <script>alert(1)</script> \r\n"quoted" 🦊'] },
  'partly.example.com': {
    A: ['23.192.228.85'],
    NS: SERVERS,
    rcodeOf: { AAAA: 'SERVFAIL', TXT: 'REFUSED' },
  },
  'broken.example.com': { rcode: 'SERVFAIL' },
  'refused.example.com': { rcode: 'REFUSED' },
  'silent.example.com': { silent: true },
}
