import type { Redis } from 'ioredis'
import { partsKey } from '../contract/snapshot.ts'
import type { Part } from '../core/boards/rowParts.ts'

/** Publications for which a part stays that is no longer named: readers in the middle of an older value still find it. */
export const PARTS_KEPT = 4

export type ShelfChange = { before: number; put: Part[]; drop: string[] }

/** Which parts of a board's lists are stored, as far as this engine knows; the publishing script checks their number. */
export class PartShelf {
  //  digest → the publication that named it last
  #stored = new Map<string, number>()
  #publications = 0

  async read(redis: Redis, name: string): Promise<void> {
    this.#stored = new Map((await redis.hkeys(partsKey(name))).map((digest) => [digest, this.#publications]))
  }

  /** What has to be written so that all of `named` are there. Nothing is remembered before `commit`. */
  plan(named: Iterable<Part>): ShelfChange {
    const wanted = new Map([...named].map((part) => [part.digest, part]))
    const put = [...wanted.values()].filter(({ digest }) => !this.#stored.has(digest))
    const drop: string[] = []
    for (const [digest, last] of this.#stored)
      if (this.#publications - last >= PARTS_KEPT && !wanted.has(digest)) drop.push(digest)
    return { before: this.#stored.size, put, drop }
  }

  commit(named: Iterable<{ digest: string }>, { drop }: ShelfChange): void {
    this.#publications++
    for (const { digest } of named) this.#stored.set(digest, this.#publications)
    for (const digest of drop) this.#stored.delete(digest)
  }
}
