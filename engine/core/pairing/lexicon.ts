/**
 * What words weigh in a comparison. Hard words must have a counterpart on the other side; soft words help to propose a
 * pair but never refuse one; stop words are dropped.
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
  men mens afc club team following listed named name result results upcoming held new
  including presented conducted edition calendar season tournament competition contest
  issuance current currently still also according vs matchup et est edt meeting
  rate rates overall ever major midterm election elections general
  city town state memorial region professional pro mr ms mrs dr sir player standing`),
)

/**
 * Words that say little alone, such as "price", but ask for something else where the other side has another soft word
 * instead: "level" for "price", SC for FC.
 */
export const SOFT: ReadonlySet<string> = new Set([
  ...DRESS,
  ...list(`
  take takes go goes going make makes select selected choose chosen scheduled total time date amount number many much
  price value level reported record against decision announcement official whole entire target overnight actual
  fc cf sc cd bc cr ssc vfl vfb tsg`),
])

/** Soft words that make a different name when they are written as part of one. */
export const NAME_PARTS: ReadonlySet<string> = new Set(list('state city new go take make select'))

/**
 * Predicates whose fine print differs between the venues again and again (death, announcement against
 * completion, a call against a meeting): such a pair is believed only after reading the rules of both.
 */
export const DELICATE: ReadonlySet<string> = new Set(
  list(`
  leave resign deal ceasefire normalize treaty reserve leader lead nationalize recession acquire invade
  strike war default shutdown impeach announce ipo`),
)

/**
 * Words of a scheduled event: the result comes with it, so the closing time of the contract says nothing about the
 * question.
 */
export const SCHEDULED: ReadonlySet<string> = new Set(
  list(`
  win nominee nomination qualify advance finish place score lead election elect primary draft pick award
  champion mvp trophy prize control seat goal assist draw cup league attend top podium relegate runoff medal goldmedal song
  album cut hike hold rank personoftheyear most fewest leadsin openingweekend topgrossing driverstitle constructorstitle`),
)

/** A quarter of a year is the time asked about, whenever its contract closes. */
export const QUARTERS: ReadonlySet<string> = new Set(list('q1 q2 q3 q4'))

/** Subjects for which venue B leaves the country out when the United States is meant. */
export const AMERICAN: ReadonlySet<string> = new Set(
  list(
    'democratic republican fed shutdown midterm attorneygeneral supremecourt cpi unemployment payroll gdp job gas mortgage joblessclaims',
  ),
)

/** What is measured in per cent, so that its numbers need not say so. */
export const SHARES: ReadonlySet<string> = new Set(list('approval disapproval rottentomatoes turnout'))

/** What comes round every week or month: without a date in words, contracts that end together mean the same round. */
export const RECURRING: ReadonlySet<string> = new Set(
  list('week weekend month hot100 billboard200 song album spotify netflix chart app'),
)

/** Who acts on whom matters: the same words with the roles swapped ask something else. */
export const TRANSITIVE: ReadonlySet<string> = new Set(
  list(`
  strike attack invade defeat beat acquire buy sue recognize sanction bomb arrest endorse fire pardon kill nuke
  ban tariff join annex host replace succeed visit hit own sell overtake pass outperform surpass lead
  lose transfer cede`),
)

/** Words that turn a question into its opposite, or exclude what they name. */
export const NEGATIONS: ReadonlySet<string> = new Set(
  list(`no not never none nobody neither nor without fail fails wont
  doesnt dont didnt isnt cannot avoid avoids other another else`),
)

/** Leaving an office, and how far an agreement must go: each has fine print of its own, see conditions.ts. */
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

/** Words that imply another word of the question; numbered seats do so too. */
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
  advance>qualify advances>qualify advancing>qualify
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
  delivers>deliver delivered>deliver delivery>deliver deliveries>deliver
  steals>steal added>add adds>add
  vp>vicepresident prop>proposition legislative>parliament
  zelensky>zelenskyy selenskyj>zelenskyy orban>orban
  finals>final euros>euro
  married>marry junior>jr film>movie domestically>domestic gross>boxoffice grosses>boxoffice grossed>boxoffice`

export const SYNONYMS: ReadonlyMap<string, string> = new Map(
  list(SYNONYM_LINES).map((line) => line.split('>') as [string, string]),
)

/** Nouns that imply winning: "Award for Best Series?" answers for "win". */
export const PRIZES: ReadonlySet<string> = new Set(
  list(`award trophy prize medal goldmedal champion mvp driverstitle constructorstitle rookieoftheyear coachoftheyear
  manageroftheyear playeroftheyear personoftheyear sixthman mostimproved cyyoung rocketrichard pole`),
)

/** Prizes with names of their own, which distinguish one event from another. */
export const NAMED_PRIZES: ReadonlySet<string> = new Set(
  list(
    'superbowl worldseries stanleycup nlpennant alpennant cfpchampionship oscar grammy goldenglobe emmy bafta tonyaward',
  ),
)
