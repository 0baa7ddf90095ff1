import { DAY, HOUR } from '../../../../units.ts'
import { everyMs } from '../cadence.ts'
import { day } from '../calendar.ts'
import { FILMS, film } from '../names.ts'
import type { Family } from '../topic.ts'

const STRIKES = 5

/** Opening weekend in million dollars, against a ladder. Figures are exact: 'above' has no twin. */
export const openings: Family = {
  name: 'openings',
  weight: 8,
  capacity: FILMS,
  twists: ['different_threshold', 'different_measure'],
  flips: false,
  cadence: (_, dice) => everyMs(28 * DAY, dice.int('week', 4) * 7 * DAY + 3 * DAY + 18 * HOUR, 6 * HOUR),
  topic: ({ subject, slotDice, decideMs, twist }) => {
    const { title, code } = film(subject)
    const at = day(decideMs - 3 * DAY)
    const base = 10 + slotDice.int('base', 12) * 5
    const step = slotDice.pick('step', [5, 10])
    const offset = twist === null ? 0 : STRIKES
    const extra = twist === 'different_threshold' ? 2 : 0
    const measure = twist === 'different_measure' ? 'worldwide' : 'domestic'
    const ladder = Array.from({ length: STRIKES }, (_, i) => base + i * step)
    return {
      category: 'entertainment',
      tags: ['Pop Culture', 'Movies', 'Box Office'],
      shape: 'falling',
      count: STRIKES,
      a: {
        event: {
          title: `"${title}" Opening Weekend Box Office`,
          rules: `This market will resolve to "Yes" if "${title}" grosses more than the listed amount domestically in its 3-day opening weekend starting ${at.long}. Otherwise, this market will resolve to "No".\n\nThe resolution source is the "Domestic 3-day weekend" figure of The Numbers once the value is final (i.e. not studio estimates). Previews count as reported there.`,
        },
        markets: ladder.map((amount, prop) => ({
          prop,
          question: `Will "${title}" gross more than $${amount}m domestically in its opening weekend?`,
          group: `>$${amount}m`,
        })),
      },
      b: {
        events: [
          {
            series: measure === 'domestic' ? 'KXBOXOFFICE' : 'KXBOXOFFICEWW',
            suffix: `${code}-${at.code}`,
            title: `${title} ${measure} opening weekend box office?`,
            sub: `${at.short} weekend`,
            extra: `Only the final ${measure} figure of the first three days counts, as published by The Numbers.`,
          },
        ],
        markets: ladder.map((amount, i) => ({
          event: 0,
          prop: offset + i,
          code: `T${amount + extra}`,
          title: `${title} ${measure} opening weekend box office above $${amount + extra} million?`,
          yes: `Above $${amount + extra} million`,
          rules: `If ${title} grosses more than $${amount + extra} million in its ${measure} opening weekend starting ${at.short}, then the market resolves to Yes.`,
          strike: { type: 'greater' as const, floor: (amount + extra) * 1_000_000 },
        })),
      },
    }
  },
}

const SCORES = [60, 70, 80, 90] as const

/** Critics' scores are whole numbers, so "at least 80" and "above 80" differ: a twist of its own. */
export const scores: Family = {
  name: 'scores',
  weight: 6,
  capacity: FILMS,
  twists: ['different_shape', 'different_measure'],
  flips: false,
  cadence: (_, dice) => everyMs(28 * DAY, dice.int('week', 4) * 7 * DAY + 5 * DAY + 15 * HOUR, 6 * HOUR),
  topic: ({ subject, decideMs, twist }) => {
    const { title, code } = film(subject)
    const at = day(decideMs)
    const offset = twist === null ? 0 : SCORES.length
    const above = twist === 'different_shape'
    const who = twist === 'different_measure' ? 'audience' : 'critics'
    return {
      category: 'entertainment',
      tags: ['Pop Culture', 'Movies', 'Rotten Tomatoes'],
      shape: 'falling',
      count: SCORES.length,
      a: {
        event: {
          title: `"${title}" Rotten Tomatoes score?`,
          rules: `This market will resolve to "Yes" if the critics score (Tomatometer) of "${title}" on Rotten Tomatoes is the listed number or higher on ${at.long} at ${at.hour} ET. Otherwise, this market will resolve to "No".\n\nThe score is a whole number. If no score is shown, this market will resolve to "No".`,
        },
        markets: SCORES.map((score, prop) => ({
          prop,
          question: `Will "${title}" score at least ${score} on Rotten Tomatoes on ${at.monthDay}?`,
          group: `${score}+`,
        })),
      },
      b: {
        events: [
          {
            series: who === 'critics' ? 'KXRT' : 'KXRTAUDIENCE',
            suffix: `${code}-${at.code}`,
            title: `${title} Rotten Tomatoes ${who} score?`,
            sub: `On ${at.short}`,
            extra: `Only the ${who} score shown on ${at.short} at ${at.hour} ${at.zone} counts. It is a whole number.`,
          },
        ],
        markets: SCORES.map((score, i) => ({
          event: 0,
          prop: offset + i,
          code: String(score),
          title: `${title} Rotten Tomatoes ${who} score ${above ? `above ${score}` : `${score} or higher`} on ${at.short}?`,
          yes: above ? `Above ${score}` : `At least ${score}`,
          rules: `If ${title} has a ${who} score ${above ? `above ${score}` : `of at least ${score}`} on Rotten Tomatoes on ${at.short}, then the market resolves to Yes.`,
          strike: above
            ? { type: 'greater' as const, floor: score }
            : { type: 'greater_or_equal' as const, floor: score },
        })),
      },
    }
  },
}
