import { type Paint, printable } from './terminal.ts'

const GAP = '  '

/** Rows of columns, the first row is the head. The last column is cut where the line ends; foreign text made printable. */
export function table(
  rows: readonly (readonly string[])[],
  { columns, right = [], paint }: { columns: number; right?: readonly number[]; paint: Paint },
): string {
  const clean = rows.map((row) => row.map((cell) => printable(cell).replaceAll(/\s+/g, ' ')))
  const widths = (clean[0] ?? []).map((_, at) => Math.max(...clean.map((row) => row[at]?.length ?? 0)))
  const last = widths.length - 1
  return clean
    .map((row, line) => {
      const cells = row.map((cell, at) =>
        at === last ? cell : right.includes(at) ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!),
      )
      const text = cells.join(GAP).trimEnd()
      const cut = text.length > columns ? `${text.slice(0, columns - 1)}…` : text
      return `${line === 0 ? paint('bold', cut) : cut}\n`
    })
    .join('')
}
