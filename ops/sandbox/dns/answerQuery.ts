import dnsPacket, { type Answer, type Packet } from 'dns-packet'
import { type Entry, TTL_S, type Zone } from './zone.ts'

const RCODES = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const
type Rcode = keyof typeof RCODES
const LONGEST_CHAIN = 8
const TXT_STRING_BYTES = 255

const RECORDS: Record<string, (entry: Entry, name: string) => Answer[]> = {
  A: ({ A = [] }, name) => A.map((data) => ({ type: 'A', name, ttl: TTL_S, data })),
  AAAA: ({ AAAA = [] }, name) => AAAA.map((data) => ({ type: 'AAAA', name, ttl: TTL_S, data })),
  MX: ({ MX = [] }, name) => MX.map((data) => ({ type: 'MX', name, ttl: TTL_S, data })),
  TXT: ({ TXT = [] }, name) => TXT.map((text) => ({ type: 'TXT', name, ttl: TTL_S, data: strings(text) })),
  NS: ({ NS = [] }, name) => NS.map((data) => ({ type: 'NS', name, ttl: TTL_S, data })),
}

/**
 * The authoritative answer of a zone to one query, aliases followed inside the zone.
 * @returns null: this name is never answered.
 */
export function answerQuery(zone: Zone, query: Packet): Packet | null {
  const question = query.questions?.[0]
  if (query.questions?.length !== 1 || question === undefined) return reply(query, 'FORMERR', [])
  const { type } = question
  const answers: Answer[] = []
  let name = question.name.toLowerCase()
  for (let hops = 0; hops < LONGEST_CHAIN; hops++) {
    const entry = zone[name]
    if (entry?.silent) return null
    const rcode = entry?.rcode ?? entry?.rcodeOf?.[type]
    if (rcode !== undefined) return reply(query, rcode, [])
    if (entry?.CNAME === undefined) {
      const exists = entry !== undefined || hasBelow(zone, name)
      answers.push(...(entry === undefined ? [] : (RECORDS[type]?.(entry, name) ?? [])))
      return reply(query, exists ? 'NOERROR' : 'NXDOMAIN', answers)
    }
    answers.push({ type: 'CNAME', name, ttl: TTL_S, data: entry.CNAME })
    if (type === 'CNAME') break
    name = entry.CNAME
  }
  return reply(query, 'NOERROR', answers)
}

/** `com` exists because `example.com` does: NODATA, not NXDOMAIN (RFC 8020). */
const hasBelow = (zone: Zone, name: string): boolean =>
  Object.keys(zone).some((known) => known.endsWith(`.${name}`))

const reply = (query: Packet, rcode: Rcode, answers: Answer[]): Packet => ({
  id: query.id,
  type: 'response',
  questions: query.questions,
  answers,
  flags: dnsPacket.AUTHORITATIVE_ANSWER | ((query.flags ?? 0) & dnsPacket.RECURSION_DESIRED) | RCODES[rcode],
})

function strings(text: string): Buffer[] {
  const bytes = Buffer.from(text)
  const count = Math.max(1, Math.ceil(bytes.length / TXT_STRING_BYTES))
  return Array.from({ length: count }, (_, at) =>
    bytes.subarray(at * TXT_STRING_BYTES, (at + 1) * TXT_STRING_BYTES),
  )
}
