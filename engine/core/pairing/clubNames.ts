/** Words that a club adds to the name of its place. */
const KIND = new Set(
  `olympique stade racing sporting girondins athletic atletico deportivo deportes football futebol futbol fussball calcio
  clube regatas sport sports real royal union association albion city county rangers rovers town wanderers united
  basket basketball`.split(/\s+/),
)

/**
 * Names that several clubs share, so that only a further word identifies one: Universidad de Chile and Universidad
 * Católica, Sporting Gijón and Sporting Charleroi; and places with several clubs that differ in what they call
 * themselves.
 */
const OF_SEVERAL: ReadonlySet<string> = new Set(
  `universidad universitario independiente nacional racing sporting inter america atletico athletic athletico atletic real
  deportivo deportes union estudiantes gimnasia gimnasia_esgrima san_martin central cerro everton arsenal liverpool
  river_plate guarani santos botafogo barcelona olimpia libertad wanderers rangers celtic aurora sport stars vitoria
  comercial operario boavista al_ahli al_ahly al_ittihad al_hilal al_nassr al_nasr al_shabab al_wahda al_arabi al_ain al_fateh
  dynamo dinamo lokomotiv cska cska_sofia spartak sparta slavia rapid red_star aris apollon aek olympiakos olympiacos
  hapoel maccabi beitar fortuna borussia eintracht viktoria austria
  new_york los_angeles manchester sheffield bristol dundee madrid milan london glasgow munich berlin vienna athens sofia
  prague belgrade bucharest moscow lisbon istanbul zurich brugge dublin belfast lincoln oxford cambridge carlisle
  melbourne sydney auckland perth tokyo osaka yokohama seoul shanghai beijing cairo casablanca tehran haifa tel_aviv
  montevideo asuncion santiago lima bogota medellin cali quito guayaquil tucuman cordoba rosario mendoza la_plata
  guadalajara eindhoven queens_park`.split(/\s+/),
)

/** Initials that mean "football club" in some language: they are interchangeable. */
const FOOTBALL_CLUB: ReadonlySet<string> = new Set(['fc', 'cf', 'afc', 'fk', 'nk', 'bk', 'sk'])
const INITIALS = new Set([...FOOTBALL_CLUB, ...'sc ac as cd rc rcd ssc sv vfl vfb tsg ec cr ca'.split(' ')])

/** Barcelona SC is not FC Barcelona: do both names have such initials, and none in common? */
export function haveOtherInitialsOfClub(x: readonly string[], y: readonly string[]): boolean {
  const [ofX, ofY] = [initialsOf(x), initialsOf(y)]
  return ofX.length > 0 && ofY.length > 0 && !ofX.some((initials) => ofY.includes(initials))
}

const initialsOf = (raw: readonly string[]): string[] =>
  raw.flatMap((word) => (FOOTBALL_CLUB.has(word) ? 'fc' : INITIALS.has(word) ? word : []))

/**
 * Does the longer name add only what marks a club: its initials, the year of its foundation, words that many clubs use?
 * Any other word may name another club: a place, a nickname, a sponsor.
 * @param areCoded do both venues code the two teams alike? Then a further word may be a nickname of the same club.
 */
export function saysNoMore(short: readonly string[], long: readonly string[], areCoded: boolean): boolean {
  const more = long.filter((word) => !short.includes(word))
  //  "Los Angeles F": a letter that stands for no nickname stands for the club
  if (OF_SEVERAL.has(short.join('_'))) return more.every((word) => word.length === 1)
  return areCoded || more.every((word) => KIND.has(word) || /^(?:[a-z]{2,3}|\d+)$/.test(word))
}
