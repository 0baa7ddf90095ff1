/** @param tally alternates reason and count; a reason is given by its index in `REFUSED`. */
export function count(tally: number[], reason: number): void {
  for (let at = 0; at < tally.length; at += 2)
    if (tally[at] === reason) {
      tally[at + 1]!++
      return
    }
  tally.push(reason, 1)
}
