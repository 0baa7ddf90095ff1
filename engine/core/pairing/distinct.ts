import type { TickerFacts } from './ticker.ts'
import type { Token } from './tokens.ts'
import { type Vocabulary, WEIGHT } from './vocabulary.ts'

/** Each word once; the party a ticker names counts as said. */
export function distinct(
  tokens: readonly Token[],
  ticker: TickerFacts | null,
  vocabulary: Vocabulary,
): Token[] {
  const found: Token[] = []
  let weights = 0
  for (const token of tokens) {
    const at = found.findIndex(({ id }) => id === token.id)
    if (at === -1) {
      found.push(token)
      weights |= vocabulary.weight(token.id)
      continue
    }
    const known = found[at]!
    if ((token.cap && !known.cap) || (token.quoted && !known.quoted))
      found[at] = { ...known, cap: known.cap || token.cap, quoted: known.quoted || token.quoted }
  }
  if (ticker?.party != null) {
    const id = vocabulary.id(ticker.party)
    if (!found.some((token) => token.id === id)) found.push({ id, cap: true, quoted: false, at: -1 })
  }
  return (weights & WEIGHT.absorbing) === 0 ? found : absorb(found, vocabulary)
}

const CONTROLLED = ['house', 'senate', 'statehouse', 'statesenate']

/** Drops words that another word of the question already implies. */
function absorb(found: readonly Token[], vocabulary: Vocabulary): Token[] {
  const seen = new Map(found.map((token) => [token.id, token]))
  const drop = (word: string) => seen.delete(vocabulary.id(word))
  //  to win a party's primary or its nomination is to be its nominee
  const primary = seen.get(vocabulary.id('primary'))
  const ofParty = seen.has(vocabulary.id('democratic')) || seen.has(vocabulary.id('republican'))
  if (primary !== undefined && ofParty && seen.has(vocabulary.id('win'))) {
    drop('primary')
    seen.set(vocabulary.id('nominee'), { ...primary, id: vocabulary.id('nominee') })
  }
  if (seen.has(vocabulary.id('nominee'))) drop('win')
  //  a numbered seat says by itself that it is one of the House
  if (found.some(({ id }) => vocabulary.words[id]!.startsWith('seat:')))
    for (const word of ['house', 'seat', 'district', 'congress']) drop(word)
  //  a chart says by itself what is on it
  if (seen.has(vocabulary.id('hot100'))) drop('song')
  if (seen.has(vocabulary.id('billboard200'))) drop('album')
  //  to control a chamber after an election is to have won it
  const control = seen.get(vocabulary.id('control'))
  if (control !== undefined && CONTROLLED.some((chamber) => seen.has(vocabulary.id(chamber)))) {
    drop('control')
    const win = vocabulary.id('win')
    if (!seen.has(win)) seen.set(win, { ...control, id: win })
  }
  return [...seen.values()]
}
