import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { SECOND } from './units.ts'

/** Garbage that may gather before a collection of the whole heap, as a percentage of live data. */
const GARBAGE_PERCENT = 30

/**
 * Bounds the heap of a process that holds the markets to about 1.3 times its live data. By default V8 lets it grow to
 * three or four times that: at 20,000 markets per venue the engine took 980 MiB for 250 MiB of rows. Set here and not
 * on the command line, so that it holds however the process is started.
 * @param garbagePercent higher where little lives and much dies.
 */
export function keepHeapTight(garbagePercent = GARBAGE_PERCENT): void {
  setFlagsFromString(`--heap-growing-percent=${garbagePercent}`)
}

/**
 * Bytes; the live share of the used heap times this may be garbage: 43 MiB with 35 MiB live, 60 with 100. From 240 MiB
 * live on GARBAGE_PERCENT applies.
 */
const ROOM = 96 * 1024 * 1024
/** The most garbage allowed there, as a percentage of live data. */
const MOST_PERCENT = 200
const LOOK_MS = 1 * SECOND

/**
 * The same for a process that answers requests: what a waiting answer holds grows old and dies soon after. With few
 * markets a percentage of live data was so little that fifty thousand reads a second caused a collection of the whole
 * heap every half second, and one answer in a hundred waited 36 ms for it.
 */
export function keepHeapTightBesideAnswers(): void {
  keepAnswersYoung()
  const look = () => {
    const percent = Math.floor((100 * ROOM) / getHeapStatistics().used_heap_size)
    keepHeapTight(Math.min(MOST_PERCENT, Math.max(GARBAGE_PERCENT, percent)))
  }
  look()
  setInterval(look, LOOK_MS).unref()
}

/**
 * Keeps V8 from making objects old from the start where earlier ones lived long. Requests that wait for the ledger look
 * as if they did; made old, they die in milliseconds, yet keep what they refer to alive until the whole heap is
 * collected. That was a kilobyte of garbage per read: at 12,000 reads a second the whole heap was collected every second
 * or two, and each time reads were held up for 20 to 40 ms.
 */
function keepAnswersYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}

/**
 * For a process that handles much data outside its heap, such as the pages it reads: only collections of the young
 * generation free that, and the more room it has, the later they come. By default hundreds of megabytes per sweep
 * caused a collection of the whole heap every 1.3 seconds, a fifth of ingest's work at 200,000 markets. Must be called
 * first.
 */
export function keepYoungSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/**
 * Collects the young generation in the thread that needs the room, without V8's helper threads. Little survives there,
 * so that it is the work of less than a millisecond; but a thread that is to help must first be given a processor, and
 * everybody waited for that: 2 to 33 ms on one core of a busy machine.
 */
export function collectYoungAlone(): void {
  setFlagsFromString('--no-parallel-scavenge')
}

/** At rest, the whole heap is collected once this percentage of the room for garbage is used. */
const REST_PERCENT = 50

/**
 * Collects the whole heap now if there is enough garbage; to be called when nobody waits for this process. By default
 * V8 starts when a limit is reached, in the midst of work: at 200,000 markets prices were up to three seconds late
 * then.
 */
export function collectAtRest(): void {
  setFlagsFromString(`--incremental-marking-hard-trigger=${REST_PERCENT}`)
  //  V8 checks its limits when something large enters the old generation, such as the table of an old set that grows
  for (let at = 0; at < LARGE; at++) nudge.add(at)
  nudge.clear()
  setFlagsFromString('--incremental-marking-hard-trigger=0')
}

const nudge = new Set<number>()
/** The table of a set with more items lies in the space of large objects. */
const LARGE = 5_000

/** Collects the whole heap only at its limits and at rest, not by V8's own timer as well. Must be called first. */
export function collectByLimits(): void {
  setFlagsFromString('--no-memory-reducer')
}

/** Nice value of the threads that mark the heap beside us. */
const HELPERS_NICE = 10

/**
 * Lowers the priority of V8's helper threads: during a collection they otherwise take whole processors from us and from
 * everybody we wait for. Does nothing where the kernel does not show its threads.
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
