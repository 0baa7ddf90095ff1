import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { SECOND } from './units.ts'

/** Garbage that may gather before the whole heap is looked through, as a share of what lives, in percent. */
const GARBAGE_PERCENT = 30

/**
 * Bounds the heap of a process that holds the markets to about 1.3 times what it knows. Left alone V8 lets it grow to three or
 * four times that: at 20,000 markets a venue the engine took 980 MiB for 250 MiB of rows. Asked for here
 * and not on the command line, so that every way to start a process has it.
 * @param garbagePercent more where little lives and much dies.
 */
export function keepHeapTight(garbagePercent = GARBAGE_PERCENT): void {
  setFlagsFromString(`--heap-growing-percent=${garbagePercent}`)
}

/** Its share of what is used may be garbage, bytes: 43 MiB beside 35 that live, 60 beside 100; beside 240 and more it is the share above. */
const ROOM = 96 * 1024 * 1024
/** Most garbage there, as a share of what lives, in percent. */
const MOST_PERCENT = 200
const LOOK_MS = 1 * SECOND

/**
 * As above, for a process that answers: what an answer waits with grows old and dies soon after. Where few markets are held a share of
 * what lives was so little that fifty thousand reads a second had the whole heap looked through every half second, and one of
 * a hundred waited 36 ms for that.
 */
export function keepHeapTightBesideAnswers(): void {
  const look = () => {
    const percent = Math.floor((100 * ROOM) / getHeapStatistics().used_heap_size)
    keepHeapTight(Math.min(MOST_PERCENT, Math.max(GARBAGE_PERCENT, percent)))
  }
  look()
  setInterval(look, LOOK_MS).unref()
}

/**
 * For a process through which much flows that lies beside its heap, as pages do that are read: only collections of what is young give
 * that back, and the more room young things have, the later they come. Left alone hundreds of megabytes a sweep had the
 * whole heap looked through every 1.3 seconds, which was a fifth of what ingest worked at 200,000 markets. To be called first.
 */
export function keepYoungSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** In a rest the heap is looked through once so much of the room for garbage is used, in percent. */
const REST_PERCENT = 50

/**
 * Looks through the whole heap now, if there is garbage enough; to be called when nobody waits for this process. Left alone V8
 * begins where a limit is reached, which is in the midst of work: at 200,000 markets prices were late by up to three seconds then.
 */
export function collectAtRest(): void {
  setFlagsFromString(`--incremental-marking-hard-trigger=${REST_PERCENT}`)
  //  V8 compares with its limits when something large is put into the old part, as the table of an old set that grows is
  for (let at = 0; at < LARGE; at++) nudge.add(at)
  nudge.clear()
  setFlagsFromString('--incremental-marking-hard-trigger=0')
}

const nudge = new Set<number>()
/** A set of more has a table that lies in the space of large objects. */
const LARGE = 5_000

/** The heap is looked through by its limits and at rest, and not by a clock of V8's own besides. To be called first. */
export function collectByLimits(): void {
  setFlagsFromString('--no-memory-reducer')
}

/** Of the threads that mark the heap beside us. */
const HELPERS_NICE = 10

/**
 * Threads that help V8 give way to what works: while the heap is looked through they take whole processors otherwise, from us and from
 * everybody we wait for. Where the kernel does not show its threads nothing is done.
 */
export function letHelpersGiveWay(): void {
  try {
    for (const thread of readdirSync('/proc/self/task').map(Number)) {
      const name = readFileSync(`/proc/self/task/${thread}/comm`, 'utf8')
      if (thread !== process.pid && !/^(libuv|Delayed)/.test(name)) setPriority(thread, HELPERS_NICE)
    }
  } catch {
    //  no such kernel, or a thread that has just ended: it costs time and nothing else
  }
}
