import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import dnsPacket, { type DecodedPacket, type Packet } from 'dns-packet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerQuery } from '../../../../ops/sandbox/dns/answerQuery.ts'
import { type NameServer, serveNames } from '../../../../ops/sandbox/dns/server.ts'
import { ZONE } from '../../../../ops/sandbox/dns/zone.ts'
import { type Running, runMain } from '../../../support/process.ts'

type Type = 'A' | 'AAAA' | 'MX' | 'TXT' | 'NS' | 'CNAME' | 'SRV'
const question = (name: string, type: Type): Packet => ({
  type: 'query',
  id: 4_242,
  flags: dnsPacket.RECURSION_DESIRED,
  questions: [{ type, class: 'IN', name }],
})
const withEdns = (query: Packet, udpPayloadSize: number): Packet => ({
  ...query,
  additionals: [
    {
      type: 'OPT',
      name: '.',
      udpPayloadSize,
      flags: 0,
      options: [],
      extendedRcode: 0,
      ednsVersion: 0,
      flag_do: false,
    },
  ],
})
const rcodeOf = (packet: Packet | null) => (packet === null ? null : (packet.flags ?? 0) & 15)

describe('the zone answers as an authoritative server would', () => {
  test.each<[string, Type, number | null, number]>([
    ['example.com', 'A', 0, 2],
    ['EXAMPLE.com', 'A', 0, 2],
    ['example.com', 'SRV', 0, 0],
    ['www.example.com', 'A', 0, 3],
    ['www.example.com', 'CNAME', 0, 1],
    ['com', 'A', 0, 0],
    ['nope.example.com', 'A', 3, 0],
    ['alias.example.com', 'A', 3, 1],
    ['loop.example.com', 'A', 0, 8],
    ['broken.example.com', 'A', 2, 0],
    ['refused.example.com', 'MX', 5, 0],
    ['partly.example.com', 'A', 0, 1],
    ['partly.example.com', 'AAAA', 2, 0],
    ['silent.example.com', 'A', null, 0],
  ])('%s %s: rcode %j, %d records', (name, type, rcode, records) => {
    const answer = answerQuery(ZONE, question(name, type))
    expect([rcodeOf(answer), answer?.answers?.length ?? 0]).toEqual([rcode, records])
  })

  test('two questions in one query are a malformed query', () => {
    const query = question('example.com', 'A')
    expect(rcodeOf(answerQuery(ZONE, { ...query, questions: [] }))).toBe(1)
    expect(
      rcodeOf(answerQuery(ZONE, { ...query, questions: [...query.questions!, ...query.questions!] })),
    ).toBe(1)
  })

  test('every name of the zone can be put on the wire, for every type', () => {
    for (const name of Object.keys(ZONE))
      for (const type of ['A', 'AAAA', 'MX', 'TXT', 'NS', 'CNAME'] as const) {
        const answer = answerQuery(ZONE, question(name, type))
        if (answer !== null) expect(dnsPacket.decode(dnsPacket.encode(answer)).id).toBe(4_242)
      }
  })
})

describe('over the wire', () => {
  let server: NameServer
  beforeAll(async () => {
    server = await serveNames({ zone: ZONE })
  })
  afterAll(() => server.close())

  const byUdp = async (message: Buffer): Promise<{ packet: DecodedPacket; bytes: number }> => {
    const socket = createSocket('udp4')
    const answered = once(socket, 'message') as Promise<[Buffer]>
    socket.send(message, server.port, '127.0.0.1')
    const [bytes] = await answered
    socket.close()
    return { packet: dnsPacket.decode(bytes), bytes: bytes.length }
  }

  test.each<[string, Packet, boolean]>([
    ['small', question('example.com', 'A'), false],
    ['long text, 512 bytes', question('long.example.com', 'TXT'), true],
    [
      '300 addresses, EDNS 4096: we send 1232 at most',
      withEdns(question('many.example.com', 'A'), 4_096),
      true,
    ],
  ])('UDP: %s', async (_, query, truncated) => {
    const { packet, bytes } = await byUdp(dnsPacket.encode(query))
    expect([packet.flag_tc, packet.flag_aa, bytes <= 1_232]).toEqual([truncated, true, true])
    expect((packet.answers?.length ?? 0) === 0).toBe(truncated)
  })

  test('UDP: what is no query is not answered, and the next one is', async () => {
    const socket = createSocket('udp4')
    const got: Buffer[] = []
    socket.on('message', (bytes) => got.push(bytes))
    const answer = dnsPacket.encode({ ...question('example.com', 'A'), type: 'response' })
    for (const junk of [Buffer.alloc(0), Buffer.from('junk'), Buffer.alloc(2_000, 0xff), answer])
      socket.send(junk, server.port, '127.0.0.1')
    socket.send(dnsPacket.encode(question('example.com', 'NS')), server.port, '127.0.0.1')
    await expect.poll(() => got.length).toBe(1)
    socket.close()
    expect(dnsPacket.decode(got[0]!).answers).toHaveLength(2)
  })

  test('TCP: queries that come in pieces and together are answered in their order', async () => {
    const socket = connect(server.port, '127.0.0.1')
    const queries = ['many.example.com', 'example.com'].map((name) =>
      dnsPacket.streamEncode(question(name, 'A')),
    )
    const bytes = Buffer.concat(queries)
    let got = Buffer.alloc(0)
    socket.on('data', (piece) => {
      got = Buffer.concat([got, piece])
    })
    socket.write(bytes.subarray(0, 5))
    await sleep(20)
    socket.write(bytes.subarray(5))
    const counts = () => {
      const found: number[] = []
      for (let at = 0; at + 2 <= got.length; at += 2 + got.readUInt16BE(at))
        if (got.length >= at + 2 + got.readUInt16BE(at))
          found.push(dnsPacket.streamDecode(got.subarray(at)).answers!.length)
      return found
    }
    await expect.poll(counts).toEqual([300, 2])
    socket.destroy()
  })

  test('TCP: a query that is too long, or no query: closed', async () => {
    for (const [bytes, closes] of [
      [Buffer.from([0xff, 0xff]), true],
      [Buffer.from([0, 3, 1, 2, 3]), false],
    ] as const) {
      const socket = connect(server.port, '127.0.0.1')
      let closed = false
      socket.on('close', () => {
        closed = true
      })
      socket.write(bytes)
      if (closes) await expect.poll(() => closed).toBe(true)
      else {
        socket.write(dnsPacket.streamEncode(question('example.com', 'A')))
        const [answer] = (await once(socket, 'data')) as [Buffer]
        expect(dnsPacket.streamDecode(answer).answers).toHaveLength(2)
      }
      socket.destroy()
    }
  })

  test('a port that is taken is an error of the start', async () => {
    await expect(serveNames({ zone: ZONE, port: server.port })).rejects.toThrow(/EADDRINUSE/)
  })
})

describe('as a part of the tree', () => {
  let running: Running
  afterAll(() => running?.kill())
  test('it says where it listens, and ends on SIGTERM', async () => {
    running = runMain('ops/sandbox/dns/main.ts', { env: { DNS_PORT: '0' } })
    const [, address] = await running.says(/"ready":true,"address":"(127\.0\.0\.1:\d+)"/)
    expect(address).toMatch(/:\d+$/)
    expect((await running.stop()).code).toBe(0)
  })
})
