import type { EpisodeRow } from '../contract/episodes.ts'
import type { FeedEvent } from '../contract/feed.ts'
import type { KeptRows } from '../core/boards/keptRows.ts'
import type { Changes, World } from './world.ts'

/** The `asOfMs` of a snapshot: the instant up to which each venue's data is complete; null: never seen. */
export type AsOf = { a: number | null; b: number | null }

/** The instant a body describes, market clock, and per venue whether its data may be acted on then. */
export type BodyAt = { nowMs: number; asOfMs: AsOf; fresh: { a: boolean; b: boolean } }

/** Newest entries of FEED_STREAM and EPISODE_STREAM; `0-0`: none. */
export type Position = { feedId: string; episodeId: string }

/** An event whose card is already JSON text; it gets the snapshotVersion of its publication. */
export type Told = Pick<FeedEvent, 'kind' | 'topic' | 'atMs'> & { pairId: string; cardJson: string }

/**
 * What is announced in the same step as a body. Written only if both streams still end at `behind`: otherwise somebody
 * has announced something we do not know of, or the store lost something.
 */
export type Story = { behind: Position; events: Told[]; ended: EpisodeRow[] }

/** Fields as JSON texts, and lists that may be long. */
export type Body = {
  asOf?: AsOf //  set when it was made before the instant it is asked for
  fields: Readonly<Record<string, string>>
  lists?: Readonly<Record<string, KeptRows>>
  story?: Story
}

/**
 * One published board. A board keeps what it likes between two publications; it is told what moved and asked for
 * its body when something is to be published. Adding a snapshot is adding one of these to a group in main.ts.
 */
export type Board = {
  name: string
  /** Called before the first body of a term, and again when the store is not as the board expected. */
  prepare?(): Promise<void>
  /** A new world: forget everything computed from the last one. */
  warm(world: World): void
  /** @returns whether the body may have changed. */
  note(changes: Changes): boolean
  /**
   * Called when nobody needs this engine until the next `note`. @returns whether a publication should follow at once.
   */
  rest?(): boolean
  /** Works off what moved, in steps between which others run: the body that is asked for next has little left to do. */
  approach?(world: World, at: BodyAt): Generator<void> | undefined
  body(world: World, at: BodyAt): Body
  /** The newest body has been published. @param position of the streams after its story; null: it had none. */
  published?(position: Position | null): void
  /**
   * Stores what the next engine continues with, as of the last publication, if it is due. Nothing waits for it.
   * @param isLast this engine publishes nothing more: it is due.
   */
  remember?(fence: number, isLast: boolean): Promise<void>
}

/**
 * Boards that are computed and published together. `everyMs`: changes lead to at most one publication in this time.
 * `aside`: the group takes long and is not urgent, so it must not hold up any other group.
 */
export type BoardGroup = { boards: readonly Board[]; everyMs: number; aside?: boolean }

export const jsonFields = (fields: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, JSON.stringify(value)]))
