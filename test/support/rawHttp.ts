import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A connection on which the test sends every byte itself. @property received everything so far, as Latin-1 */
export type RawConnection = {
  socket: Socket
  received(): string
  closed: Promise<void>
}

export function openRaw(base: string): Promise<RawConnection> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const closed = new Promise<void>((done) => socket.once('close', () => done()))
    socket.on('data', (data) => {
      text += data.toString('latin1')
    })
    socket.on('end', () => socket.end())
    socket.on('error', reject)
    socket.once('connect', () => {
      socket.on('error', () => {}) // a reset by the other side is an answer too
      resolve({ socket, received: () => text, closed })
    })
  })
}

/** The head of a GET as text. */
export const headOf = (path: string, headers: Record<string, string> = {}): string =>
  `GET ${path} HTTP/1.1\r\nhost: a\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`

/** Sends these bytes and waits until the server has answered and closed, or is silent for `quietMs` after an answer. */
export async function exchangeRaw(base: string, bytes: string, quietMs = 150): Promise<string> {
  const { socket, received, closed } = await openRaw(base)
  socket.write(bytes, 'latin1')
  let over = false
  void closed.then(() => {
    over = true
  })
  for (let seen = -1, quiet = 0, waited = 0; !over && quiet < quietMs && waited < 5_000; waited += 10) {
    await sleep(10)
    quiet = received().length > 0 && received().length === seen ? quiet + 10 : 0
    seen = received().length
  }
  socket.destroy()
  return received()
}

/** Status codes in what was received, in order. */
export const statusesOf = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
