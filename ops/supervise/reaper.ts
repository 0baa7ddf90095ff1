import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export type Reaper = {
  add(pid: number): void
  remove(pid: number): void
  /** We have ended everything ourselves. */
  dismiss(): Promise<void>
}

const MAIN = fileURLToPath(new URL('reaperMain.ts', import.meta.url))

/**
 * A process beside us that ends our children when we are gone without having ended them: after `kill -9` nobody
 * else would stop redis-server. It knows the process groups by what we write to its standard input and acts
 * when that closes. When it dies itself it is started again with the same list.
 */
export function startReaper(env: Record<string, string>, onTrouble: (text: string) => void): Reaper {
  const groups = new Set<number>()
  let dismissed = false
  let child: ChildProcess
  let again: NodeJS.Timeout | undefined
  const tell = (line: string) => child.stdin?.write(`${line}\n`)
  const start = () => {
    child = spawn(process.execPath, [MAIN], { env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
    child.stdin?.on('error', () => {})
    child.once('error', (error) => onTrouble(`no watchdog: ${error.message}`))
    child.once('exit', () => {
      if (!dismissed) again = setTimeout(start, 500)
    })
    for (const pid of groups) tell(`+${pid}`)
  }
  start()
  return {
    add(pid) {
      groups.add(pid)
      tell(`+${pid}`)
    },
    remove(pid) {
      groups.delete(pid)
      tell(`-${pid}`)
    },
    async dismiss() {
      dismissed = true
      clearTimeout(again)
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      tell('done')
      child.stdin?.end()
      await gone
    },
  }
}
