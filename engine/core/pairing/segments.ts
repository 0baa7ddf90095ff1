import type { Sport } from './sports.ts'
import { wordTable } from './wordTable.ts'

/** The part of a game that is asked about, '' for all of it. */
export function readSegment(asked: string, sport: Sport | null): string {
  const set = /\b(set|map) (\d)\b/i.exec(asked)
  if (set !== null) return `${set[1]!.toLowerCase()} ${set[2]}`
  const game = /\bgame (\d) winner\b/i.exec(asked)
  if (game !== null) return sport === 'esports' ? `map ${game[1]}` : `game ${game[1]}`
  const half = /\b(first|1st|second|2nd) half\b|\b(1|2)h\b|\bh(1|2)\b/i.exec(asked)
  if (half !== null) return /^(?:first|1|h1)/i.test(half[0]) ? 'half 1' : 'half 2'
  const part = /\b(first|1st|second|2nd|third|3rd|fourth|4th) (quarter|period|5 innings|inning)\b/i.exec(
    asked,
  )
  return part === null ? '' : part[0].toLowerCase().replace(/^\w+/, (word) => NUMBERED.get(word) ?? word)
}

/** A part of the game that the ticker names, though the title may not: KXNBA1HWINNER, KXNFL2QTOTAL, KXMLBF5. */
export function segmentOfSeries(series: string): string | null {
  if (/^KX(?:MLB|NCAABASEBALL)F5/.test(series)) return '1st 5 innings'
  const part = /^KX[A-Z]+([1-4])([HQP])(?=$|WINNER|GAME|ML|TOTAL|SPREAD|BTTS|DRAW|TIE)/.exec(series)
  if (part === null) return null
  const [, nth, kind] = part as unknown as [string, string, string]
  return kind === 'H' ? `half ${nth}` : `${ORDINALS[nth]} ${kind === 'Q' ? 'quarter' : 'period'}`
}

const NUMBERED = wordTable<string>({
  first: '1st',
  second: '2nd',
  third: '3rd',
  fourth: '4th',
})
const ORDINALS: Readonly<Record<string, string>> = { 1: '1st', 2: '2nd', 3: '3rd', 4: '4th' }

/** The unit of a match of sets and games, or of maps and rounds: 20.5 of one is not 20.5 of the other. */
export function readUnit(asked: string, sport: Sport | null): string {
  if (sport !== 'tennis' && sport !== 'esports') return ''
  const unit = (/\b(?:sets|games|maps|rounds|points)\b/i.exec(asked)?.[0] ?? 'games').toLowerCase()
  return sport === 'esports' && unit === 'games' ? 'maps' : unit
}
