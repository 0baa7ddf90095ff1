import type { Word } from './words.ts'
import { wordTable } from './wordTable.ts'

/**
 * City and nickname of the teams of American leagues. Venue A writes both, venue B the city, with initials where two
 * teams share it.
 */
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

/** Clubs with several names; the first is the one we use. "FC" and the like are not part of a name. */
const CLUBS = `brighton=brighton_hove_albion=brighton_and_hove_albion leeds=leeds_united leicester=leicester_city
  manchester_city=man_city manchester_united=manchester_utd=man_united=man_utd newcastle=newcastle_united
  nottingham=nottingham_forest=nottm_forest tottenham=tottenham_hotspur=spurs west_ham=west_ham_united
  wolverhampton=wolverhampton_wanderers=wolves ipswich=ipswich_town norwich=norwich_city hull=hull_city
  athletic_bilbao=athletic_club=bilbao atletico=atletico_madrid=atletico_de_madrid=club_atletico_de_madrid
  barcelona=barca betis=real_betis=real_betis_balompie celta=celta_vigo=celta_de_vigo
  espanyol=espanyol_de_barcelona rayo=rayo_vallecano=rayo_vallecano_de_madrid=vallecano
  real_sociedad=real_sociedad_de_futbol inter=inter_milan=internazionale=internazionale_milano juventus=juve
  roma=as_roma napoli=ssc_napoli bayern=bayern_munich=bayern_munchen dortmund=borussia_dortmund=bvb
  leverkusen=bayer_leverkusen frankfurt=eintracht_frankfurt leipzig=rb_leipzig=rasenballsport_leipzig
  monchengladbach=borussia_monchengladbach=gladbach=mgladbach
  cologne=1_fc_koln=fc_koln=koln mainz=mainz_5=1_fsv_mainz_5 hoffenheim=1899_hoffenheim=tsg_1899_hoffenheim
  union_berlin=1_fc_union_berlin heidenheim=1_fc_heidenheim=1_fc_heidenheim_1846 psg=paris_saint_germain=paris_sg
  marseille=olympique_de_marseille=olympique_marseille lyon=olympique_lyonnais=olympique_lyon
  rennes=stade_rennais=stade_rennais_1901 brest=stade_brestois=stade_brestois_29 lens=rc_lens=racing_club_de_lens
  alaves=deportivo_alaves sporting_cp=sporting_clube_de_portugal=sporting_lisbon hamburg=hamburger=hamburger_sv lille=lille_osc=losc_lille
  bremen=werder_bremen=werder verona=hellas_verona strasbourg=strasbourg_alsace=racing_club_de_strasbourg_alsace
  club_brugge=club_brugge_kv feyenoord=feyenoord_rotterdam psv=psv_eindhoven az=az_alkmaar antwerp=royal_antwerp
  union_sg=union_saint_gilloise=union_st_gilloise salzburg=red_bull_salzburg=rb_salzburg
  shakhtar=shakhtar_donetsk olympiacos=olympiacos_piraeus=olympiakos_piraeus basaksehir=istanbul_basaksehir
  crvena_zvezda=red_star_belgrade=crvena_zvezda_belgrade guimaraes=vitoria_guimaraes=vitoria_de_guimaraes
  braga=sporting_braga=sporting_clube_de_braga hearts=heart_of_midlothian west_brom=west_bromwich_albion=west_bromwich
  qpr=queens_park_rangers preston=preston_north_end sheffield_wednesday=sheff_wed=sheffield_wed
  plymouth=plymouth_argyle charlton=charlton_athletic
  atlanta=atlanta_united chicago=chicago_fire colorado=colorado_rapids columbus=columbus_crew houston=houston_dynamo
  inter_miami=miami miami_fc la_galaxy=los_angeles_galaxy=los_angeles_g lafc=los_angeles_fc=los_angeles_f
  minnesota=minnesota_united new_england=new_england_revolution new_york_city=nycfc new_york_rb=new_york_red_bulls
  orlando=orlando_city philadelphia=philadelphia_union portland=portland_timbers salt_lake=real_salt_lake
  san_jose=san_jose_earthquakes seattle=seattle_sounders kansas_city=sporting_kansas_city=sporting_kc
  st_louis=st_louis_city vancouver=vancouver_whitecaps vancouver_fc
  botafogo=botafogo_fr bragantino=red_bull_bragantino=rb_bragantino vasco=vasco_da_gama corinthians=corinthians_paulista
  boca=boca_juniors velez=velez_sarsfield newells=newells_old_boys chivas=guadalajara=chivas_guadalajara
  tigres=tigres_uanl pumas=pumas_unam san_luis=atletico_de_san_luis=atletico_san_luis`

/** The same of esports, where the short name is no part of the long one. */
const ORGANISATIONS =
  'navi=natus_vincere nip=ninjas_in_pyjamas la_thieves=los_angeles_thieves top_esports=tes'

/** A name a team goes by; `full` holds the letters of the longest of them. */
type TeamName = { id: string; words: readonly string[]; full: string }

/** Names by the word they may begin with, because a text is searched at each of its words; longer names first. */
type TeamNames = ReadonlyMap<string, readonly TeamName[]>

const TEAM_NAMES: ReadonlyMap<string, TeamNames> = new Map([
  ...Object.entries(LINES).map(
    ([league, line]) => [league, byFirstWord(namesOfLeague(league, line))] as const,
  ),
  ['clubs', byFirstWord(namesOfClubs(CLUBS))],
  ['organisations', byFirstWord(namesOfClubs(ORGANISATIONS))],
])

/** Nickname, and city with it; the city alone where the league has one team there, else with the nickname's initials. */
function namesOfLeague(league: string, line: string): TeamName[] {
  const teams = entriesOf(line, '/')
  return teams.flatMap(([city, nickname]) => {
    const id = `${league}#${nickname!.join('_')}`
    const names = [nickname!]
    if (city!.join() !== '-') {
      const isShared = teams.filter(([other]) => other!.join() === city!.join()).length > 1
      names.push([...city!, ...nickname!])
      names.push(isShared ? [...city!, nickname!.map((word) => word[0]).join('')] : city!)
    }
    return names.map((words) => ({ id, words, full: [...city!, ...nickname!].join('') }))
  })
}

function namesOfClubs(line: string): TeamName[] {
  return entriesOf(line, '=').flatMap((names) => {
    const id = `club#${names[0]!.join('_')}`
    return names.map((words) => ({ id, words, full: words.join('') }))
  })
}

function entriesOf(line: string, between: string): string[][][] {
  return line
    .trim()
    .split(/\s+/)
    .map((entry) => entry.split(between).map((name) => name.split('_')))
}

function byFirstWord(names: readonly TeamName[]): TeamNames {
  const byWord = new Map<string, TeamName[]>()
  for (const name of names.toSorted((x, y) => y.words.length - x.words.length))
    byWord.set(name.words[0]!, [...(byWord.get(name.words[0]!) ?? []), name])
  return byWord
}

/** Words of the text that name the league a question is about. */
const LEAGUES_BY_WORD = wordTable<string>({
  nfl: 'nfl',
  afcnorth: 'nfl',
  afcsouth: 'nfl',
  afceast: 'nfl',
  afcwest: 'nfl',
  nfcnorth: 'nfl',
  nfcsouth: 'nfl',
  nfceast: 'nfl',
  nfcwest: 'nfl',
  superbowl: 'nfl',
  afcchampionship: 'nfl',
  nfcchampionship: 'nfl',
  mlb: 'mlb',
  alcentral: 'mlb',
  aleast: 'mlb',
  alwest: 'mlb',
  nlcentral: 'mlb',
  nleast: 'mlb',
  nlwest: 'mlb',
  worldseries: 'mlb',
  nlpennant: 'mlb',
  alpennant: 'mlb',
  nba: 'nba',
  nbafinals: 'nba',
  nhl: 'nhl',
  stanleycup: 'nhl',
  wnba: 'wnba',
  epl: 'clubs',
  laliga: 'clubs',
  seriea: 'clubs',
  bundesliga: 'clubs',
  ligue: 'clubs',
  ucl: 'clubs',
  uel: 'clubs',
  uecl: 'clubs',
  mls: 'clubs',
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
  const names = TEAM_NAMES.get(league)?.get(raw[at] ?? '')
  const name = names?.find(({ words }) => words.every((word, index) => raw[at + index] === word))
  return name === undefined ? null : { id: name.id, length: name.words.length }
}

/** The same for a nickname behind a code of its team: VGK Golden Knights, CGY Flames, LA Kings. */
export function readCodedTeam(
  league: string,
  raw: readonly string[],
  at: number,
): { id: string; length: number } | null {
  const code = raw[at]!
  if (!/^[a-z]{2,3}$/.test(code)) return null
  const names = TEAM_NAMES.get(league)?.get(raw[at + 1] ?? '')
  const name = names?.find(
    ({ words, full }) =>
      words.every((word, index) => raw[at + 1 + index] === word) && abbreviates(code, full),
  )
  return name === undefined ? null : { id: name.id, length: name.words.length + 1 }
}

/** Do the letters of the code occur in the name in this order, the first at its beginning? */
export function abbreviates(code: string, name: string): boolean {
  let at = 0
  for (const letter of name) if (letter === code[at]) at++
  return at === code.length && name[0] === code[0]
}

/** The league of a team that is named in full: nobody but Pittsburgh's hockey team is called Pittsburgh Penguins. */
export function leagueOfTeam(words: readonly Pick<Word, 'text' | 'cap'>[]): string | null {
  for (let at = 0; at + 1 < words.length; at++) {
    const named = FULL_NAMES.get(words[at]!.text)?.find((name) =>
      name.words.every((word, index) => words[at + index]?.text === word && words[at + index]!.cap),
    )
    if (named !== undefined) return named.league
  }
  return null
}

const FULL_NAMES: ReadonlyMap<string, readonly { words: readonly string[]; league: string }[]> = Map.groupBy(
  Object.entries(LINES).flatMap(([league, line]) =>
    entriesOf(line, '/').map(([city, nickname]) => ({ words: [...city!, ...nickname!], league })),
  ),
  ({ words }) => words[0]!,
)
