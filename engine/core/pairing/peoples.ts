/** Peoples and adjectives to the country that is meant, as compared (see the phrases of lexicon.ts). */
const LINES = `american us americans us usa us british uk britain uk english england scottish scotland welsh wales
  irish ireland french france german germany italian italy spanish spain portuguese portugal dutch netherlands
  belgian belgium swiss switzerland austrian austria swedish sweden norwegian norway danish denmark finnish finland
  polish poland czech czechia slovak slovakia slovenian slovenia croatian croatia serbian serbia bosnian bosnia
  hungarian hungary romanian romania bulgarian bulgaria greek greece turkish turkey turkiye turkey russian russia
  ukrainian ukraine belarusian belarus moldovan moldova georgian georgia armenian armenia azerbaijani azerbaijan
  kazakh kazakhstan estonian estonia latvian latvia lithuanian lithuania icelandic iceland albanian albania
  israeli israel palestinian palestine lebanese lebanon syrian syria iraqi iraq iranian iran saudi saudiarabia
  yemeni yemen egyptian egypt libyan libya tunisian tunisia algerian algeria moroccan morocco sudanese sudan
  ethiopian ethiopia kenyan kenya nigerian nigeria ghanaian ghana senegalese senegal cameroonian cameroon
  ugandan uganda tanzanian tanzania zambian zambia angolan angola malawian malawi
  chinese china japanese japan taiwanese taiwan filipino philippines philippine philippines vietnamese vietnam
  thai thailand indonesian indonesia malaysian malaysia indian india pakistani pakistan bangladeshi bangladesh
  nepalese nepal afghan afghanistan australian australia canadian canada mexican mexico brazilian brazil
  argentine argentina argentinian argentina chilean chile peruvian peru colombian colombia venezuelan venezuela
  ecuadorian ecuador bolivian bolivia paraguayan paraguay uruguayan uruguay cuban cuba haitian haiti
  dominican dominicanrepublic panamanian panama honduran honduras guatemalan guatemala nicaraguan nicaragua
  salvadoran elsalvador jamaican jamaica`

export const PEOPLES: ReadonlyMap<string, string> = (() => {
  const words = LINES.trim().split(/\s+/)
  const map = new Map<string, string>()
  for (let at = 0; at + 1 < words.length; at += 2) map.set(words[at]!, words[at + 1]!)
  return map
})()

/** Names of US states, as folded words, to their postal codes. */
export const STATE_NAMES: ReadonlyMap<string, string> = new Map(
  `alabama:al alaska:ak arizona:az arkansas:ar california:ca colorado:co connecticut:ct delaware:de florida:fl
   georgia:ga hawaii:hi idaho:id illinois:il indiana:in iowa:ia kansas:ks kentucky:ky louisiana:la maine:me
   maryland:md massachusetts:ma michigan:mi minnesota:mn mississippi:ms missouri:mo montana:mt nebraska:ne
   nevada:nv new_hampshire:nh new_jersey:nj new_mexico:nm new_york:ny north_carolina:nc north_dakota:nd ohio:oh
   oklahoma:ok oregon:or pennsylvania:pa rhode_island:ri south_carolina:sc south_dakota:sd tennessee:tn texas:tx
   utah:ut vermont:vt virginia:va washington:wa west_virginia:wv wisconsin:wi wyoming:wy`
    .split(/\s+/)
    .map((entry) => entry.split(':') as [string, string]),
)

/** US postal codes: the seat CA-41, and the only place where such a pair of letters means a state. */
export const STATE_CODES: ReadonlySet<string> = new Set(STATE_NAMES.values())
