import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { letHelpersGiveWay } from '../../../ops/heap.ts'

/** Prints the niceness of this process's threads: the main one, V8's helpers, and those that read files. */
await readFile(new URL(import.meta.url)) //  starts those that read files
letHelpersGiveWay()
const threads = readdirSync('/proc/self/task').map(Number)
const named = (name: RegExp) =>
  threads
    .filter(
      (thread) => thread !== process.pid && name.test(readFileSync(`/proc/self/task/${thread}/comm`, 'utf8')),
    )
    .map((thread) => getPriority(thread))
process.stdout.write(
  JSON.stringify({ main: getPriority(process.pid), helpers: named(/^(node|V8)/), files: named(/^libuv/) }),
)
