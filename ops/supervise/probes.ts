import { connect } from 'node:net'
import { z } from 'zod'
import { messageOf } from '../errors.ts'
import { SECOND } from '../units.ts'

const PROBE_TIMEOUT_MS = 3 * SECOND

const Readiness = z.object({
  ok: z.boolean(),
  checks: z.array(z.object({ name: z.string(), problem: z.string().nullable() })).default([]),
})

/** Asks a process's own /readyz. @returns null when 200, else its problems in one line. */
export async function probeReadyz(url: string): Promise<string | null> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })
    const { ok, checks } = Readiness.parse(await response.json())
    if (response.status === 200 && ok) return null
    const problems = checks.filter(({ problem }) => problem !== null)
    return (
      problems.map(({ name, problem }) => `${name}: ${problem}`).join('; ') || `status ${response.status}`
    )
  } catch (error) {
    const refused = error instanceof Error && /fetch failed/.test(error.message)
    return refused ? `${url}/readyz does not answer yet` : `${url}/readyz: ${messageOf(error)}`
  }
}

/** PING over the wire; a server that still loads its append-only file answers -LOADING, which is not ready. */
export function probeRedis(
  listen: { socket: string } | { port: number; host: string },
): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect('socket' in listen ? { path: listen.socket } : listen)
    const done = (problem: string | null) => {
      socket.destroy()
      resolve(problem)
    }
    socket.setTimeout(PROBE_TIMEOUT_MS, () => done('no answer to PING'))
    socket.once('error', (error) => done(messageOf(error)))
    socket.once('connect', () => socket.write('PING\r\n'))
    socket.once('data', (data) => {
      const answer = data.toString('utf8').trim()
      done(answer === '+PONG' ? null : answer.slice(0, 200))
    })
  })
}
