import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * When a process began, according to the system: together with the process id it names one process, while the id alone
 * is given to others later. null: there is no such process (a zombie counts as none).
 */
export function processStart(pid: number): string | null {
  return process.platform === 'linux' ? linuxStart(pid) : psStart(pid)
}

export const isSameProcess = (pid: number, start: string): boolean => processStart(pid) === start

/** Field 22 of /proc/<pid>/stat (clock ticks since boot), with the boot it counts from. Field 3 is the state, 20 the threads. */
function linuxStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ') //  the name may hold spaces and brackets
    //  a process is called a zombie even while other threads of it still hold its ports and files
    if (fields[0] === 'Z' && Number(fields[17]) <= 1) return null
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${fields[19]}`
  } catch {
    return null
  }
}

function psStart(pid: number): string | null {
  try {
    const [state, ...start] = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .trim()
      .split(/\s+/)
    return state === undefined || state.startsWith('Z') ? null : start.join(' ')
  } catch {
    return null
  }
}
