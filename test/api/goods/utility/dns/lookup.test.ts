import dns from 'node:dns'
import { connect, createServer, type Server, Socket } from 'node:net'
import { hostname } from 'node:os'
import dnsPacket from 'dns-packet'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { DnsAnswer } from '../../../../../api/goods/utility/dns/answer.ts'
import { readHostname } from '../../../../../api/goods/utility/dns/hostname.ts'
import { createLookUp, DEADLINE_MS, type LookUp } from '../../../../../api/goods/utility/dns/lookup.ts'
import { type NameServer, serveNames } from '../../../../../ops/sandbox/dns/server.ts'
import { ZONE } from '../../../../../ops/sandbox/dns/zone.ts'
import { importsOf, readSource, repositoryFiles } from '../../../../house/sources.ts'
import { freePort } from '../../../../support/ports.ts'
import { sleep } from '../../../../support/process.ts'
import { answerTo, aRecord, startHostile, streamAnswerTo } from './hostileServer.ts'

const clock = { nowMs: () => Date.now() }
const NOTHING = { problem: 'resolver_unavailable' }
const TYPES = ['A', 'AAAA', 'MX', 'TXT', 'NS', 'CNAME'] as const

let names: NameServer
let lookUp: LookUp
beforeAll(async () => {
  names = await serveNames({ zone: ZONE })
  lookUp = createLookUp({ servers: [`127.0.0.1:${names.port}`], clock })
})
afterAll(() => names.close())

const answerOf = async (name: string, using = lookUp) => DnsAnswer.parse(await using(name))
const statuses = (answer: DnsAnswer) => TYPES.map((type) => answer[type].status)

describe('2.2 dns: A, AAAA, MX, TXT, NS, CNAME records', () => {
  test('all six types of an ordinary name', async () => {
    expect(await answerOf('example.com')).toMatchObject({
      name: 'example.com',
      exists: true,
      specialUse: false,
      A: { status: 'ok', total: 2, records: [{ address: '23.192.228.80', ttlS: 300, specialUse: null }, {}] },
      AAAA: { status: 'ok', records: [{ address: '2600:1406:3a00:21::173e:2e65' }] },
      MX: { status: 'ok', records: [{ exchange: 'mail.example.com', preference: 10 }, {}] },
      TXT: { status: 'ok', records: ['v=spf1 include:_spf.example.com -all', /^site/] },
      NS: { status: 'ok', records: [{ name: 'ns1.example.com' }, { name: 'ns2.example.com' }] },
      CNAME: { status: 'nodata', records: [] },
    })
  })

  test.each([
    ['an alias is followed', 'www.example.com', ['ok', 'ok', 'ok', 'ok', 'ok', 'ok']],
    ['_dmarc works', '_dmarc.example.com', ['nodata', 'nodata', 'nodata', 'ok', 'nodata', 'nodata']],
    ['no such name', 'nope.example.com', TYPES.map(() => 'nxdomain')],
    ['a name without records', 'com', TYPES.map(() => 'nodata')],
    ['two types fail', 'partly.example.com', ['ok', 'servfail', 'nodata', 'servfail', 'ok', 'nodata']],
    ['an alias that goes round', 'loop.example.com', [...TYPES.slice(0, 5).map(() => 'nodata'), 'ok']],
    ['an alias into private space', 'alias.example.com', [...TYPES.slice(0, 5).map(() => 'nxdomain'), 'ok']],
  ])('%s: %s', async (_, name, expected) => {
    expect(statuses(await answerOf(name))).toEqual(expected)
  })

  test.each(['broken.example.com', 'refused.example.com'])(
    '%s: nothing was learned, no sale',
    async (name) => {
      expect(await lookUp(name)).toEqual(NOTHING)
    },
  )
})

describe('DNS-08: large and odd answers', () => {
  test('300 addresses come by TCP and are counted', async () => {
    const { A } = await answerOf('many.example.com')
    expect([A.status, A.records.length, A.total]).toEqual(['ok', 64, 300])
  })

  test('60 KB of text come by TCP, whole records are listed to the bound', async () => {
    const { TXT } = await answerOf('long.example.com')
    expect([TXT.status, TXT.total, TXT.records.length]).toEqual(['ok', 60, 16])
  })

  test('NUL, ANSI, CRLF, HTML are text: JSON carries them escaped', async () => {
    const { TXT } = await answerOf('odd.example.com')
    expect(TXT.records[0]).toBe('\u0000\u001b[31mred\u001b[0m <script>alert(1)</script> \r\n"quoted" 🦊')
    expect(JSON.stringify(TXT)).not.toMatch(/[\u0000-\u001f]/)
  })

  test('a chain of 20 aliases, addresses at its end', async () => {
    const chain = Array.from({ length: 20 }, (_, at) => ({
      type: 'CNAME' as const,
      name: at === 0 ? 'start.example.com' : `c${at}.example.com`,
      ttl: 60,
      data: `c${at + 1}.example.com`,
    }))
    const hostile = await startHostile(({ query, question, send }) =>
      send(answerTo(query, question.type === 'A' ? [...chain, aRecord('c20.example.com', '23.0.0.1')] : [])),
    )
    const answer = await answerOf('start.example.com', createLookUp({ servers: [hostile.server], clock }))
    await hostile.stop()
    expect(answer.A.records).toEqual([{ address: '23.0.0.1', ttlS: 60, specialUse: null }])
  })
})

describe('DNS-09: servers that lie, stall or break', () => {
  const withServer = async <T>(
    hostile: Awaited<ReturnType<typeof startHostile>>,
    use: (lookUp: LookUp) => Promise<T>,
    deadlineMs = 400,
    keepForMs = 0,
  ): Promise<T> => {
    try {
      return await use(createLookUp({ servers: [hostile.server], clock, deadlineMs }))
    } finally {
      await sleep(keepForMs)
      await hostile.stop()
    }
  }
  const evil = '23.66.66.66'

  test.each<[string, (query: dnsPacket.Packet) => Buffer]>([
    ['another id', (query) => answerTo(query, [aRecord('a.example.com', evil)], { id: query.id! ^ 1 })],
    [
      'an answer to another question',
      (query) =>
        answerTo(query, [aRecord('b.example.com', evil)], {
          questions: [{ type: 'A', class: 'IN', name: 'b.example.com' }],
        }),
    ],
    ['no bytes of DNS', () => Buffer.from('HTTP/1.1 200 OK\r\n\r\n')],
    ['a cut header', () => Buffer.from([1, 2, 3])],
  ])('%s is not believed', async (_, spoil) => {
    const hostile = await startHostile(({ query, send }) => send(spoil(query)))
    expect(await withServer(hostile, (ask) => ask('a.example.com'))).toEqual(NOTHING)
    expect(hostile.asked.length).toBeGreaterThan(0)
  })

  test('the right answer behind a forged one is taken', async () => {
    const hostile = await startHostile(({ query, question, send }) => {
      const forged = aRecord('a.example.com', evil)
      send(answerTo(query, [forged], { id: query.id! ^ 1 }))
      send(answerTo(query, question.type === 'A' ? [aRecord('a.example.com', '23.0.0.7')] : []))
    })
    const answer = await withServer(hostile, (ask) => answerOf('a.example.com', ask), 2_000)
    expect(answer.A.records.map(({ address }) => address)).toEqual(['23.0.0.7'])
  })

  test('truncated, and TCP closes without an answer: that type fails, the others stand', async () => {
    const hostile = await startHostile(({ query, question, send }) =>
      send(answerTo(query, [], question.type === 'TXT' ? { flags: dnsPacket.TRUNCATED_RESPONSE } : {})),
    )
    const answer = await withServer(hostile, (ask) => answerOf('a.example.com', ask), 1_500)
    expect(['timeout', 'servfail']).toContain(answer.TXT.status)
    expect(statuses(answer).filter((status) => status === 'nodata')).toHaveLength(5)
  })

  test('truncated, and the rest comes by TCP', async () => {
    const hostile = await startHostile(
      ({ query, send }) => send(answerTo(query, [], { flags: dnsPacket.TRUNCATED_RESPONSE })),
      (query) =>
        streamAnswerTo(
          query,
          query.questions![0]!.type === 'A' ? [aRecord('a.example.com', '23.0.0.8')] : [],
        ),
    )
    const answer = await withServer(hostile, (ask) => answerOf('a.example.com', ask), 2_000)
    expect(answer.A.records.map(({ address }) => address)).toEqual(['23.0.0.8'])
  })

  test('one type is answered after the deadline: it has timed out, the others are sold', async () => {
    const hostile = await startHostile(({ query, question, send }) => {
      setTimeout(() => send(answerTo(query, [])), question.type === 'MX' ? 1_400 : 0)
    })
    const late = await withServer(hostile, (ask) => answerOf('a.example.com', ask), 1_000, 1_500)
    expect(statuses(late)).toEqual(['nodata', 'nodata', 'timeout', 'nodata', 'nodata', 'nodata'])
  })

  test('DNS-08: whoever answers after the deadline, which is two seconds, is not waited for', async () => {
    const hostile = await startHostile(({ query, send }) => {
      setTimeout(() => send(answerTo(query, [])), 400) // sooner than the question would be asked again
    })
    expect(await withServer(hostile, (ask) => ask('a.example.com'), 100, 500)).toEqual(NOTHING)
    expect(DEADLINE_MS).toBe(2_000)
  })

  test('nothing is ever answered, or nobody listens: no sale', async () => {
    expect(await withServer(await startHostile(() => {}), (ask) => ask('a.example.com'))).toEqual(NOTHING)
    const nobody = createLookUp({ servers: [`127.0.0.1:${await freePort()}`], clock })
    expect(await nobody('a.example.com')).toEqual(NOTHING)
    expect(await createLookUp({ servers: [], clock })('a.example.com')).toEqual(NOTHING)
  })

  test('the first server is down: the second is asked', async () => {
    const servers = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${names.port}`]
    expect((await answerOf('mail.example.com', createLookUp({ servers, clock }))).A.status).toBe('ok')
  })
})

describe('DNS-11: one name is asked once', () => {
  test('many at the same time share one look-up; a later one takes the kept answer until it is too old', async () => {
    const hostile = await startHostile(({ query, question, send }) =>
      send(answerTo(query, question.type === 'A' ? [aRecord('a.example.com', '23.0.0.1', 30)] : [])),
    )
    let nowMs = 1_790_000_000_000
    const ask = createLookUp({ servers: [hostile.server], clock, steady: { nowMs: () => nowMs } })
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask('a.example.com')))
    expect([new Set(answers).size, hostile.asked.length]).toEqual([1, TYPES.length])
    expect(hostile.asked.map(({ type }) => type).sort()).toEqual([...TYPES].sort())
    nowMs += 29_999
    expect(await ask('a.example.com')).toBe(answers[0])
    nowMs += 1
    await ask('a.example.com')
    expect(hostile.asked).toHaveLength(2 * TYPES.length)
    await hostile.stop()
  })

  test('an answer is kept no longer because a clock was set back, and is dated by that clock', async () => {
    const hostile = await startHostile(({ query, question, send }) =>
      send(answerTo(query, question.type === 'A' ? [aRecord('a.example.com', '23.0.0.1', 300)] : [])),
    )
    const host = { ms: 1_790_000_000_000, nowMs: () => host.ms }
    const steady = { ms: 5_000, nowMs: () => steady.ms }
    const ask = createLookUp({ servers: [hostile.server], clock: host, steady })
    const first = await answerOf('a.example.com', ask)
    host.ms -= 600_000
    steady.ms += 59_999
    expect(await answerOf('a.example.com', ask)).toEqual(first)
    steady.ms += 1
    const next = await answerOf('a.example.com', ask)
    expect(hostile.asked).toHaveLength(2 * TYPES.length)
    expect([first, next].map(({ resolvedAt }) => resolvedAt)).toEqual(
      [host.ms + 600_000, host.ms].map((ms) => new Date(ms).toISOString()),
    )
    await hostile.stop()
  })

  test('a failure is not kept: the next one asks again', async () => {
    let broken = true
    const hostile = await startHostile(({ query, send }) =>
      send(answerTo(query, [], broken ? { flags: 2 } : {})),
    )
    const ask = createLookUp({ servers: [hostile.server], clock })
    expect(await ask('a.example.com')).toEqual(NOTHING)
    broken = false
    expect((await answerOf('a.example.com', ask)).exists).toBe(true)
    await hostile.stop()
  })

  test('more names at once than the bound are refused, and there is room again when those have ended', async () => {
    const hostile = await startHostile(() => {})
    const ask = createLookUp({ servers: [hostile.server], clock, deadlineMs: 200, maxUnderWay: 3 })
    const names = ['a.com', 'b.com', 'c.com', 'd.com', 'a.com']
    const problems = (await Promise.all(names.map(ask))).map(
      (answer) => 'problem' in answer && answer.problem,
    )
    const down = 'resolver_unavailable'
    expect(problems).toEqual([down, down, down, 'busy', down])
    expect(await ask('d.com')).toEqual(NOTHING)
    await hostile.stop()
  })
})

describe('DNS-05, DNS-06, I22: no connection to the host is ever opened', () => {
  let trap: Server
  let caught = 0
  beforeAll(async () => {
    trap = createServer((socket) => {
      caught++
      socket.destroy()
    })
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => new Promise((resolve) => trap.close(resolve)))
  afterEach(() => vi.restoreAllMocks())
  const portOf = () => (trap.address() as { port: number }).port

  test('a name whose address is this machine, asked as a URL with the port of a trap', async () => {
    const opened = vi.spyOn(Socket.prototype, 'connect')
    const system = [vi.spyOn(dns, 'lookup'), vi.spyOn(dns.promises, 'lookup')]
    const asked = readHostname(`http://private.example.com:${portOf()}/secret`)
    const answer = await answerOf('name' in asked ? asked.name : '')
    expect(answer.A.records.map(({ address }) => address)).toContain('127.0.0.1')
    expect(answer).toMatchObject({
      specialUse: true,
      A: { records: [{ specialUse: 'loopback' }, {}, {}, {}] },
    })
    expect([caught, opened.mock.calls.length, ...system.map((spy) => spy.mock.calls.length)]).toEqual([
      0, 0, 0, 0,
    ])
  })

  test('an answer that changes between two questions: each is sold as it was, nothing follows', async () => {
    let round = 0
    const hostile = await startHostile(({ query, question, send }) => {
      const address = round === 0 ? '23.0.0.1' : '127.0.0.1'
      send(answerTo(query, question.type === 'A' ? [aRecord('r.example.com', address, 0)] : []))
    })
    const ask = createLookUp({ servers: [hostile.server], clock })
    const first = await answerOf('r.example.com', ask)
    round = 1
    const second = await answerOf('r.example.com', ask)
    await hostile.stop()
    expect([first.specialUse, second.specialUse, caught]).toEqual([false, true, 0])
  })

  test('the trap does catch whoever connects', async () => {
    const socket = connect(portOf(), '127.0.0.1')
    await new Promise((resolve) => socket.once('close', resolve))
    expect(caught).toBe(1)
  })
})

describe('DNS-07: only the servers that are named are asked', () => {
  test("this machine's own names, which its hosts file knows, do not exist", async () => {
    for (const name of [hostname(), 'localhost', 'ip6-localhost'])
      expect((await answerOf(name)).exists, name).toBe(false)
  })

  test('in the api one file speaks DNS, and it never uses the system resolver', () => {
    const files = repositoryFiles().filter((path) => path.startsWith('api/') && path.endsWith('.ts'))
    const speaking = files.filter((path) => importsOf(path).some(({ to }) => /^node:dns/.test(to)))
    expect(speaking).toEqual(['api/goods/utility/dns/resolve.ts'])
    expect(readSource(speaking[0]!)).not.toMatch(/\blookup\b|lookupService|resolveAny|setDefaultResultOrder/)
  })
})
