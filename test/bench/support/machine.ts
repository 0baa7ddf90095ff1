import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'

/** What the figures were measured on. `load`: running processes just before, averaged over a minute. */
export type Machine = {
  cpu: string
  cores: number
  memoryGiB: number
  system: string
  node: string
  load: number
}

export const readMachine = (): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${type()} ${release()}`,
  node: process.version,
  load: Math.round(loadavg()[0]! * 100) / 100,
})

/** Core of the measured server, and core of everything else. null: no pinning here. */
export const CORES: { server: string; others: string } | null = canPin() ? { server: '0', others: '1' } : null

function canPin(): boolean {
  if (availableParallelism() < 2) return false
  try {
    execFileSync('taskset', ['-c', '0,1', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Puts a command on one core. */
export const pinned = (core: string | undefined, command: string, args: string[]): [string, string[]] =>
  core === undefined ? [command, args] : ['taskset', ['-c', core, command, ...args]]

const TICKS_PER_SECOND = 100 //  USER_HZ, the same on every Linux that Node runs on

/** CPU time that a process and its ended children have used so far, ms, to 10 ms; null where it cannot be read. */
export function cpuMsOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number)
    return ((user! + system! + childUser! + childSystem!) * 1_000) / TICKS_PER_SECOND
  } catch {
    return null
  }
}
