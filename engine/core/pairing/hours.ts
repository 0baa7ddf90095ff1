const CLOCK =
  /\b(\d{1,2})(?::(\d{2}))? ?([ap])\.?m\b|\b([01]?\d|2[0-3]):([0-5]\d)(?=(?::\d{2})? (?:in the )?(?:et|est|edt)\b)/gi
const NOON = 720
const DAY_MINUTES = 1_440

/** Does each text name an hour of the day, with none in common? The last minute of a day only ends it. */
export function areOtherHours(x: string, y: string): boolean {
  const [ofX, ofY] = [hoursIn(x), hoursIn(y)]
  return ofX.length > 0 && ofY.length > 0 && !ofX.some((minutes) => ofY.includes(minutes))
}

/** Minutes since midnight. */
function hoursIn(text: string): readonly number[] {
  const found: number[] = []
  for (const [, hour, minute, half, hour24, minute24] of text.matchAll(CLOCK)) {
    const minutes =
      hour === undefined
        ? Number(hour24) * 60 + Number(minute24)
        : (Number(hour) % 12) * 60 + Number(minute ?? 0) + (/p/i.test(half!) ? NOON : 0)
    if (minutes > 0 && minutes < DAY_MINUTES - 1) found.push(minutes)
  }
  return found
}
