import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { onLines } from './lines.ts'

export type Spawn = {
  command: string
  args: string[]
  env: Record<string, string>
  /** Our own node mains get a channel to us: they drain and stop when it closes. */
  ipc: boolean
  found?: string //  message for a person about what it left behind
  standsBack?: true // runs where the others leave a core idle
}

export type Exit = { code: number | null; signal: NodeJS.Signals | null; words: string }

export type Child = {
  pid: number //  also the id of its process group
  exited: Promise<Exit>
  signal(name: NodeJS.Signals): void
}

const LAST_LINES = 30

/**
 * Starts one process at the head of a process group of its own: Ctrl-C on the terminal reaches only us, so that
 * we decide the order of stopping, and what the process starts itself can be ended with it. When it has ended,
 * the rest of its group is ended too.
 * @param onLine every line it writes, cut at 8 KB.
 */
export function startChild(
  { command, args, env, ipc, standsBack }: Spawn,
  onLine: (line: string) => void,
): Child {
  const child = spawn(command, args, {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  })
  if (standsBack && child.pid !== undefined) standBack(child.pid)
  const last: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue
    onLines(stream, (line) => {
      last.push(line)
      if (last.length > LAST_LINES) last.shift()
      onLine(line)
    })
  }
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, words: error.message }))
    child.once('exit', (code, signal) => {
      killGroup(child.pid, 'SIGKILL')
      //  its last lines may still be in the pipe
      const done = () => resolve({ code, signal, words: last.join('\n') })
      const timer = setTimeout(done, 500)
      child.once('close', () => {
        clearTimeout(timer)
        done()
      })
    })
  })
  return {
    pid: child.pid ?? -1,
    exited,
    signal: (name) => {
      if (name === 'SIGKILL') killGroup(child.pid, name)
      else if (child.exitCode === null && child.signalCode === null) child.kill(name)
    },
  }
}

const BACK_NICE = 10

/**
 * Lowers the priority before the process has threads, which inherit it. Where Linux shares cores by sessions
 * (autogroup), each of our processes is a session.
 */
function standBack(pid: number): void {
  try {
    setPriority(pid, BACK_NICE)
    writeFileSync(`/proc/${pid}/autogroup`, String(BACK_NICE))
  } catch {
    // it has ended already, or this system has no such thing
  }
}

/** Ends a whole process group; one that is gone already is fine. */
export function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined || pid <= 1) return
  try {
    process.kill(-pid, signal)
  } catch {
    // nobody left
  }
}

/** Does anybody of a process group still run? A zombie counts: it is gone soon. */
export function hasGroup(pid: number): boolean {
  try {
    process.kill(-pid, 0)
    return true
  } catch {
    return false
  }
}
