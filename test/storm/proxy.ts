import { connect, createServer, type Socket } from 'node:net'
import { sleep } from '../support/process.ts'
import type { Dice } from './dice.ts'

export type FaultyProxy = {
  port: number
  /** From now on connections meet faults, or no longer do. */
  faulty(on: boolean): void
  /** The next request that holds this text is passed on and its answer is not. Resolves when it has been passed on. */
  loseAnswerTo(text: string): Promise<void>
  /** What happened so far, by kind. */
  faults(): Record<string, number>
  stop(): Promise<void>
}

/** What may happen to one piece of bytes on its way, and how often in a thousand. */
const FAULTS = [
  ['cut after the request', 4], //  it arrives, the answer never comes (E1)
  ['cut within the answer', 3],
  ['late', 30],
  ['sliced', 20],
  ['swallowed', 2], //              nothing comes any more; the connection dies seconds later
] as const
type Fault = (typeof FAULTS)[number][0]

/** A TCP proxy in front of a store, chain or facilitator that may do to a connection what networks do. */
export async function startProxy(
  target: { path: string } | { host: string; port: number },
  dice: Dice,
): Promise<FaultyProxy> {
  let on = false
  const count: Record<string, number> = {}
  const sockets = new Set<Socket>()
  let trap: { text: string; sprung(): void } | null = null
  const draw = (): Fault | null => {
    if (!on) return null
    let at = dice.whole(1_000)
    for (const [fault, permille] of FAULTS) {
      at -= permille
      if (at < 0) {
        count[fault] = (count[fault] ?? 0) + 1
        return fault
      }
    }
    return null
  }

  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ ...target, noDelay: true } as Parameters<typeof connect>[0] & object)
    const end = () => {
      near.destroy()
      far.destroy()
    }
    let deaf = false // the answer is no longer passed on
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    inOrder(near, async (piece) => {
      const fault = draw()
      if (fault === 'late') await sleep(dice.whole(300))
      far.write(piece)
      if (trap !== null && piece.includes(trap.text)) {
        deaf = true
        setTimeout(end, 3_000)
        trap.sprung()
        trap = null
      }
      if (fault === 'cut after the request') {
        deaf = true
        setTimeout(end, 30)
      }
      if (fault === 'swallowed') {
        deaf = true
        setTimeout(end, 3_000)
      }
    })
    inOrder(far, async (piece) => {
      if (deaf) return
      const fault = draw()
      if (fault === 'late') await sleep(dice.whole(300))
      if (fault === 'cut within the answer') {
        near.write(piece.subarray(0, dice.whole(piece.length)))
        deaf = true
        setTimeout(end, 10)
      } else if (fault === 'sliced') {
        const at = dice.whole(piece.length)
        near.write(piece.subarray(0, at))
        await sleep(5)
        near.write(piece.subarray(at))
      } else near.write(piece)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    faulty(wanted) {
      on = wanted
    },
    loseAnswerTo: (text) =>
      new Promise((resolve) => {
        trap = { text, sprung: resolve }
      }),
    faults: () => ({ ...count }),
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Pieces are handled one after the other: a late one does not get behind the next. */
function inOrder(socket: Socket, handle: (piece: Buffer) => Promise<void>): void {
  let last: Promise<void> = Promise.resolve()
  socket.on('data', (piece) => {
    last = last.then(() => handle(piece)).catch(() => {})
  })
}
