import { PROBLEMS } from '../../errors.ts'
import type { ProblemRow } from '../../problems/problem.ts'
import type { Section } from '../content/content.ts'
import type { SitePage } from './sitePage.ts'

const GROUPS: readonly { id: string; title: string; note: string; has(status: number): boolean }[] = [
  {
    id: 'pay',
    title: '402: pay, or pay differently',
    note: 'No money has moved, unless the row says that some has. Read the terms of this answer, then sign what they say.',
    has: (status) => status === 402,
  },
  {
    id: 'again',
    title: '429 and 5xx: send it again',
    note: 'After `Retry-After`, the same request with the same payment. A payment is never taken twice; do not sign a new one.',
    has: (status) => status === 429 || status >= 500,
  },
  {
    id: 'conflict',
    title: '409 and 410: this payment belongs elsewhere',
    note: 'The payment, the intent or the id was used for something else, or its time is over.',
    has: (status) => status === 409 || status === 410,
  },
  {
    id: 'change',
    title: 'Other 4xx: change the request',
    note: 'Sent again unchanged, it gets the same answer. Nothing is charged, unless the row says that something was.',
    has: () => true,
  },
]

const ROWS = Object.entries<ProblemRow>(PROBLEMS)

const groupOf = (status: number): string => GROUPS.find(({ has }) => has(status))!.id

/** Every refusal. `type` of a problem body is `/errors#code`: each row is a place to link to. */
export const errors: SitePage = {
  place: 'errors',
  description: 'Every problem code with its status, whether to try again, and what to do next.',
  content: () => ({
    lead: [
      'A refusal is `application/problem+json` (RFC 9457) with `ok: false`, `code`, `retryable` and `next`. Branch on `code`; the words may change. `type` is the address of its row here.',
      'A refusal charges nothing. The exceptions say so: what was paid is in the ledger, and the same payment sent again gets its answer.',
    ],
    sections: GROUPS.map(sectionOf),
  }),
  data: () => ({
    errors: ROWS.map(([code, { status, retryable, title, next }]) => ({
      code,
      type: `/errors#${code}`,
      status,
      retryable,
      title,
      next,
    })),
  }),
}

function sectionOf({ id, title, note }: (typeof GROUPS)[number]): Section {
  const rows = ROWS.filter(([, { status }]) => groupOf(status) === id)
  return {
    id: `status-${id}`,
    title,
    blocks: [
      { note },
      {
        table: {
          caption: `${rows.length} codes`,
          head: ['Code', 'Status', 'Try again', 'What it says', 'What to do'],
          rows: rows.map(([code, { status, retryable, title: says, next }]) => [
            `\`${code}\``,
            String(status),
            retryable ? 'yes' : 'no',
            says,
            next,
          ]),
          ids: rows.map(([code]) => code),
        },
      },
    ],
  }
}
