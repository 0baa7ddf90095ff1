import type { Redis } from 'ioredis'
import { partsKey } from '../contract/snapshot.ts'
import type { Part } from '../core/boards/rowParts.ts'

/** Publications for which a part stays that is no longer named: readers in the middle of an older value still find it. */
export const PARTS_KEPT = 4
/** The others go with the next publication. */
export const DROPPED_AT_ONCE = 1_000

/** What a publication does to the shelf. `put` and `drop` are to be stored and to be deleted, the rest is for `commit`. */
export type ShelfChange = {
  before: number // parts stored
  put: Part[]
  drop: string[]
  named: readonly Part[]
  arriving: readonly Part[]
  leaving: readonly Part[]
}

/**
 * Which parts of a board's lists are stored, as far as this engine knows; the publishing script checks their number. Most
 * parts are named again where they were named before, so only the others are looked at.
 */
export class PartShelf {
  #named: readonly Part[] = []
  readonly #uses = new Map<string, number>() //      digest → how often it is named now
  readonly #leftOver = new Map<string, number>() // digest → the publication that named it last, oldest first
  #publications = 0

  async read(redis: Redis, name: string): Promise<void> {
    this.#named = []
    this.#uses.clear()
    this.#leftOver.clear()
    for (const digest of await redis.hkeys(partsKey(name))) this.#leftOver.set(digest, this.#publications)
  }

  /** What has to be written so that all of `named` are there. Nothing is remembered before `commit`. */
  plan(named: readonly Part[]): ShelfChange {
    const before = this.#named
    const isOther = (x: Part, y: Part | undefined) => x !== y && x.digest !== y?.digest
    const arriving = named.filter((part, at) => isOther(part, before[at]))
    const leaving = before.filter((part, at) => isOther(part, named[at]))
    const coming = new Map(arriving.map((part) => [part.digest, part]))
    const put = [...coming.values()].filter(
      ({ digest }) => !this.#uses.has(digest) && !this.#leftOver.has(digest),
    )
    const drop: string[] = []
    for (const [digest, last] of this.#leftOver) {
      if (this.#publications - last < PARTS_KEPT || drop.length === DROPPED_AT_ONCE) break
      if (!coming.has(digest)) drop.push(digest)
    }
    return { before: this.#uses.size + this.#leftOver.size, put, drop, named, arriving, leaving }
  }

  commit({ named, arriving, leaving, drop }: ShelfChange): void {
    for (const { digest } of leaving) {
      const uses = this.#uses.get(digest)! - 1
      if (uses > 0) this.#uses.set(digest, uses)
      else {
        this.#uses.delete(digest)
        this.#leftOver.set(digest, this.#publications)
      }
    }
    for (const { digest } of arriving) {
      this.#leftOver.delete(digest)
      this.#uses.set(digest, (this.#uses.get(digest) ?? 0) + 1)
    }
    for (const digest of drop) this.#leftOver.delete(digest)
    this.#named = named
    this.#publications++
  }
}
