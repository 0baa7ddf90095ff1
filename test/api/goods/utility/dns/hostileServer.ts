import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import dnsPacket, { type Answer, type Packet, type Question } from 'dns-packet'

export type Asked = { question: Question; query: Packet; send(bytes: Buffer): void; count: number }

/** A resolver that treats each question as a test says. `overTcp`: the whole answer, in bytes, when asked over TCP. */
export async function startHostile(
  onQuestion: (asked: Asked) => void,
  overTcp: (query: Packet) => Buffer | null = () => null,
): Promise<{ server: string; asked: Question[]; stop(): Promise<void> }> {
  const asked: Question[] = []
  const tcp = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', (data) => {
      for (let at = 0; at < data.length; at += 2 + data.readUInt16BE(at)) {
        const answer = overTcp(dnsPacket.streamDecode(data.subarray(at, at + 2 + data.readUInt16BE(at))))
        if (answer === null) return socket.destroy()
        socket.write(answer)
      }
    })
  })
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as { port: number }
  const udp: Socket = createSocket('udp4')
  udp.on('message', (message: Buffer, from: RemoteInfo) => {
    const query = dnsPacket.decode(message)
    const question = query.questions![0]!
    asked.push(question)
    onQuestion({
      question,
      query,
      count: asked.length,
      send: (bytes) => udp.send(bytes, from.port, from.address),
    })
  })
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  return {
    server: `127.0.0.1:${port}`,
    asked,
    stop: async () => {
      udp.close()
      await new Promise((resolve) => tcp.close(resolve))
    },
  }
}

/** An answer to a query; `change` spoils it. */
export const answerTo = (query: Packet, answers: Answer[], change: Partial<Packet> = {}): Buffer =>
  dnsPacket.encode(packetOf(query, answers, change))

export const streamAnswerTo = (query: Packet, answers: Answer[], change: Partial<Packet> = {}): Buffer =>
  dnsPacket.streamEncode(packetOf(query, answers, change))

const packetOf = (query: Packet, answers: Answer[], change: Partial<Packet>): Packet => ({
  id: query.id,
  type: 'response',
  questions: query.questions,
  answers,
  flags: dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE,
  ...change,
})

export const aRecord = (name: string, data: string, ttl = 60): Answer => ({ type: 'A', name, ttl, data })
