import { fold } from './fold.ts'

/** Ways in which a figure or price is taken; the ways in one list exclude each other. */
const SCALES: readonly (readonly RegExp[])[] = [
  [
    /\b(?:year[- ](?:over|on)[- ]year|yoy|y\/y|(?:12|twelve)[- ]months?|annual (?:inflation|cpi|change|rate|percent\w* change))\b/,
    /\b(?:month[- ](?:over|on)[- ]month|mom|m\/m|one[- ]month|monthly (?:inflation|cpi|change|rate|percent\w* change)|from the (?:previous|prior) month)\b/,
  ],
  [
    /\b(?:domestic(?:ally)?|north america)\b/,
    /\b(?:worldwide|global(?:ly)?|international(?:ly)? (?:box|gross))\b/,
  ],
  [
    /\bin the (?:us|usa|u\.s\.|united states)\b|\b(?:us|u\.s\.) (?:google|netflix|spotify|apple|billboard|chart|list|ranking)s?\b/,
    /\b(?:worldwide|global(?:ly)?|around the world|in any (?:country|nation|market))\b/,
  ],
  [/\breal (?:gdp|gross)\b/, /\bnominal (?:gdp|gross)\b/],
  [/\bu-?3\b/, /\bu-?6\b/],
  [/\b(?<!not )seasonally adjusted\b/, /\bnot seasonally adjusted\b/],
  [
    /\b(?:opening|open) (?:price|value|level|yield)\b|\bopens (?:above|below|at|higher|lower)\b/,
    /\b(?:closing|"?close"?) (?:price|value|level|yield)\b|\bclos(?:es?|ing) (?:above|below|at|higher|lower)\b/,
    /\bat any (?:time|point)\b|\bintraday\b|\btouch(?:es)?\b|\b"?(?:high|low)"? price\b|\b(?:has|had|reach(?:es)?) an? (?:final )?"?(?:high|low)"? of\b/,
  ],
  [/\bany (?:part|portion)\b/, /\b(?:entire|entirety|whole|in full|fully|all of)\b/],
  //  a game that is level after its regular time, and the games of a season
  [
    /\b(?:regulation|regular time|90 minutes)\b/,
    /\b(?:including|includes|after) (?:any )?(?:overtime|extra[- ]time|penalt)|\blifts? the (?:trophy|cup)\b/,
  ],
  [/\bregular[- ]season\b/, /\b(?:playoffs?|postseason)\b/],
  //  two shares of one company
  [/\bclass a\b|\bgoogl\b/, /\bclass c\b|\bgoog\b/],
  [/\bmost seats\b/, /\bmost votes\b/],
  //  offices that nobody holds or wins together
  [/\bsenat(?:e|ors?)\b/, /\bgovernor(?:s|ships?)?\b|\bgubernatorial\b/, /\bmayor(?:s|al)?\b/],
  [/\b(?:contiguous|continental)\b/, /\bterritor(?:y|ies)\b|\bpuerto rico\b/],
  //  what a table of medals is ordered by
  [
    /\b(?:by|of|most) gold medals?\b/,
    /\b(?:total|overall) medals?\b|\bmedals? (?:in total|of any|overall)\b/,
  ],
  //  critics and audience
  [/\btomatometer\b|\bcritics?'? score\b/, /\bpopcornmeter\b|\baudience score\b/],
  //  two tables of one leaderboard
  [
    /\bstyle control[" ]*(?:is |turned )?(?:on|enabled)\b/,
    /\bstyle control[" ]*(?:is |turned )?(?:off|disabled|removed)\b|\bwithout style control\b/,
  ],
]

/**
 * Does each text say in which way a figure is taken, with no way in common? By month against by year, at the close
 * against at any time.
 */
export function areTakenOtherwise(x: string, y: string): boolean {
  const [inX, inY] = [fold(x).toLowerCase(), fold(y).toLowerCase()]
  return SCALES.some((ways) => {
    const ofX = ways.filter((way) => way.test(inX))
    return ofX.length > 0 && !ofX.some((way) => way.test(inY)) && ways.some((way) => way.test(inY))
  })
}

const CURRENCIES = /\b([A-Z]{3}) ?\/ ?([A-Z]{3})\b/

/** Is one the price of a currency in another, and the other the reverse? */
export function areTurnedRates(x: string, y: string): boolean {
  const [ofX, ofY] = [CURRENCIES.exec(x), CURRENCIES.exec(y)]
  return ofX !== null && ofY !== null && ofX[1] !== ofX[2] && ofX[1] === ofY[2] && ofX[2] === ofY[1]
}
