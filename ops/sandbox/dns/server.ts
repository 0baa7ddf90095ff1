import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import dnsPacket, { type Packet } from 'dns-packet'
import { SECOND } from '../../units.ts'
import { answerQuery } from './answerQuery.ts'
import type { Zone } from './zone.ts'

const MAX_CONNECTIONS = 64
const MAX_QUERY_BYTES = 4_096
const IDLE_MS = 10 * SECOND
/** Without EDNS a datagram holds this much (RFC 1035); more is fetched again by TCP. */
const PLAIN_UDP_BYTES = 512
const MAX_UDP_BYTES = 1_232

export type NameServer = { port: number; close(): Promise<void> }

/** A small authoritative name server, UDP and TCP on one port. What it cannot read it does not answer. */
export async function serveNames({
  zone,
  host = '127.0.0.1',
  port = 0,
}: {
  zone: Zone
  host?: string
  port?: number
}): Promise<NameServer> {
  const connections = new Set<Socket>()
  const tcp = createServer({ noDelay: true }, (socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
    serveConnection(zone, socket)
  })
  tcp.maxConnections = MAX_CONNECTIONS
  tcp.listen(port, host)
  await once(tcp, 'listening')
  const bound = (tcp.address() as AddressInfo).port

  const udp = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  udp.on('message', (message, from) => {
    const answer = datagram(zone, message)
    if (answer !== null) udp.send(answer, from.port, from.address)
  })
  try {
    udp.bind(bound, host)
    await once(udp, 'listening')
  } catch (error) {
    tcp.close()
    throw error
  }
  return {
    port: bound,
    close: async () => {
      const closed = [once(udp, 'close'), once(tcp, 'close')]
      udp.close()
      tcp.close()
      for (const socket of connections) socket.destroy()
      await Promise.all(closed)
    },
  }
}

/** Queries with two bytes of length before each (RFC 7766), answered in their order. */
function serveConnection(zone: Zone, socket: Socket): void {
  let pending = Buffer.alloc(0)
  socket.setTimeout(IDLE_MS, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.on('data', (piece) => {
    pending = Buffer.concat([pending, piece])
    while (pending.length >= 2) {
      const bytes = pending.readUInt16BE(0)
      if (bytes > MAX_QUERY_BYTES) return socket.destroy()
      if (pending.length < 2 + bytes) return
      const query = decode(pending.subarray(2, 2 + bytes))
      pending = pending.subarray(2 + bytes)
      const answer = query && answerQuery(zone, query)
      if (answer !== null) socket.write(dnsPacket.streamEncode(answer))
    }
  })
}

function datagram(zone: Zone, message: Buffer): Buffer | null {
  const query = decode(message)
  const answer = query && answerQuery(zone, query)
  if (query === null || answer === null) return null
  const encoded = dnsPacket.encode(answer)
  if (encoded.length <= roomOf(query)) return encoded
  const flags = (answer.flags ?? 0) | dnsPacket.TRUNCATED_RESPONSE
  return dnsPacket.encode({ ...answer, answers: [], flags })
}

const roomOf = (query: Packet): number => {
  const edns = query.additionals?.find(({ type }) => type === 'OPT')
  const wanted = edns !== undefined && 'udpPayloadSize' in edns ? edns.udpPayloadSize : PLAIN_UDP_BYTES
  return Math.min(Math.max(wanted, PLAIN_UDP_BYTES), MAX_UDP_BYTES)
}

/** @returns null for what is no query. */
function decode(bytes: Buffer): Packet | null {
  try {
    const packet = dnsPacket.decode(bytes)
    return packet.type === 'query' ? packet : null
  } catch {
    return null
  }
}
