/**
 * `<slot> <JSON of the row>`; nothing follows the blank where the slot is empty. The parts are written one after the
 * other: joining them and converting the result to bytes would hold every row in memory once more.
 */
export type RowLine = readonly string[]

/** What a publication needs of a long list that knows what changed since it was published last. */
export type KeptRows = {
  /** How many rows there are. */
  readonly count: number
  /** How many slots hold another row than at the last publication, or none any more. */
  readonly changed: number
  /** Lines of the slots that changed. */
  changes(): Iterable<RowLine>
  /** Lines of all rows. */
  all(): Iterable<RowLine>
  /** JSON of `OrderRuns` that describe the whole order. */
  order(): string
  /** JSON of `OrderRuns` that describe the order relative to the last publication; null when it is the same. */
  runs(): string | null
  /** Marks all of it as published: later changes are relative to this state. */
  settle(): void
  /** The rows as one JSON array, best first. */
  inline(): string
}

/** `OrderRuns` that describe `order` relative to `before`, each slot once; null when both are the same. */
export function runsBetween(before: Int32Array, order: Int32Array): number[] | null {
  if (order === before || Buffer.compare(bytesOf(order), bytesOf(before)) === 0) return null
  let most = 0
  for (const slot of before) if (slot > most) most = slot
  if (ranks.length <= most) ranks = new Int32Array(2 * most + 1)
  for (let rank = 0; rank < before.length; rank++) ranks[before[rank]!] = rank
  const runs: number[] = []
  for (let at = 0; at < order.length; ) {
    const slot = order[at]!
    const from = ranks[slot] ?? 0 //  a rank left by an earlier call never points at this slot in `before`
    let end = at + 1
    if (before[from] === slot) while (end < order.length && order[end] === before[from + end - at]) end++
    if (end === at + 1) runs.push(slot)
    else runs.push(at - end, from)
    at = end
  }
  return runs
}

/** Rank of each slot, while runs are worked out; kept because fresh memory for it costs more than what is done in it. */
let ranks = new Int32Array()

const bytesOf = (slots: Int32Array): Uint8Array =>
  new Uint8Array(slots.buffer, slots.byteOffset, slots.byteLength)
