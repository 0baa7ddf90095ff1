import { fold, type Span } from '../text/fold.ts'

const CONTEXT_BEFORE = 60
const CONTEXT_BEHIND = 24

/**
 * Words of Latin script before a number, each a whole word; `phone` also matches inside other words, like
 * `phoneNumber`.
 */
const WORDS = [
  'mobil(?!i[stz])[a-z]{0,16}|mobiel(?:nummer)?|movil|mob|handy(?:nummer)?|celular|cel|natel|gsm', //    what is carried
  'tel(?:efo+n[a-z]{0,8}|f|no)?|tlf|tfno?|ph|puh(?:elin)?|fono|kom', //   what is said before numbers of any phone
  'cell(?:ulare?)?|(?:tele)?fax(?:nummer|nr)?|desk|landline|switchboard|hot-?line|help-?line|toll[- ]?free',
  'call(?:ing)?|dial(?:ing)?|ring|whatsapp|sms|rufnummern?|voicemail|answering|reach|reachable|messages',
  '(?:text|message) (?:me|us|him|her|them)|contact(?: [a-z]+){0,4} (?:at|on)|contact[ _-]?(?:number|no)',
  "(?:my|our|your|his|her|their|whose) (?:(?:new|old|work|home|office|private|personal|direct|other) )?(?:number|digits)(?: is|'s)?",
].join('|')
/** Words of other scripts, which need no word border: some of these are written without blanks. */
const OTHER_SCRIPTS = [
  ['тел', 'моб', 'телефон', 'звон'], //  Russian, Ukrainian, Bulgarian, Serbian
  ['τηλ', 'κινητό'],
  ['هاتف', 'جوال', 'موبايل', 'تلفن', 'موبایل', 'همراه', 'فون'], //  Arabic, Persian, Urdu
  ['טלפון', 'נייד', 'פלאפון'],
  ['电话', '電話', '手机', '手機', '联系方式', '携帯', '致电', '热线'],
  ['전화', '휴대폰', '핸드폰', '연락처'],
  ['फ़ोन', 'फोन', 'मोबाइल', 'ফোন', 'মোবাইল', 'தொலைபேசி', 'โทร', 'มือถือ', 'điện thoại', 'sđt'],
  ['հեռ', 'ტელ'],
].flat()
/** Nothing but signs and a few words between them and the number. At most CONTEXT_BEFORE characters are read. */
const SAID = new RegExp(
  `(?:phone|(?<![a-z])(?:${WORDS})(?![a-z])|${OTHER_SCRIPTS.map((word) => fold(word).text).join('|')})[^0-9]{0,24}$`,
  'i',
)
/** `T: 020 7946 0958`, `| M …`, `(m) …`: a letter at the start of a line or after a separator, as in signatures. */
const LETTER = /(?:^|[\n|,;·•/])[ \t]{0,4}(?:[TMF][.: \t]|P[: \t]|[([][TtMmPpFf][)\]])[ \t]{0,4}$/
/** `… office`, `…-Fax`, `… (mobile)`, at the end of what is said. */
const BEHIND = /^[ \t]?[-–(]?(?:office|fax|mobile|mob|cell|phone|tel|landline|direct)\)?(?![ \t]*[a-z0-9])/i

/**
 * Do the words around it say that this is a phone number? Without them, only an international or a North American
 * number counts. Letters, and words after it, count only for a number in groups.
 */
export function isSaidPhone(text: string, { start, end }: Span): boolean {
  const before = text.slice(Math.max(0, start - CONTEXT_BEFORE), start)
  if (SAID.test(before)) return true
  const isGrouped = /\d[^\d]+\d/.test(text.slice(start, end))
  return isGrouped && (LETTER.test(before) || BEHIND.test(text.slice(end, end + CONTEXT_BEHIND)))
}
