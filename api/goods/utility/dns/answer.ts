import { z } from 'zod'
import { specialNameOf, specialUseOf } from './specialUse.ts'

/** Most records of a type that are listed, and most characters of TXT; `total` counts what there was. */
export const MAX_RECORDS = 64
export const MAX_TXT_CHARS = 16_384

/**
 * How the question for one type ended. `servfail`: the resolver could not or would not answer (SERVFAIL, REFUSED, a
 * malformed answer); `timeout`: nothing within the deadline. Only these two mean that there was no answer.
 */
const Status = z.enum(['ok', 'nodata', 'nxdomain', 'timeout', 'servfail'])
export type Status = z.infer<typeof Status>

const SpecialUse = z.string().nullable()
const Address = z.object({ address: z.string(), ttlS: z.int().min(0), specialUse: SpecialUse })
const MailServer = z.object({ exchange: z.string(), preference: z.int().min(0), specialUse: SpecialUse })
const Target = z.object({ name: z.string(), specialUse: SpecialUse })

const ofType = <Item extends z.ZodType>(item: Item) =>
  z.object({ status: Status, records: z.array(item), total: z.int().min(0) })

/** What is sold: six types, each with its own status. ttlS is as of `resolvedAt`. */
export const DnsAnswer = z.object({
  name: z.string().describe('Canonical, as it was asked'),
  exists: z.boolean().nullable().describe('False: NXDOMAIN; null: no type was answered with either'),
  specialUse: z.boolean().describe('Some record leads into private or special space'),
  A: ofType(Address),
  AAAA: ofType(Address),
  MX: ofType(MailServer),
  TXT: ofType(z.string()),
  NS: ofType(Target),
  CNAME: ofType(Target),
  resolvedAt: z.iso.datetime(),
})
export type DnsAnswer = z.infer<typeof DnsAnswer>

/** What the resolver said about one type, before it is shaped. */
export type Outcome<Raw> = { status: 'ok'; raw: Raw[] } | { status: Exclude<Status, 'ok'> }

export type Outcomes = {
  A: Outcome<{ address: string; ttl: number }>
  AAAA: Outcome<{ address: string; ttl: number }>
  MX: Outcome<{ exchange: string; priority: number }>
  TXT: Outcome<string[]>
  NS: Outcome<string>
  CNAME: Outcome<string>
}

/** A TTL with the highest bit set counts as zero (RFC 2181, 8). */
const MAX_TTL_S = 0x7fffffff

/** The name without labels. Our client says '', which is no name. */
const ROOT = '.'

/** True when nothing at all was learned: there is nothing to sell. */
export const isSilent = (outcomes: Outcomes): boolean =>
  Object.values(outcomes).every(({ status }) => status === 'timeout' || status === 'servfail')

/** Pure: outcomes to what is sold, with everything bounded. */
export function shapeAnswer(name: string, outcomes: Outcomes, nowMs: number): DnsAnswer {
  const address = ({ address, ttl }: { address: string; ttl: number }) => ({
    address,
    ttlS: ttl > MAX_TTL_S ? 0 : ttl,
    specialUse: specialUseOf(address),
  })
  const target = (name: string) => ({ name: name || ROOT, specialUse: specialNameOf(name) })
  const mail = ({ exchange, priority }: { exchange: string; priority: number }) => ({
    exchange: exchange || ROOT, //  "takes no mail", RFC 7505
    preference: priority,
    specialUse: specialNameOf(exchange),
  })
  const lists = {
    A: list(outcomes.A, address),
    AAAA: list(outcomes.AAAA, address),
    MX: list(outcomes.MX, mail),
    TXT: boundText(list(outcomes.TXT, textOf)),
    NS: list(outcomes.NS, target),
    CNAME: list(outcomes.CNAME, target),
  }
  const statuses = Object.values(outcomes).map(({ status }) => status)
  const flagged = [lists.A, lists.AAAA, lists.MX, lists.NS, lists.CNAME].some(({ records }) =>
    records.some(({ specialUse }) => specialUse !== null),
  )
  return {
    name,
    exists: existsBy(statuses),
    specialUse: flagged,
    ...lists,
    resolvedAt: new Date(nowMs).toISOString(),
  }
}

/** Seconds for which the answer may be given again: its shortest known TTL; null when some type is not answered. */
export function shortestTtlS(answer: DnsAnswer): number | null {
  const { A, AAAA, MX, TXT, NS, CNAME } = answer
  const unanswered = [A, AAAA, MX, TXT, NS, CNAME].some(
    ({ status }) => status === 'timeout' || status === 'servfail',
  )
  if (unanswered) return null
  return Math.min(Number.POSITIVE_INFINITY, ...[...A.records, ...AAAA.records].map(({ ttlS }) => ttlS))
}

function existsBy(statuses: readonly Status[]): boolean | null {
  if (statuses.includes('ok') || statuses.includes('nodata')) return true
  return statuses.includes('nxdomain') ? false : null
}

function list<Raw, Item>(outcome: Outcome<Raw>, shape: (raw: Raw) => Item) {
  const raw = outcome.status === 'ok' ? outcome.raw : []
  return { status: outcome.status, records: raw.slice(0, MAX_RECORDS).map(shape), total: raw.length }
}

/** The strings of one TXT record belong together; they come with one byte per character, and mostly are UTF-8. */
const textOf = (chunks: string[]): string => Buffer.from(chunks.join(''), 'latin1').toString('utf8')

/** Whole records while they fit; one that does not is counted, never cut. */
function boundText<List extends { records: string[] }>(list: List): List {
  let chars = 0
  const records = list.records.filter((text) => {
    chars += text.length
    return chars <= MAX_TXT_CHARS
  })
  return { ...list, records }
}
