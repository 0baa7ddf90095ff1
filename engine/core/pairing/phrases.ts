/** Several words for one thing; the longest match wins. Words here are already lower case and singular-free. */
const PHRASE_LINES = `
  united states > us
  united states of america > us
  united kingdom > uk
  great britain > uk
  european union > eu
  federal reserve > fed
  federal open market committee > fed
  fomc > fed
  step down > leave
  stepping down > leave
  steps down > leave
  leave office > leave
  out as > leave
  including runoff > including
  including runoffs > including
  including any runoff > including
  including any runoffs > including
  outright majority > majority
  be a candidate > candidacy
  regular season > regularseason
  billboard hot 100 > hot100
  billboard 200 > billboard200
  state senate > statesenate
  state house > statehouse
  interest rate > rate
  interest rates > rate
  no change > hold
  make no change > hold
  prime minister > primeminister
  head of state > headofstate
  head of government > headofgovernment
  supreme leader > supremeleader
  attorney general > attorneygeneral
  secretary of state > secretaryofstate
  vice president > vicepresident
  vice presidency > vicepresident
  secretary of homeland security > dhssecretary
  homeland security secretary > dhssecretary
  dhs secretary > dhssecretary
  director of the fbi > fbidirector
  fbi director > fbidirector
  charged with a crime > charge
  charged with any crime > charge
  unemployment rate u 3 > unemployment
  voter turnout > turnout
  vice presidential > vicepresident
  lieutenant governor > ltgovernor
  lieutenant gubernatorial > ltgovernor
  lt governor > ltgovernor
  press secretary > presssecretary
  house of representatives > house
  us house > house
  us senate > senate
  supreme court > supremecourt
  world cup > worldcup
  fifa world cup > worldcup
  club world cup > clubworldcup
  fifa club world cup > clubworldcup
  esports world cup > esportsworldcup
  league of legends > lol
  mid season invitational > msi
  counter strike 2 > cs2
  counter strike > cs2
  gold medal > goldmedal
  gold medals > goldmedal
  win gold > goldmedal
  wins gold > goldmedal
  champions league > ucl
  europa league > uel
  conference league > uecl
  uefa champions league > ucl
  uefa europa league > uel
  uefa conference league > uecl
  uefa europa conference league > uecl
  europa conference league > uecl
  finish 1th > win
  finishes 1th > win
  finish in 1th place > win
  finish 1th place > win
  highest grossing > topgrossing
  top grossing > topgrossing
  national league > nl
  american league > al
  premier league > epl
  english premier league > epl
  english premier league epl > epl
  english premier league epl championship > epl
  premier league title > epl
  la liga > laliga
  serie a > seriea
  serie a league > seriea
  brazil serie a > brasileirao
  brasileirao serie a > brasileirao
  brasileiro serie a > brasileirao
  campeonato brasileiro serie a > brasileirao
  super bowl > superbowl
  nfl league championship > superbowl
  pro football championship > superbowl
  pro football champion > superbowl
  nfl championship > superbowl
  afc championship > afcchampionship
  afc championship game > afcchampionship
  afc champion > afcchampionship
  nfc championship > nfcchampionship
  nfc championship game > nfcchampionship
  nfc champion > nfcchampionship
  college football playoff national championship > cfpchampionship
  college football national championship > cfpchampionship
  college football playoff championship > cfpchampionship
  college football championship > cfpchampionship
  cfp national championship > cfpchampionship
  ncaa tournament > ncaatournament
  march madness > ncaatournament
  college basketball national championship > ncaatournament
  college basketball championship > ncaatournament
  eastern conference finals > eastfinals
  eastern conference final > eastfinals
  eastern conference championship > eastfinals
  western conference finals > westfinals
  western conference final > westfinals
  western conference championship > westfinals
  world series > worldseries
  college world series > collegeworldseries
  national league championship series > nlpennant
  national league championship > nlpennant
  national league pennant > nlpennant
  american league championship series > alpennant
  american league championship > alpennant
  american league pennant > alpennant
  college baseball world series > collegeworldseries
  pro baseball championship > worldseries
  pro baseball champion > worldseries
  nba finals > nbafinals
  nba championship > nbafinals
  nba champion > nbafinals
  pro basketball championship > nbafinals
  pro basketball champion > nbafinals
  pro basketball finals > nbafinals
  stanley cup > stanleycup
  stanley cup finals > stanleycup
  stanley cup final > stanleycup
  pro football > nfl
  pro baseball > mlb
  pro basketball > nba
  pro men basketball > nba
  women pro basketball > wnba
  pro women basketball > wnba
  pro hockey > nhl
  stolen bases > steal
  grand prix > grandprix
  rookie of the year > rookieoftheyear
  coach of the year > coachoftheyear
  manager of the year > manageroftheyear
  player of the year > playeroftheyear
  person of the year > personoftheyear
  tonys > tonyaward
  tony award > tonyaward
  motogp world championship > motogptitle
  motogp world champion > motogptitle
  motogp championship > motogptitle
  indianapolis 500 > indy500
  indy 500 > indy500
  end of round > round
  initial jobless claims > joblessclaims
  jobless claims > joblessclaims
  2th round > runoff
  presidential run > runforpresident
  run for president > runforpresident
  running for president > runforpresident
  company in the world > company
  person in the world > person
  state of georgia > georgiastate
  6th man of the year > sixthman
  most improved player > mostimproved
  cy young > cyyoung
  golden globe > goldenglobe
  maurice rocket richard trophy > rocketrichard
  rocket richard trophy > rocketrichard
  ice hockey > hockey
  state of the union address > stateoftheunion
  state of the union > stateoftheunion
  world drivers champion > driverstitle
  world drivers championship > driverstitle
  world constructors championship > constructorstitle
  men singles > men
  women singles > women
  nascar cup series > nascarcup
  nascar cup series championship > nascarcup
  nascar cup championship > nascarcup
  nascar cup series race > nascarrace
  nascar cup series championship race > nascarfinale
  pdc world darts championship > worlddarts
  pdc world championship > worlddarts
  world darts championship > worlddarts
  pdc premier league > premierleaguedarts
  pdc premier league darts > premierleaguedarts
  premier league darts > premierleaguedarts
  6 nations > sixnations
  6 nations championship > sixnations
  guinness 6 nations > sixnations
  guinness 6 nations championship > sixnations
  big 12 > big12
  big 12 conference > big12
  big 10 > big10
  big 10 conference > big10
  top 3 > podium
  spring split > spring
  summer split > summer
  winter split > winter
  natus vincere > navi
  best ai > bestai
  best ai model > bestai
  drivers champion > driverstitle
  driver champion > driverstitle
  drivers championship > driverstitle
  driver championship > driverstitle
  constructors champion > constructorstitle
  constructor champion > constructorstitle
  constructors championship > constructorstitle
  constructor championship > constructorstitle
  mtv video music awards > vmas
  video music awards > vmas
  mtv vmas > vmas
  academy of country music awards > acmawards
  acm awards > acmawards
  country music association awards > cmaawards
  cma awards > cmaawards
  feature film > feature
  eurovision song contest > eurovision
  box office > boxoffice
  opening weekend > openingweekend
  grand slam > grandslam
  new york city > nyc
  absolute majority > majority
  national weather service > nws
  1th round > 1stround
  go public > ipo
  initial public offering > ipo
  artificial intelligence > ai
  rotten tomatoes > rottentomatoes
  rotten tomatoes tomatometer > rottentomatoes
  shut down > shutdown
  gta vi > gta6
  gta 6 > gta6
  grand theft auto vi > gta6
  grand theft auto 6 > gta6
  grand theft auto > gta
  year ending > yoy
  year ended > yoy
  year over year > yoy
  month over month > mom
  formula 1 > f1
  swiss national bank > snb
  swedish riksbank > riksbank
  european central bank > ecb
  bank of england > boe
  bank of japan > boj
  bank rate > rate
  cash rate > rate
  official cash rate > rate
  overnight rate > rate
  policy rate > rate
  policy interest rate > rate
  benchmark rate > rate
  benchmark interest rate > rate
  key rate > rate
  key interest rate > rate
  bank of canada > boc
  reserve bank of australia > rba
  reserve bank of new zealand > rbnz
  formula one > f1
  rapid support forces > rsf
  s p 500 > sp500
  los angeles > losangeles
  new york > newyork
  san francisco > sanfrancisco
  south korea > southkorea
  korea republic > southkorea
  republic of korea > southkorea
  north korea > northkorea
  south africa > southafrica
  saudi arabia > saudiarabia
  ivory coast > ivorycoast
  cote divoire > ivorycoast
  cape verde > caboverde
  cabo verde > caboverde
  ir iran > iran
  islamic republic of iran > iran
  dr congo > drcongo
  congo dr > drcongo
  democratic republic of the congo > drcongo
  czech republic > czechia
  bosnia and herzegovina > bosnia
  bosnia herzegovina > bosnia
  new zealand > newzealand
  costa rica > costarica
  el salvador > elsalvador
  hong kong > hongkong
  northern ireland > northernireland
  republic of ireland > ireland
  united arab emirates > uae
  new jersey > newjersey
  new mexico > newmexico
  new hampshire > newhampshire
  north carolina > northcarolina
  south carolina > southcarolina
  north dakota > northdakota
  south dakota > southdakota
  west virginia > westvirginia
  rhode island > rhodeisland
  washington dc > washingtondc`

/** Departments that have a secretary; the Department of Defense also calls itself Department of War. */
const SECRETARIES = ['defense', 'treasury', 'labor', 'commerce', 'energy', 'education', 'war'].flatMap((of) =>
  [`secretary of ${of}`, `secretary of the ${of}`, `${of} secretary`].map(
    (from) => `${from} > ${of === 'war' ? 'defense' : of}secretary`,
  ),
)

/** Divisions of the two leagues that are named by a direction, with and without the word "division". */
const DIVISIONS = [
  ...[['afc', 'afc'] as const, ['nfc', 'nfc'] as const].flatMap(([league, name]) =>
    ['north', 'south', 'east', 'west'].map((side) => [league, name, side] as const),
  ),
  ...[
    ['al', 'al'] as const,
    ['al', 'american league'] as const,
    ['nl', 'nl'] as const,
    ['nl', 'national league'] as const,
  ].flatMap(([league, name]) => ['central', 'east', 'west'].map((side) => [league, name, side] as const)),
].flatMap(([league, name, side]) => [
  `${name} ${side} > ${league}${side}`,
  `${name} ${side} division > ${league}${side}`,
])

export type Phrase = { words: readonly string[]; becomes: string } // words that count as one
export const PHRASES: ReadonlyMap<string, readonly Phrase[]> = (() => {
  const byFirst = new Map<string, Phrase[]>()
  for (const line of [...PHRASE_LINES.trim().split('\n'), ...SECRETARIES, ...DIVISIONS]) {
    const [from, becomes] = line.split('>').map((part) => part.trim()) as [string, string]
    const words = from.split(' ')
    const known = byFirst.get(words[0]!) ?? []
    known.push({ words, becomes })
    byFirst.set(words[0]!, known)
  }
  for (const phrases of byFirst.values()) phrases.sort((x, y) => y.words.length - x.words.length)
  return byFirst
})()
