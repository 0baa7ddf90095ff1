import type { Readable } from 'node:stream'

const LONGEST_LINE = 8_192

/** Calls back with each line of a stream. What a line has beyond `longest` characters is dropped, not kept. */
export function onLines(stream: Readable, callback: (line: string) => void, longest = LONGEST_LINE): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const [first = '', ...others] = text.split('\n')
    rest = (rest + first).slice(0, longest)
    for (const other of others) {
      callback(rest.replace(/\r$/, ''))
      rest = other.slice(0, longest)
    }
  })
  stream.on('end', () => {
    if (rest !== '') callback(rest)
    rest = ''
  })
  stream.on('error', () => {}) //  the process is gone; its exit is what counts
}
