import type { Redis } from 'ioredis'
import { partsKey } from '../contract/snapshot.ts'

/** Publications for which a part stays that is no longer named: readers in the middle of an older value still find it. */
export const PARTS_KEPT = 4

export type ShelfChange = { before: number; put: { digest: string; text: string }[]; drop: string[] }

/** Which parts of a board's lists are stored, as far as this engine knows; the publishing script checks their number. */
export class PartShelf {
  //  digest → publications since it was named last
  #stored = new Map<string, number>()

  async read(redis: Redis, name: string): Promise<void> {
    this.#stored = new Map((await redis.hkeys(partsKey(name))).map((digest) => [digest, 0]))
  }

  /** What has to be written so that all of `named` are there. Nothing is remembered before `commit`. */
  plan(named: Iterable<{ digest: string; text: string }>): ShelfChange {
    const wanted = new Map([...named].map((part) => [part.digest, part]))
    const put = [...wanted.values()].filter(({ digest }) => !this.#stored.has(digest))
    const drop = [...this.#stored].flatMap(([digest, unnamed]) =>
      wanted.has(digest) || unnamed < PARTS_KEPT ? [] : [digest],
    )
    return { before: this.#stored.size, put, drop }
  }

  commit(named: Iterable<{ digest: string }>, { drop }: ShelfChange): void {
    for (const [digest, unnamed] of this.#stored) this.#stored.set(digest, unnamed + 1)
    for (const { digest } of named) this.#stored.set(digest, 0)
    for (const digest of drop) this.#stored.delete(digest)
  }
}
