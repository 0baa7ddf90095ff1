import { andThen } from '../andThen.ts'
import { isProblem, type Problem } from '../errors.ts'
import type { Draft, GoodPorts, Sellable } from '../goods/good.ts'
import { isSignable } from '../receipts/canonical.ts'

/**
 * The good's answer, checked to be deliverable: its receipt covers the canonical JSON of the result, which not every
 * value has. A result that cannot be signed is refused here, before any money moves.
 */
export function draftOf<Input>(
  good: Sellable<Input>,
  input: Input,
  goods: GoodPorts,
): Draft | Problem | Promise<Draft | Problem> {
  return andThen(good.answer(input, goods), (draft) => (isProblem(draft) ? draft : proven(draft)))
}

/** The answer from a newer snapshot than the given one; null if there is none, or it cannot be delivered. */
export async function fresherDraftOf<Input>(
  good: Sellable<Input>,
  input: Input,
  goods: GoodPorts,
  snapshotVersion: number,
): Promise<Draft | null> {
  const draft = await good.answer(input, goods)
  if (isProblem(draft) || (draft.snapshotVersion ?? 0) <= snapshotVersion) return null
  const fresher = proven(draft)
  return isProblem(fresher) ? null : fresher
}

const proven = (draft: Draft): Draft | Problem =>
  isSignable(draft.result) ? draft : { problem: 'undeliverable' } // no error text: it may quote the buyer
