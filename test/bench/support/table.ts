import type { BenchResult } from './frame.ts'
import type { Machine } from './machine.ts'
import type { Ratio, Round } from './statistics.ts'

export const machineLine = (machine: Machine, pinned: boolean): string =>
  `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}, Node ${machine.node}, ` +
  `load before ${machine.load}; ${pinned ? 'server on core 0, everything else on core 1' : 'nothing pinned'}`

/** Requests per second and what they cost, then each ratio against its target. */
export function resultTable({ name, title, remarks, rows, ratios }: BenchResult): string {
  const head = ['', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs/req', 'its core', 'load core', 'bytes']
  const lines = rows.map((row) => [
    row.contender,
    count(row.perSecond),
    row.p50Ms.toFixed(2),
    row.p99Ms.toFixed(2),
    row.cpuMicros === null ? '?' : row.cpuMicros.toFixed(1),
    row.coreShare === null ? '?' : percent(row.coreShare),
    percent(row.generatorShare),
    String(Math.round(row.bytes)),
  ])
  return [
    `${name}: ${title}`,
    '',
    ...align([head, ...lines]).map((line) => `  ${line}`),
    '',
    ...ratios.map((ratio) => `  ${ratioLine(ratio)}`),
    ...rows
      .filter(wasHeldUp)
      .map((row) => `  ! ${row.contender} was held up by something else than its work or the load:`),
    ...(rows.some(wasHeldUp)
      ? ['    a busy machine, or waiting. Then only the ratio by CPU per request says something.']
      : []),
    ...remarks.map((remark) => `  ${remark}`),
    '',
  ].join('\n')
}

/** Something else was the limit: neither the server nor the generator used most of its core. */
const BUSY_SHARE = 0.8
const wasHeldUp = ({ coreShare, generatorShare }: Round): boolean =>
  coreShare !== null && coreShare < BUSY_SHARE && generatorShare < BUSY_SHARE

function ratioLine({ against, perSecond, range, cpu, target, met }: Ratio & { against: string }): string {
  const byCpu = cpu === null ? '' : `, by CPU per request ${times(cpu)}`
  const rounds = `rounds ${times(range[0])} to ${times(range[1])}`
  return `${met ? 'reached' : 'MISSED '}  ${times(perSecond)} × ${against} (${rounds}${byCpu}); target ≥ ${target}`
}

const percent = (share: number): string => `${Math.round(share * 100)} %`
const times = (ratio: number): string => (ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(1))
const count = (value: number): string => Math.round(value).toLocaleString('en-US')

/** First column to the left, numbers to the right. */
function align(table: string[][]): string[] {
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  return table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  )
}
