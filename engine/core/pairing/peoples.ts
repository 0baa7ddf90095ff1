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

/** US postal codes: the seat CA-41, and the only place where such a pair of letters means a state. */
export const STATE_CODES: ReadonlySet<string> = new Set(
  `al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok or pa
   ri sc sd tn tx ut vt va wa wv wi wy`.split(/\s+/),
)
