import { wordTable } from './wordTable.ts'

/** City and nickname of the teams of a league. Venue A says both, venue B the city, with initials where two share it. */
const LINES: Readonly<Record<string, string>> = {
  nfl: `arizona/cardinals atlanta/falcons baltimore/ravens buffalo/bills carolina/panthers chicago/bears
    cincinnati/bengals cleveland/browns dallas/cowboys denver/broncos detroit/lions green_bay/packers houston/texans
    indianapolis/colts jacksonville/jaguars kansas_city/chiefs las_vegas/raiders los_angeles/chargers
    los_angeles/rams miami/dolphins minnesota/vikings new_england/patriots new_orleans/saints new_york/giants
    new_york/jets philadelphia/eagles pittsburgh/steelers san_francisco/49ers seattle/seahawks tampa_bay/buccaneers
    tennessee/titans washington/commanders`,
  mlb: `arizona/diamondbacks atlanta/braves baltimore/orioles boston/red_sox chicago/cubs chicago/white_sox
    cincinnati/reds cleveland/guardians colorado/rockies detroit/tigers houston/astros kansas_city/royals
    los_angeles/angels los_angeles/dodgers miami/marlins milwaukee/brewers minnesota/twins new_york/mets
    new_york/yankees -/athletics philadelphia/phillies pittsburgh/pirates san_diego/padres san_francisco/giants
    seattle/mariners st_louis/cardinals tampa_bay/rays texas/rangers toronto/blue_jays washington/nationals`,
  nba: `atlanta/hawks boston/celtics brooklyn/nets charlotte/hornets chicago/bulls cleveland/cavaliers
    dallas/mavericks denver/nuggets detroit/pistons golden_state/warriors houston/rockets indiana/pacers
    los_angeles/clippers los_angeles/lakers memphis/grizzlies miami/heat milwaukee/bucks minnesota/timberwolves
    new_orleans/pelicans new_york/knicks oklahoma_city/thunder orlando/magic philadelphia/76ers phoenix/suns
    portland/trail_blazers sacramento/kings san_antonio/spurs toronto/raptors utah/jazz washington/wizards`,
  nhl: `anaheim/ducks boston/bruins buffalo/sabres calgary/flames carolina/hurricanes chicago/blackhawks
    colorado/avalanche columbus/blue_jackets dallas/stars detroit/red_wings edmonton/oilers florida/panthers
    los_angeles/kings minnesota/wild montreal/canadiens nashville/predators new_jersey/devils new_york/islanders
    new_york/rangers ottawa/senators philadelphia/flyers pittsburgh/penguins san_jose/sharks seattle/kraken
    st_louis/blues tampa_bay/lightning toronto/maple_leafs utah/mammoth vancouver/canucks vegas/golden_knights
    washington/capitals winnipeg/jets`,
  wnba: `atlanta/dream chicago/sky connecticut/sun dallas/wings golden_state/valkyries indiana/fever
    las_vegas/aces los_angeles/sparks minnesota/lynx new_york/liberty phoenix/mercury portland/fire seattle/storm
    toronto/tempo washington/mystics`,
}

type Team = { id: string; city: readonly string[]; nickname: readonly string[]; initials: string }

const TEAMS: ReadonlyMap<string, readonly Team[]> = new Map(
  Object.entries(LINES).map(([league, line]) => [
    league,
    line
      .trim()
      .split(/\s+/)
      .map((entry) => {
        const [city, nickname] = entry.split('/') as [string, string]
        const words = nickname.split('_')
        return {
          id: `${league}#${nickname}`,
          city: city === '-' ? [] : city.split('_'),
          nickname: words,
          initials: words.map((word) => word[0]).join(''),
        }
      }),
  ]),
)

/** Teams by the words a name of theirs may begin with: a text is asked about at each of its words. */
const BY_FIRST_WORD: ReadonlyMap<string, ReadonlyMap<string, readonly Team[]>> = new Map(
  [...TEAMS].map(([league, teams]) => {
    const byWord = new Map<string, Team[]>()
    for (const team of teams)
      for (const word of new Set([team.nickname[0]!, ...team.city.slice(0, 1)]))
        byWord.set(word, [...(byWord.get(word) ?? []), team])
    return [league, byWord]
  }),
)

/** Words of the text that name the league a question is about. */
const LEAGUES_BY_WORD = wordTable<string>({
  nfl: 'nfl',
  superbowl: 'nfl',
  mlb: 'mlb',
  worldseries: 'mlb',
  nba: 'nba',
  nbafinals: 'nba',
  nhl: 'nhl',
  stanleycup: 'nhl',
  wnba: 'wnba',
})

export const LEAGUE_WORDS = [...LEAGUES_BY_WORD.keys()]

export function leagueOfWord(text: string): string | null {
  return LEAGUES_BY_WORD.get(text) ?? null
}

/**
 * The team named by words[at…], or null. `raw` holds folded lower-case words as written, before any
 * joining of phrases. A city alone names a team only when the league has one there.
 */
export function readTeam(
  league: string,
  raw: readonly string[],
  at: number,
): { id: string; length: number } | null {
  const teams = BY_FIRST_WORD.get(league)?.get(raw[at] ?? '')
  if (teams === undefined) return null
  let best: { id: string; length: number } | null = null
  const offer = (id: string, length: number) => {
    if (best === null || length > best.length) best = { id, length }
  }
  for (const team of teams) {
    if (startsWith(raw, at, team.nickname)) offer(team.id, team.nickname.length)
    if (team.city.length === 0 || !startsWith(raw, at, team.city)) continue
    const after = at + team.city.length
    if (startsWith(raw, after, team.nickname)) offer(team.id, team.city.length + team.nickname.length)
    else if (teams.some((other) => other !== team && other.city.join() === team.city.join())) {
      if (raw[after] === team.initials) offer(team.id, team.city.length + 1)
    } else offer(team.id, team.city.length)
  }
  return best
}

function startsWith(words: readonly string[], at: number, wanted: readonly string[]): boolean {
  return wanted.every((word, index) => words[at + index] === word)
}
