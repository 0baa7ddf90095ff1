import type { Redis } from 'ioredis'
import type { Hex } from 'viem'
import { z } from 'zod'
import { JsonText } from '../../../ops/jsonText.ts'
import { type Mark, nameOf } from '../../ledger/marks.ts'
import { writeOn } from '../../ledger/scripts.ts'
import type { ChainHead, ChainView } from '../../settlement/port.ts'
import { blockOf } from './blockSince.ts'
import type { BookId } from './tokenPlaces.ts'

/** The purpose of the work: to open money, or to rebuild the ledger. */
type Work = 'joined' | 'rebuilt'

const Block = z.string().regex(/^\d+$/).transform(BigInt)
const Stored = JsonText.pipe(z.object({ mark: z.string(), from: Block, until: Block, hash: z.string() }))

/**
 * How far the work on a ledger with closed money has got: such a ledger does not change, so a later run resumes from
 * there. It is kept in that ledger, so that a copy only knows its own progress, and is valid for one mark: once money
 * was open, the ledger has changed.
 */
export type Progress = {
  /** The last block done, if the chain still has it; null: nothing of the range is done. @throws UnavailableError */
  after(from: bigint, chain: Pick<ChainView, 'blockAt'>): Promise<ChainHead | null>
  keep(from: bigint, end: ChainHead): Promise<void>
}

export function createProgress(redis: Redis, rail: BookId, work: Work, mark: Mark): Progress {
  const key = `books:${rail}:${work}`
  return {
    async after(from, chain) {
      const { data: told } = Stored.safeParse(await redis.get(key))
      if (told === undefined || told.mark !== nameOf(mark) || told.from > from || told.until < from)
        return null
      const block = await blockOf(chain, told.until)
      return block.hash === told.hash ? block : null
    },
    async keep(from, { number, hash }) {
      const told: Record<keyof z.infer<typeof Stored>, string | Hex> = {
        mark: nameOf(mark),
        from: String(from),
        until: String(number),
        hash,
      }
      await writeOn(redis)('SET', key, JSON.stringify(told)) //  must work in a full ledger too
    },
  }
}
