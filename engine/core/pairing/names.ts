import { fold } from './fold.ts'

/** Given names that are the same name, shortened or spelled differently. Right: as compared. */
const SHORT_LINES = `johnny>john jon>jon mike>michael mick>michael matt>matthew tom>thomas tommy>thomas jim>james
  jimmy>james bob>robert bobby>robert rob>robert bill>william billy>william joe>joseph joey>joseph
  dan>daniel danny>daniel dave>david steve>steven stephen>steven nick>nicholas chris>christopher alex>alexander
  ben>benjamin sam>samuel tony>anthony andy>andrew drew>andrew ed>edward eddie>edward ted>edward ron>ronald
  ronnie>ronald don>donald greg>gregory jeff>jeffrey ken>kenneth larry>lawrence pat>patrick pete>peter rick>richard
  dick>richard ray>raymond tim>timothy josh>joshua zach>zachary zack>zachary liz>elizabeth beth>elizabeth
  kate>katherine katie>katherine cathy>katherine jen>jennifer jenny>jennifer becky>rebecca maggie>margaret
  debbie>deborah barb>barbara cindy>cynthia mandy>amanda abby>abigail vicky>victoria
  sergey>sergei andrey>andrei alexey>alexei aleksey>alexei aleksei>alexei aleksandr>alexander alexandr>alexander
  dmitri>dmitry dmitriy>dmitry dmitrii>dmitry yury>yuri yuriy>yuri nikolay>nikolai yevgeny>evgeny evgeni>evgeny
  yelena>elena yekaterina>ekaterina mohamed>mohammed muhammad>mohammed mohammad>mohammed ahmad>ahmed
  hussain>hussein vassil>vasil philipp>philip phillip>philip mathew>matthew catherine>katherine kathryn>katherine
  jonathon>jonathan johnathan>jonathan sara>sarah hank>henry chuck>charles charlie>charles gabe>gabriel vince>vincent`

export const SHORT_NAMES: ReadonlyMap<string, string> = new Map(
  SHORT_LINES.trim()
    .split(/\s+/)
    .map((pair) => pair.split('>') as [string, string]),
)

/**
 * Surnames that alone mean one person, with the given names the other venue may add. Anybody else of that surname
 * brings another given name, which then has no counterpart and refuses the pair.
 */
const KNOWN_LINES = `trump:donald biden:joe,joseph putin:vladimir zelenskyy:volodymyr musk:elon powell:jerome
  netanyahu:benjamin starmer:keir maduro:nicolas harris:kamala newsom:gavin vance:jd warsh:kevin macron:emmanuel
  modi:narendra erdogan:recep,tayyip lula:luiz,inacio,da,silva mamdani:zohran zuckerberg:mark bezos:jeff,jeffrey
  altman:sam,samuel merz:friedrich meloni:giorgia carney:mark milei:javier bolsonaro:jair
  hegseth:pete,peter bondi:pam rubio:marco patel:kash gabbard:tulsi kennedy:robert,f,jr bessent:scott
  lutnick:howard noem:kristi snowden:edward assange:julian maxwell:ghislaine epstein:jeffrey swift:taylor
  messi:lionel ronaldo:cristiano xi:jinping kim:jong,un`

export const KNOWN_GIVEN: ReadonlyMap<string, ReadonlySet<string>> = (() => {
  const map = new Map<string, ReadonlySet<string>>()
  for (const entry of KNOWN_LINES.trim().split(/\s+/)) {
    const [surname, given] = entry.split(':') as [string, string]
    map.set(surname, new Set(given.split(',')))
  }
  return map
})()

/** Every given name of the list: a quick look before the long one. */
export const GIVEN: ReadonlySet<string> = new Set([...KNOWN_GIVEN.values()].flatMap((given) => [...given]))

/** Words written in lower case inside a name. */
export const PARTICLES: ReadonlySet<string> = new Set(
  'de do da di of and y e i del della dos van von der den le la les al bin st'.split(' '),
)

/** What tells a son from his father. */
export const NAME_SUFFIXES: ReadonlySet<string> = new Set(['jr', 'sr', 'ii', 'iii', 'iv'])

/**
 * Does a ticker suffix such as JOSS or GNEWS name this person? Initials of the given names and then at least
 * three letters of the surname, or the initials of three or more names alone; a "Jr" must end the code too.
 * @param code letters of the ticker, upper case. @param names folded words of the name, in order.
 */
export function codeNames(code: string, names: readonly string[]): boolean {
  const letters = code.toLowerCase()
  const suffix = names.at(-1) ?? ''
  if (NAME_SUFFIXES.has(suffix))
    return letters.endsWith(suffix) && codeNames(letters.slice(0, -suffix.length), names.slice(0, -1))
  if (!/^[a-z]{3,8}$/.test(letters) || names.length < 2) return false
  if (names.length >= 3 && letters === names.map((name) => name[0]).join('')) return true
  for (let surnameAt = 1; surnameAt < names.length; surnameAt++) {
    for (let initials = 1; initials <= surnameAt; initials++) {
      const head = names
        .slice(0, initials)
        .map((name) => name[0])
        .join('')
      if (!letters.startsWith(head)) continue
      const tail = letters.slice(head.length)
      if (tail.length >= 3 && names.slice(surnameAt).join('').startsWith(tail)) return true
    }
  }
  return false
}

const INITIALS = /\b([A-Z][a-z'-]+) ((?:[A-Z]\.? ?)+) ?([A-Z][a-z'-]+)/g

/** The initials between the names of each person: W of "George W. Bush". */
function initialsIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [, given, initials, surname] of fold(text).matchAll(INITIALS))
    found.set(`${given} ${surname}`, initials!.replace(/[^A-Z]/g, ''))
  return found
}

/** Does a name occur in both texts with different initials? Initials that one side leaves out prove nothing. */
export function haveOtherInitials(x: string, y: string): boolean {
  const [ofX, ofY] = [initialsIn(x), initialsIn(y)]
  return [...ofX].some(([name, initials]) => ofY.has(name) && ofY.get(name) !== initials)
}
