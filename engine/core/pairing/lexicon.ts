/**
 * What words weigh in a comparison. Hard words must have a counterpart on the other side; soft words are
 * taken into a proposal but never refuse a pair; stop words are dropped.
 */
const list = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Words of grammar and of asking: they carry nothing about the world. */
export const STOP: ReadonlySet<string> = new Set(
  list(`
  a an the of in on at by to for from with as and be is are was were been being it its this that these those
  will would does do did has have had having can could shall should may might than then there here so such s t
  who which what when where how whom whose why yes between during into if whether i we you they he she
  his her their our my before after until through since per via upon within or
  above below over under more than less fewer greater higher exactly`),
)

/** Words that dress a question up: kept to find pairs, but no reason to refuse one. */
export const DRESS: ReadonlySet<string> = new Set(
  list(`
  race party candidate officially formally formal any event market question person people individual
  become becomes get gets receive receives given happen happens occur occurs
  men mens fc afc cf sc cd bc cr ssc vfl vfb tsg club team following listed named name result results upcoming held new
  including presented conducted edition calendar season tournament competition contest
  issuance current currently still also according vs matchup et est edt meeting
  rate rates overall ever major midterm election elections general
  city town state region professional pro mr ms mrs dr sir`),
)

/** Words that say little alone, as "price", but something else where the other side has one of its own: "level" for "price". */
export const SOFT: ReadonlySet<string> = new Set([
  ...DRESS,
  ...list(`
  take takes go goes going make makes select selected choose chosen scheduled total time date amount number many much
  price value level reported record against decision announcement official whole entire target overnight actual`),
])

/** Soft words that make another name of a name when they are written as a part of it. */
export const NAME_PARTS: ReadonlySet<string> = new Set(['state', 'city', 'new'])

/**
 * Predicates whose fine print differs between the venues again and again (death, announcement against
 * completion, a call against a meeting): such a pair is believed only after reading the rules of both.
 */
export const DELICATE: ReadonlySet<string> = new Set(
  list(`
  leave resign deal ceasefire normalize treaty reserve leader lead nationalize recession acquire invade
  strike war default shutdown impeach announce ipo`),
)

/** The result comes with a fixed event, so the closing time of the contract says nothing about the question. */
export const SCHEDULED: ReadonlySet<string> = new Set(
  list(`
  win nominee nomination qualify advance finish place score lead election elect primary draft pick award
  champion mvp trophy prize control seat goal assist draw cup league attend top podium relegate runoff medal song
  album cut hike hold rank most fewest openingweekend driverstitle constructorstitle`),
)

/** A quarter of a year is the time asked about, whenever its contract closes. */
export const QUARTERS: ReadonlySet<string> = new Set(list('q1 q2 q3 q4'))

/** Venue B leaves the country out where the United States are meant. */
export const AMERICAN: ReadonlySet<string> = new Set(
  list(
    'democratic republican fed shutdown midterm attorneygeneral supremecourt cpi unemployment payroll gdp',
  ),
)

/** What comes round every week or month: without a date in words, contracts that end together mean the same round. */
export const RECURRING: ReadonlySet<string> = new Set(
  list('week weekend month hot100 billboard200 song album spotify netflix chart app'),
)

/** Who acts on whom matters: the same words with the roles swapped ask something else. */
export const TRANSITIVE: ReadonlySet<string> = new Set(
  list(`
  strike attack invade defeat beat acquire buy sue recognize sanction bomb arrest endorse fire pardon kill nuke
  ban tariff join annex host fight replace succeed visit hit own sell merge overtake pass outperform surpass lead
  lose transfer cede`),
)

/** Both name the same act whoever comes first. */
export const NEGATIONS: ReadonlySet<string> = new Set(
  list(`no not never none nobody neither nor without fail fails wont
  doesnt dont didnt isnt cannot avoid avoids other another else`),
)

/** Offices left, and how far an agreement goes: each has fine print of its own, see conditions.ts. */
export const LEAVING: ReadonlySet<string> = new Set(list('leave resign'))
export const AGREEMENTS: ReadonlySet<string> = new Set(list('deal ceasefire normalize treaty'))
/** Deals and listings, which are announced, filed for and completed on different days. */
export const COMPLETED: ReadonlySet<string> = new Set(list('acquire ipo merge merger buy'))
/** Prices and weather: which feed or station is read decides the result. */
export const MEASURED: ReadonlySet<string> = new Set(
  list(
    `btc eth sol xrp doge crypto temperature rain snow precipitation hottest coldest dip gold oil nasdaq dow
    sp500 nikkei stock`,
  ),
)

/** Words that say by themselves what another word of the question says; numbered seats do so too. */
export const ABSORBING: ReadonlySet<string> = new Set(list('primary nominee hot100 billboard200 control'))

/** One word for one thing. Left: as found (after plural s is off); right: as compared. */
const SYNONYM_LINES = `
  winner>win won>win winning>win victory>win victor>win wins>win
  nomination>nominee nominate>nominee nominated>nominee
  democrat>democratic dem>democratic democrats>democratic gop>republican republicans>republican
  gubernatorial>governor governorship>governor presidential>president presidency>president mayoral>mayor
  senatorial>senate parliamentary>parliament congressional>congress
  out>leave leaves>leave leaving>leave exit>leave exits>leave depart>leave departs>leave ousted>leave oust>leave
  leaver>leave removed>leave removes>leave remove>leave cease>leave ceases>leave
  resigns>resign resignation>resign
  meets>meet
  visits>visit visited>visit enter>visit enters>visit travel>visit travels>visit
  agreement>deal accord>deal pact>deal agree>deal agrees>deal
  normalise>normalize normalization>normalize normalized>normalize
  decrease>cut decreases>cut lower>cut lowers>cut reduce>cut reduces>cut decreased>cut
  increase>hike increases>hike raise>hike raises>hike increased>hike
  relegated>relegate relegation>relegate
  maintain>hold maintains>hold maintained>hold unchanged>hold pause>hold pauses>hold
  qualifies>qualify qualified>qualify reach>qualify reaches>qualify
  advances>advance advancing>advance
  drafted>pick picked>pick
  eliminated>eliminate elimination>eliminate
  acquires>acquire acquired>acquire acquisition>acquire
  recognise>recognize recognizes>recognize recognition>recognize recognized>recognize
  pardons>pardon pardoned>pardon charged>charge charges>charge arrested>arrest confirmed>confirm confirms>confirm
  announces>announce announced>announce released>release releases>release
  ipos>ipo endorses>endorse endorsed>endorse attends>attend attended>attend attending>attend
  joins>join joined>join signs>sign signed>sign scores>score scored>score finishes>finish finished>finish
  controls>control leads>lead leading>lead invades>invade invaded>invade strikes>strike
  bitcoin>btc ethereum>eth ether>eth solana>sol
  least>fewest temp>temperature high>highest maximum>highest low>lowest minimum>lowest
  tie>draw ties>draw songs>song albums>album awards>award seats>seat goals>goal assists>assist shots>shot games>game
  steals>steal
  vp>vicepresident prop>proposition legislative>parliament
  zelensky>zelenskyy selenskyj>zelenskyy orban>orban
  finals>final
  domestically>domestic gross>boxoffice grosses>boxoffice grossed>boxoffice`

export const SYNONYMS: ReadonlyMap<string, string> = new Map(
  list(SYNONYM_LINES).map((line) => line.split('>') as [string, string]),
)

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
  secretary of defense > defensesecretary
  defense secretary > defensesecretary
  secretary of the treasury > treasurysecretary
  treasury secretary > treasurysecretary
  secretary of labor > laborsecretary
  labor secretary > laborsecretary
  secretary of commerce > commercesecretary
  commerce secretary > commercesecretary
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
  champions league > ucl
  europa league > uel
  conference league > uecl
  premier league > epl
  english premier league > epl
  la liga > laliga
  serie a > seriea
  super bowl > superbowl
  nfl league championship > superbowl
  pro football championship > superbowl
  pro football champion > superbowl
  nfl championship > superbowl
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
  pro hockey > nhl
  stolen bases > steal
  grand prix > grandprix
  men singles > men
  women singles > women
  drivers champion > driverstitle
  driver champion > driverstitle
  drivers championship > driverstitle
  driver championship > driverstitle
  constructors champion > constructorstitle
  constructor champion > constructorstitle
  constructors championship > constructorstitle
  constructor championship > constructorstitle
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
  year over year > yoy
  month over month > mom
  formula 1 > f1
  swiss national bank > snb
  swedish riksbank > riksbank
  european central bank > ecb
  bank of england > boe
  bank of japan > boj
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

/** A noun that asks for the one who wins it: "Award for Best Series?" answers for "win". */
export const PRIZES: ReadonlySet<string> = new Set(
  list('award trophy prize medal champion mvp driverstitle constructorstitle'),
)

export const PHRASES: ReadonlyMap<string, readonly { words: readonly string[]; becomes: string }[]> = (() => {
  const byFirst = new Map<string, { words: readonly string[]; becomes: string }[]>()
  for (const line of PHRASE_LINES.trim().split('\n')) {
    const [from, becomes] = line.split('>').map((part) => part.trim()) as [string, string]
    const words = from.split(' ')
    const known = byFirst.get(words[0]!) ?? []
    known.push({ words, becomes })
    byFirst.set(words[0]!, known)
  }
  for (const phrases of byFirst.values()) phrases.sort((x, y) => y.words.length - x.words.length)
  return byFirst
})()
