import { ServiceError } from '../../ops/errors.ts'
import { RpcError, TooMuchError } from './rpc.ts'

/** Blocks asked for at once: few at first, since what we look for has mostly just happened; half after each failure. */
const BLOCKS = { first: 64n, largest: 10_000n }
/** Answers in a row, after a failure, before a larger range is tried again. */
const STEADY_ANSWERS = 16

export type Range = { from: bigint; to: bigint } // both included
export type Span = ReturnType<typeof createSpan>

/**
 * How many blocks a node answers for at once, as far as is known. Kept from walk to walk, and shared by concurrent
 * walks; one per kind of question, because some find more in a block than others.
 */
export function createSpan() {
  let blocks = BLOCKS.first
  let steady = 0
  return {
    blocks: (): bigint => blocks,
    answered(asked: bigint): void {
      if (asked < blocks) return //  the end of a range: says nothing about more
      if (steady > 0) steady--
      else blocks = 2n * blocks < BLOCKS.largest ? 2n * blocks : BLOCKS.largest
    },
    refused(asked: bigint): void {
      if (asked / 2n < blocks) blocks = asked / 2n
      steady = STEADY_ANSWERS
    },
  }
}

/**
 * Reads a range of blocks part by part, without a gap: where the node gives no answer for that many blocks but may for
 * fewer, parts become narrower, down to one block. What was yielded stays read.
 * @throws what `read` throws, when fewer blocks would not help or one is too many.
 */
export async function* readRanges<T>(
  span: Span,
  { from, to, newestFirst = false }: Range & { newestFirst?: boolean },
  read: (range: Range) => Promise<T>,
): AsyncGenerator<[Range, T]> {
  let [low, high] = [from, to]
  while (low <= high) {
    const left = high - low + 1n
    const asked = span.blocks() < left ? span.blocks() : left
    const range = newestFirst ? { from: high - asked + 1n, to: high } : { from: low, to: low + asked - 1n }
    let found: T
    try {
      found = await read(range)
    } catch (error) {
      if (asked === 1n || !mayHelp(error)) throw error
      span.refused(asked)
      continue
    }
    span.answered(asked)
    yield [range, found]
    if (newestFirst) high = range.from - 1n
    else low = range.to + 1n
  }
}

/**
 * Whether fewer blocks may help: the node refused, or failed, or took too long. Rails carry the refusal as their cause.
 */
function mayHelp(error: unknown): boolean {
  const met = error instanceof ServiceError && error.cause !== undefined ? error.cause : error
  return met instanceof RpcError || met instanceof TooMuchError
}
