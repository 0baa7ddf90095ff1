import { threadId } from 'node:worker_threads'
import type { Task } from '../../../../../api/goods/utility/pool/work.ts'

/** Well-behaved and ill-behaved work, for the pool's own tests. */
const TEMPERS: Record<string, (text: string) => Record<string, unknown>> = {
  count: (text) => ({ chars: text.length }),
  where: () => ({ threadId }),
  spin: () => {
    for (;;);
  },
  hoard: () => {
    const kept: unknown[] = []
    for (;;) kept.push(new Array(1_000_000).fill(kept.length + 0.5))
  },
  quote: (text) => {
    throw new SyntaxError(`unexpected ${text}`)
  },
}

export const standInWork = ({ sku, input }: Task) => ({
  result: TEMPERS[sku]!((input as { q: string }).q),
  snapshotVersion: null,
})

export default standInWork
