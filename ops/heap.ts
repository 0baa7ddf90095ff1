import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { setFlagsFromString } from 'node:v8'

/** Garbage that may gather before the whole heap is looked through, as a share of what lives, in percent. */
const GARBAGE_PERCENT = 30

/**
 * Bounds the heap of a process that holds the markets to about 1.3 times what it knows. Left alone V8 lets it grow to three or
 * four times that: at 20,000 markets a venue the engine took 980 MiB for 250 MiB of rows. Asked for here
 * and not on the command line, so that every way to start a process has it.
 */
export function keepHeapTight(): void {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`)
}

const THREADS = '/proc/self/task'
/** V8's own have the name of the program, or their own in later versions; those that read files and resolve names have another one. */
const COLLECTS = /^(?:node|V8Worker)$/m
/** By so much they are nicer than we are; the nicest there is is 19. */
export const STANDS_BACK = 10

/**
 * Lets the threads that look through a large heap beside us stand back. There are four of them, whatever the number of
 * processors: on two the engine itself, with 200,000 markets, stood still for up to 0.6 s meanwhile, and no longer than 0.2 s
 * since. Only Linux gives threads a priority of their own.
 */
export function letCollectorStandBack(): void {
  if (!existsSync(THREADS)) return
  const niceness = Math.min(19, getPriority() + STANDS_BACK)
  for (const id of readdirSync(THREADS).map(Number))
    if (id !== process.pid && COLLECTS.test(nameOf(id))) setPriority(id, niceness)
}

/** '' when the thread has ended. */
function nameOf(id: number): string {
  try {
    return readFileSync(`${THREADS}/${id}/comm`, 'utf8')
  } catch {
    return ''
  }
}
