import { isYear } from './dates.ts'
import { STATE_CODES, STATE_NAMES } from './peoples.ts'
import { leagueOfWord } from './teams.ts'
import { textAt, type Word } from './words.ts'
import { wordSet } from './wordTable.ts'

/** Does this word only dress up the question where it stands? */
type IsDress = (words: readonly Word[], at: number) => boolean

const near = (known: ReadonlySet<string>, from: number, to: number): IsDress => {
  return (words, at) => {
    for (let place = at + from; place <= at + to; place++)
      if (place !== at && known.has(textAt(words, place))) return true
    return false
  }
}

const BANKS = wordSet(
  'fed fomc reserve rate rates policy monetary bank central ecb boe boj boc rba rbnz snb riksbank england japan canada',
)
const CUPS = wordSet('open masters cup championship championships invitational golf tennis chess this')
const LEAGUE_ENDS = wordSet(
  'league liga laliga bundesliga ligue epl basketball football baseball hockey this',
)
const TERMS = wordSet('season year month week tournament game match term time')
const SPORTS = wordSet(
  'football baseball basketball hockey soccer tennis golf wrestling men mens women womens',
)
const PARTY = wordSet('democratic democrat republican gop independent')
const ANY = wordSet(
  'a an any another the this that which no other listed same their its each following named single',
)
//  "the team foil" is not the foil of one
const ANY_TEAM = new Set([...ANY].filter((word) => word !== 'the'))
const MEASURES = wordSet('over above at between more less fewer under below a an any number')
//  done in person unless the rules say otherwise, which conditions.ts checks for meetings
const IN_PERSON = /^(?:meet|attend|visit|travel)/
//  a storm gets its name by a strength of its own
const STORMS = wordSet('storm storms cyclone cyclones system systems')
const NFL_PARTS = wordSet(
  'championship champions champion north south east west title conference seed wild playoff playoffs asian cup women',
)

/** "Over the entire season": to last for the entire month, or to play the whole match, is more than to do it in part. */
const isOverAll: IsDress = (words, at) => near(TERMS, 1, 2)(words, at) && near(OVER, -2, -1)(words, at)
const OVER = wordSet('over of')
const RATED = wordSet(
  'interest unemployment inflation mortgage tariff approval disapproval turnout growth funds target cpi tax',
)
const LENDERS = wordSet('fed fomc reserve bank ecb boe boj boc rba rbnz snb riksbank')
const RATES_MOVE = wordSet('cut cuts hike hikes change changes')
const GONE_TO = wordSet('runoff overtime')
const WON = wordSet('award trophy prize medal')
/** "Go to a runoff" asks whether there is one; "Who will the award go to" asks who wins it. */
const isGone: IsDress = (words, at) =>
  isCapital(words, at) || near(GONE_TO, 1, 4)(words, at) || near(WON, -4, -1)(words, at)
const JUDGES = wordSet('rule rules ruled ruling vote votes voted decide decides decided side sides testify')
const MEETINGS_NOT = wordSet('between any')
const TELLS_OF = wordSet('announce announces reveal reveals disclose discloses')
const GETS = wordSet('get gets given have has receive receives set')
//  "Fight to Go the Distance" is capitalised without being a name
const isCapital: IsDress = (words, at) => words[at]!.cap && textAt(words, at - 1) !== 'to'

const ELECTIONS = wordSet('election elections vote')
const ELECTED = wordSet(
  'presidential parliamentary legislative gubernatorial mayoral general federal state senatorial congressional snap us',
)

/**
 * "The next presidential election": a token of its own, since where a year is named beside it, it says no more than the
 * year.
 */
export const NEXT_ELECTION = 'nextelection'
const isNextElection: IsDress = (words, at) => {
  let place = at + 1
  while (words[place] !== undefined && (words[place]!.cap || ELECTED.has(words[place]!.text))) {
    if (ELECTIONS.has(textAt(words, place + 1))) return true
    place++
  }
  return ELECTIONS.has(textAt(words, place))
}

/** The first to finish in an election may still lose the runoff; a first round is recognised by the word "round". */
const isNoPlace: IsDress = (words) =>
  words.some(({ text }) => text === 'round') || !words.some(({ text }) => text.startsWith('finish'))

/** "The 2027 LPL season" */
const isOfYear: IsDress = (words, at) => words[at - 1]?.cap === true && isYear(words[at - 2])

/** "The Fed decision"; where rates are asked about, "the July 2027 decision". */
const isOfBank: IsDress = (words, at) =>
  near(BANKS, -3, -1)(words, at) ||
  ([1, 2].some((by) => words[at - by]?.month != null) && words.some(({ text }) => /^rates?$/.test(text)))

/**
 * Words that only dress a question up inside a phrase of theirs: "target rate", "Fed decision", "Survivor season 50".
 * Elsewhere they ask something else: on target, by decision, the player of the season.
 */
const DRESS_IN: ReadonlyMap<string, IsDress> = new Map<string, IsDress>([
  //  "the target for the overnight rate"
  ['target', near(wordSet('rate rates range band fed funds'), -2, 4)],
  ['decision', isOfBank],
  ['announcement', isOfBank],
  ['official', near(wordSet('rate rates cash nominee candidate trailer chart'), 1, 3)],
  ['entire', isOverAll],
  ['whole', isOverAll],
  ['pro', near(SPORTS, 1, 2)],
  [
    'season',
    (words, at) => besideNumber(words, at) || isLeague(textAt(words, at - 1)) || isOfYear(words, at),
  ],
  [
    'tournament',
    (words, at) =>
      CUPS.has(textAt(words, at - 1)) || (textAt(words, at - 1) === 'the' && textAt(words, at - 2) !== 'of'),
  ],
  [
    'candidate',
    (words, at) =>
      (PARTY.has(textAt(words, at - 1)) && /^(?:win|won)/.test(textAt(words, at + 1))) ||
      (textAt(words, at - 1) === 'the' && words[at + 1]?.cap === true),
  ],
  ['record', (words, at) => MEASURES.has(textAt(words, at + 1)) || words[at + 1]?.value != null],
  ['general', (words, at) => textAt(words, at + 1).startsWith('election')],
  //  "50 bps at any meeting" is not 50 bps over a year
  ['meeting', (words, at) => !near(MEETINGS_NOT, -2, -1)(words, at)],
  //  to be something still is to have been it all along
  ['still', () => false],
  //  "a race" is one of many: to win it is not to win the championship
  ['race', (words, at) => !(textAt(words, at - 1) === 'a' && /^w[io]ns?$/.test(textAt(words, at - 2)))],
  //  to announce the price of a thing is not to announce the thing
  ['price', (words, at) => !near(TELLS_OF, -3, -1)(words, at)],
  ['primary', isNoPlace],
  ['election', (words, at) => isNoPlace(words, at) && !(words[at]!.dash && textAt(words, at - 1) === 'by')],
  //  "the Calendar Grand Slam"
  ['calendar', near(TERMS, 1, 1)],
  ['club', (words, at) => textAt(words, at + 1) !== 'world'],
  ['person', (words, at) => textAt(words, at - 1) !== 'in' || words.some(({ text }) => IN_PERSON.test(text))],
  ['named', (words, at) => !near(STORMS, 1, 2)(words, at)],
  //  "IEM Cologne Major"; a major attack is no mere attack
  [
    'major',
    (words, at) => words[at]!.cap && (words[at - 1]?.cap === true || textAt(words, at + 1) === 'league'),
  ],
  //  "the New York Times"
  ['time', (words, at) => !words[at]!.cap || words[at - 1]?.cap !== true],
  ['individual', near(ANY, -1, -1)],
  ['team', (words, at) => words[at]!.cap || besideName(words, at) || ANY_TEAM.has(textAt(words, at - 1))],
  //  "Oslo at Lima: Player Goals"
  ['player', near(wordSet('goals assists points shots saves rebounds'), 1, 1)],
  ['memorial', near(wordSet('trophy cup award'), 1, 1)],
  ['afc', (words, at) => besideName(words, at) && !NFL_PARTS.has(textAt(words, at + 1))],
  //  small verbs that are all that is asked, where the other side has none: "choose a leader" is not to have one
  ['make', (words, at) => isCapital(words, at) || near(RATES_MOVE, 1, 5)(words, at)],
  ['take', isCapital],
  ['go', isGone],
  ['goes', isGone],
  ['choose', isCapital],
  ['select', isCapital],
  //  "rule against" is not to rule
  ['against', (words, at) => !near(JUDGES, -3, -1)(words, at)],
  //  something scheduled by a day has not happened by it
  [
    'scheduled',
    (words, at) =>
      !/^(?:be|been|gets?)$/.test(textAt(words, at - 1)) && !/^(?:by|before)$/.test(textAt(words, at + 1)),
  ],
  //  the birth rate is not the number of births
  [
    'rate',
    (words, at) =>
      words[at]!.text === 'rates' ||
      near(RATED, -2, 3)(words, at) ||
      words.some(({ text }) => LENDERS.has(text)),
  ],
  ['date', (words, at) => !near(GETS, -5, -1)(words, at) && !near(TELLS_OF, -3, -1)(words, at)],
])

const besideNumber: IsDress = (words, at) =>
  (words[at - 1]?.value ?? null) !== null || (words[at + 1]?.value ?? null) !== null

const besideName: IsDress = (words, at) => words[at - 1]?.cap === true || words[at + 1]?.cap === true

const isLeague = (text: string): boolean => LEAGUE_ENDS.has(text) || leagueOfWord(text) !== null

//  The prize is named before it: "the MVP award", "Rookie of the Year award"
const PRIZE_NAMES = wordSet('mvp year boot ball glove young opoy dpoy')
//  What central banks announce is what they do: "announce no change", "announce a 25 bps cut"
const MOVES = wordSet('no bps bp change cut hike increase decrease')
//  Statistics that are themselves a change: "inflation increases by 3%" is inflation of 3%
const CHANGES = wordSet('inflation cpi gdp ppi pce')
const GROWS = wordSet('increase increases increased rise rises rose grow grows growth')
const PRIZE = wordSet('award awards')
//  Men's and women's titles of tennis: doubles are called so
const ALONE = wordSet('men mens women womens')
const ANNOUNCE = wordSet('announce announces')

/** The word that a word means beside its neighbours; null when it has no special meaning there. */
function meantBeside(words: readonly Word[], at: number): string | null {
  const { text } = words[at]!
  const [before, after] = [textAt(words, at - 1), textAt(words, at + 1)]
  if (text === 'annual' || text === 'monthly')
    return CHANGES.has(after) ? (text === 'annual' ? 'yoy' : 'mom') : null
  //  "Men's Wimbledon Singles"
  if (text === 'singles') return words.some((word) => ALONE.has(word.text)) ? DRESSED : null
  if (text === 'real') return after === 'gdp' ? DRESSED : null
  if (text === 'inflation')
    return before === 'pce' ? DRESSED : /^(?:annual|monthly|cpi|headline)$/.test(before) ? 'cpi' : null
  if (text === 'fixed') return after === 'mortgage' ? DRESSED : null
  //  "LoL Worlds"
  if (text === 'championship') return before === 'world' && words.some(isLol) ? DRESSED : null
  if (text === 'scorer') return before === 'touchdown' ? DRESSED : null
  if (text === 'top') return after === 'goalscorer' ? 'leadsin' : null
  if (text === 'goalscorer') return before === 'top' ? 'goal' : null
  if (GROWS.has(text))
    return CHANGES.has(before) || (before === 'core' && CHANGES.has(textAt(words, at - 2))) ? DRESSED : null
  if (PRIZE.has(text)) return PRIZE_NAMES.has(before) ? DRESSED : null
  if (ANNOUNCE.has(text)) return isMove(words, at + 1) ? DRESSED : null
  return null
}

const isLol = ({ text }: Word): boolean => text === 'lol' || text === 'legends'

const BESIDE = new Set([
  ...wordSet('annual monthly inflation real singles fixed championship scorer top goalscorer'),
  ...GROWS,
  ...PRIZE,
  ...ANNOUNCE,
])
//  a word that only dresses a question up, see lexicon.ts
const DRESSED = 'officially'

const isMove = (words: readonly Word[], at: number): boolean => {
  const from = /^(?:an?|the)$/.test(textAt(words, at)) ? at + 1 : at
  const moves = [from, from + 1].some(
    (place) => MOVES.has(textAt(words, place)) || words[place]?.unit === 'bps',
  )
  return moves && words.some(({ text }) => BANKS.has(text))
}

//  "make the playoffs", "make the 2027 NBA Finals"
const STAGES = near(wordSet('playoff playoffs final finals semifinal semifinals quarterfinals'), 1, 5)

const LEAD = wordSet('lead leads leading leader')
const STATISTICS = wordSet(
  `goals assists points rebounds blocks steals stolen threes made rbi rbis runs hits home homers triples doubles walks
  strikeouts saves wins era batting ops yards passing rushing receiving receptions touchdowns sacks tackles interceptions
  shutouts scoring kills`,
)

/** "Lead the MLB in stolen bases", "leader after Round 1": a table that is led, not a country. */
function leadsTable(words: readonly Word[], at: number): boolean {
  for (let place = at + 1; place <= at + 6; place++) {
    const text = textAt(words, place)
    if (text === 'in' && near(STATISTICS, 1, 2)(words, place)) return true
    if (text === 'round' && words[place + 1]?.value != null) return true
  }
  return false
}

/** "Whom Trump will next nominate" need not be a chair; "the next chair" may be the last to be nominated. */
const ACTS = wordSet(
  'nominate announce appoint pick name fire pardon visit meet leave play join sign host strike attack invade release',
)
const isNextAct = (words: readonly Word[], at: number): boolean =>
  ACTS.has(textAt(words, at + 1)) && (words[at - 1]?.cap === true || textAt(words, at - 1) === 'will')

/** "Win at least 10 games", "win 10 regular season games": a number of wins. */
function isWon(words: readonly Word[], at: number): boolean {
  let place = at - 1
  let isCounted = false
  for (; place > at - 7 && (words[place]?.value != null || COUNTING.has(textAt(words, place))); place--)
    isCounted ||= words[place]!.value !== null
  return isCounted && /^w[io]ns?$/.test(textAt(words, place))
}
const COUNTING = wordSet('at least or more over fewer less than under exactly above regular season')

const OFFICES = wordSet(
  'senate house governor gubernatorial senator legislature assembly attorney lieutenant',
)
const STATES: ReadonlyMap<string, string> = new Map(
  [...STATE_NAMES].map(([name, code]) => [code, name.replace('_', '')]),
)

const PASS = wordSet('pass passes passed')
const CHAMBERS = wordSet('house senate congress parliament')
/** A chamber passes a bill, and a bill passes a chamber: the order does not matter. */
export const isPassedBill: IsDress = (words, at) =>
  PASS.has(words[at]!.text) && words.some(({ text }) => CHAMBERS.has(text))

/** What a word means where it stands, when that is not what it means by itself; else null. */
export function inPhrase(words: readonly Word[], at: number): string | null {
  const { text, cap } = words[at]!
  if (text.length === 2 && text !== 'go') {
    //  "French PM", not an hour
    if (text === 'pm') return cap && words[at - 1]?.value == null ? 'primeminister' : null
    //  "the SC Senate race"; elsewhere such letters belong to a club or are a word
    if (!cap || (text !== 'st' && !STATE_CODES.has(text))) return null
    if (OFFICES.has(textAt(words, at + 1))) return STATES.get(text)!
    //  "Ohio St." is a college, "St. Louis" a city
    if (text === 'st') return words[at - 1]?.cap === true && words[at + 1]?.cap !== true ? 'state' : null
    return text === 'sc' && textAt(words, at - 1) === 'in' ? STATES.get(text)! : null
  }
  if (LEAD.has(text)) return leadsTable(words, at) ? 'leadsin' : null
  if ((text === 'make' || text === 'makes') && STAGES(words, at)) return 'qualify'
  if (text === 'next')
    return isNextElection(words, at) ? NEXT_ELECTION : isNextAct(words, at) ? 'nextact' : null
  if (isPassedBill(words, at)) return 'passbill'
  if (text === 'games') return isWon(words, at) ? DRESSED : null
  if (BESIDE.has(text)) {
    const meant = meantBeside(words, at)
    if (meant !== null) return meant
  }
  const known = DRESS_IN.get(text) ?? (text.endsWith('s') ? DRESS_IN.get(text.slice(0, -1)) : undefined)
  if (known === undefined || known(words, at)) return null
  return `${text.endsWith('s') ? text.slice(0, -1) : text}!`
}
