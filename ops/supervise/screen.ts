import { relative } from 'node:path'
import { plain } from './readable.ts'

/** What the person at the terminal sees. One line per event; colour only where there is a terminal for it. */
export type Screen = {
  title(text: string): void
  ready(label: string, tookMs: number, detail?: string): void
  note(label: string, text: string): void
  warn(label: string, text: string): void
  error(label: string, text: string): void
  block(text: string): void //  several lines as they are: last words, instructions
}

/** A path as one would type it from here: relative inside the working folder, absolute elsewhere. */
export function shortPath(path: string): string {
  const fromHere = relative(process.cwd(), path)
  return fromHere.startsWith('..') ? path : fromHere || '.'
}

export function createScreen(
  output: { write(text: string): unknown },
  { colour }: { colour: boolean },
): Screen {
  const paint = (code: number, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text)
  const line = (mark: string, label: string, text: string) =>
    output.write(`${mark} ${label.padEnd(15)} ${text}\n`)
  return {
    title: (text) => output.write(`${paint(1, plain(text))}\n`),
    ready: (label, tookMs, detail = '') =>
      line(
        paint(32, '✓'),
        label,
        `${(tookMs / 1_000).toFixed(1)} s${detail === '' ? '' : `  ${plain(detail)}`}`,
      ),
    note: (label, text) => line(paint(2, '·'), label, plain(text)),
    warn: (label, text) => line(paint(33, '!'), label, plain(text)),
    error: (label, text) => line(paint(31, '✗'), label, plain(text)),
    block: (text) =>
      output.write(
        `${text
          .split('\n')
          .map((part) => `    ${plain(part)}`)
          .join('\n')}\n`,
      ),
  }
}
