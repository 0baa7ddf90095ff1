import type { Redis } from 'ioredis'
import type { Board, BodyAt } from './board.ts'
import { ListStore } from './listStore.ts'
import { type Published, publish } from './publish.ts'
import { inTurns } from './turns.ts'
import type { World } from './world.ts'

/** Publishes one board and tracks what is stored of it. */
export class BoardPublisher {
  readonly #redis: Redis
  readonly board: Board
  readonly #lists: ListStore
  #preparedFor: string | null = null // fence

  constructor(redis: Redis, board: Board) {
    this.#redis = redis
    this.board = board
    this.#lists = new ListStore(board.name)
  }

  /** The long half of a publication, with pauses; what follows is quick. */
  async approach(world: World, fence: string, at: BodyAt): Promise<void> {
    await this.#prepare(fence)
    const steps = this.board.approach?.(world, at)
    if (steps !== undefined) await inTurns(steps)
  }

  /** @throws StaleFenceError, StoreMovedError, and anything the Redis client throws. */
  async publish(world: World, fence: string, at: BodyAt): Promise<Published> {
    const { board } = this
    try {
      await this.#prepare(fence)
      const body = board.body(world, at)
      const published = await publish(this.#redis, this.#lists, {
        name: board.name,
        fence: Number(fence),
        publishedMs: at.nowMs,
        asOfMs: body.asOf ?? at.asOfMs,
        body,
      })
      board.published?.(published.position)
      return published
    } catch (error) {
      this.#preparedFor = null
      throw error
    }
  }

  /**
   * What is not published, because that failed or is still to come, is not remembered either.
   * @param isLast nothing more will be published.
   * @throws StaleFenceError and anything the Redis client throws; what was published stays published.
   */
  async remember(fence: string, isLast = false): Promise<void> {
    if (this.#preparedFor === fence) await this.board.remember?.(Number(fence), isLast)
  }

  /** Reads what is stored when a term begins and after every failure, when it is unknown what was written. */
  async #prepare(fence: string): Promise<void> {
    if (this.#preparedFor === fence) return
    await Promise.all([this.#lists.read(this.#redis), this.board.prepare?.()])
    this.#preparedFor = fence
  }
}
