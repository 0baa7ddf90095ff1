import { DAY, HOUR } from '../../../../units.ts'
import { everyMonths } from '../cadence.ts'
import { day } from '../calendar.ts'
import { STATES } from '../states.ts'
import type { Family } from '../topic.ts'

const SUBJECTS =
  'Data Privacy|Clean Water|Rural Broadband|Ticket Resale|Right to Repair|Rent Relief|School Lunch|Drone Safety|Paid Leave|Wildfire Insurance|Sports Betting|Daylight Saving|Toll Road|Teacher Pay|Hospital Pricing|Solar Access|Plastic Bag|Voter Roll|Film Credit|Property Tax|Gun Storage|Cannabis Sales|Transit Funding|Crypto Reserve'.split(
    '|',
  )

/** One bill of one state, one deadline: a single market on each venue. */
export const bills: Family = {
  name: 'bills',
  weight: 6,
  capacity: STATES.length * SUBJECTS.length,
  twists: ['announce_vs_complete', 'different_deadline'],
  flips: false,
  cadence: (subject) => everyMonths(4, subject, 1, 5 * HOUR),
  topic: ({ subject, decideMs, twist }) => {
    const [state, code] = STATES[subject % STATES.length]!
    const bill = `${SUBJECTS[Math.floor(subject / STATES.length)]!} Act`
    const last = day(decideMs - DAY)
    const next = day(decideMs + (twist === 'different_deadline' ? 61 * DAY : 0))
    const introduce = twist === 'announce_vs_complete'
    const asks = introduce
      ? `Will the ${bill} be introduced in ${state} before ${next.short}?`
      : `Will the ${state} ${bill} become law before ${next.short}?`
    const initials = bill
      .split(' ')
      .map((word) => word.slice(0, 3))
      .join('')
      .toUpperCase()
    return {
      category: 'politics',
      tags: ['Politics', 'Legislation', state],
      shape: 'free',
      count: 1,
      a: {
        event: {
          title: `${state} ${bill} signed into law by ${last.monthDay}?`,
          rules: `This market will resolve to "Yes" if the ${bill} becomes law in ${state} by ${last.long}, 11:59 PM ET. Otherwise, this market will resolve to "No".\n\nPassage by one or both chambers alone does not count. The resolution source is official information from the state of ${state}.`,
        },
        markets: [
          {
            prop: 0,
            question: `Will the ${state} ${bill} be signed into law by ${last.long}?`,
            group: '',
          },
        ],
      },
      b: {
        events: [
          {
            series: `KX${introduce ? 'INTRO' : 'LAW'}${code}`,
            suffix: `${initials}-${next.monthCode}`,
            title: asks,
            sub: `Before ${next.short}`,
            extra: introduce
              ? 'Formal introduction in either chamber is enough.'
              : 'Passage alone does not count.',
          },
        ],
        markets: [
          {
            event: 0,
            prop: twist === null ? 0 : 1,
            code: next.code,
            title: asks,
            yes: introduce ? 'Introduced' : 'Becomes law',
            rules: introduce
              ? `If a bill named ${bill} is introduced in the legislature of ${state} before ${next.short}, then the market resolves to Yes.`
              : `If the ${bill} becomes law in ${state} before ${next.short}, then the market resolves to Yes.`,
          },
        ],
      },
    }
  },
}
