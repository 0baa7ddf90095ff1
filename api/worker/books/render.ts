import { formatUnits } from 'viem'
import { formatUsdc, HOUR } from '../../../ops/units.ts'
import type { GoneSale } from './bookGone.ts'
import { CLASSES, isUnexplainedClass } from './classes.ts'
import type { Unexplained } from './joinBooks.ts'
import { type BookId, unitOf } from './tokenPlaces.ts'
import type { WholeBooks } from './withPart.ts'

/** The most unexplained entries that are printed one by one. */
const NAMED = 50

export function renderBooks(rail: BookId, books: WholeBooks, nowMs: number): string {
  const sum = amountsOf(rail)
  const { from, until, classes, unexplained, unexplainedCount, followedCount, unlistedFrom } = books
  const lines = [
    `blocks ${from} to ${until}, ${books.receivers.join(', ')}`,
    `arrived       ${sum(books.inflowMicroUsdc)}`,
    ...CLASSES.map(
      (name) => `${name.padEnd(13)} ${sum(classes[name].microUsdc)}  ${classes[name].count} transfers`,
    ),
    `explained     ${sum(explainedOf(books))}`,
    `unexplained   ${sum(books.unexplainedMicroUsdc)}  ${unexplainedCount} entries`,
    ...(followedCount > 0
      ? [
          `  ${followedCount} of them from outside these blocks: the worker follows them until they are explained`,
        ]
      : []),
    ...unexplained.slice(0, NAMED).map((entry) => line(sum, entry, nowMs)),
    ...(unexplainedCount > NAMED ? [`  … and ${unexplainedCount - NAMED} more: see --json`] : []),
    ...(unlistedFrom === null
      ? []
      : [`  … and smaller ones that the worker does not list: see --from-block ${unlistedFrom}`]),
  ]
  return `${lines.join('\n')}\n`
}

export const booksJson = (rail: BookId, books: WholeBooks): string =>
  `${JSON.stringify(
    {
      rail,
      ...books,
      explainedMicroUsdc: explainedOf(books),
    },
    (_, value) => (typeof value === 'bigint' ? value.toString() : value),
    2,
  )}\n`

const explainedOf = ({ classes }: WholeBooks): bigint =>
  CLASSES.reduce((sum, name) => (isUnexplainedClass(name) ? sum : sum + classes[name].microUsdc), 0n)
/** How amounts of these books are written. */
function amountsOf(rail: BookId): (atomic: bigint) => string {
  const { asset, decimals } = unitOf(rail)
  return (atomic) => `${formatUnits(atomic, decimals)} ${asset}`.padStart(18)
}
export const sumOf = (entries: readonly Unexplained[]) =>
  entries.reduce((sum, { microUsdc }) => sum + microUsdc, 0n)
const line = (
  sum: ReturnType<typeof amountsOf>,
  { why, tx, logIndex, payer, microUsdc, atMs }: Unexplained,
  nowMs: number,
) => {
  const age = atMs === null ? '' : `  ${((nowMs - atMs) / HOUR).toFixed(1)} h old`
  return `  ${why.padEnd(12)} ${sum(microUsdc)}  ${tx} log ${logIndex}  from ${payer}${age}`
}

const OUTCOMES = {
  reversed: (receipt: string) => `is reversed in the books, and receipt ${receipt} is revoked`,
  already: (receipt: string) => `was reversed before, and receipt ${receipt} is revoked`,
  watched: () => 'is still watched: the worker reverses it, and restores it if the money returns',
}
/** What --book did about a sale whose money is gone. */
export const renderGone = ({ receipt, microUsdc, outcome }: GoneSale): string =>
  `its sale of ${formatUsdc(microUsdc)} USDC ${OUTCOMES[outcome](receipt)}`
