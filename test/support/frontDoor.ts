import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * A TCP port that stays the same while the server behind it comes and goes. Shut, it refuses and drops connections like
 * the port of a process that has ended; open, it forwards them.
 */
export async function frontDoor(): Promise<{
  port: number
  open(toPort: number): Promise<void>
  shut(): Promise<void>
}> {
  const sockets = new Set<Socket>()
  let server: Server | null = null
  let port = 0
  const keep = (socket: Socket, other: Socket) => {
    sockets.add(socket)
    socket.on('error', () => other.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      other.destroy()
    })
  }
  const shut = async () => {
    const closing = server
    server = null
    for (const socket of sockets) socket.destroy()
    if (closing !== null) await new Promise((resolve) => closing.close(resolve))
  }
  const open = async (toPort: number) => {
    const opening = createServer((inner) => {
      const outer = connect(toPort, '127.0.0.1')
      keep(inner, outer)
      keep(outer, inner)
      inner.pipe(outer).pipe(inner)
    })
    await new Promise<void>((resolve, reject) => {
      opening.once('error', reject)
      opening.listen(port, '127.0.0.1', resolve)
    })
    server = opening
    port = (opening.address() as AddressInfo).port
  }
  await open(1)
  await shut()
  return { port, open, shut }
}
