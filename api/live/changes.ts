import type { LiveBoard, LiveSection } from './liveBoard.ts'

/** The JSON text of every section, so that what did not change is neither compared nor written twice. */
export type SectionTexts = Readonly<Record<LiveSection, string>>

export function sectionTexts({ ok: _, ...sections }: LiveBoard): SectionTexts {
  const texts = Object.entries(sections).map(([name, section]) => [name, JSON.stringify(section)])
  return Object.fromEntries(texts) as SectionTexts
}

/** JSON of the whole board: what `JSON.stringify(board)` gives. */
export const wholeText = (texts: SectionTexts): string => `{"ok":true,${members(Object.entries(texts))}}`

/** JSON of the sections that changed, or null when none did but the clock, which always does. */
export function changedText(before: SectionTexts, after: SectionTexts): string | null {
  const changed = Object.entries(after).filter(
    ([name, text]) => name !== 'clock' && before[name as LiveSection] !== text,
  )
  return changed.length === 0 ? null : `{${members([...changed, ['clock', after.clock]])}}`
}

const members = (texts: [string, string][]) => texts.map(([name, text]) => `"${name}":${text}`).join(',')

/** One server-sent event. JSON text holds no line break. */
export const sseEvent = (event: 'board' | 'change' | 'clock', data: string): string =>
  `event: ${event}\ndata: ${data}\n\n`
