import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { storeNowMs } from '../../ops/redis.ts'
import { EVEN_WHEN_FULL, redisScript } from '../../ops/redisScript.ts'
import { MINUTE, SECOND } from '../../ops/units.ts'

/*
 * A ledger that lost its data shows no sign of it: empty or a day old it would take payments, call sold passes unknown
 * and sell for spent transfers again (faults DATA-03, DATA-04). So it carries an epoch and a beat, and a witness
 * outside it remembers both. The ledger is always written first: one that is behind its witness has lost something. A
 * machine that is restored whole brings back both at the same age, and a new machine has no witness: then the stopped
 * beat shows it.
 */
const EPOCH = 'ledger:epoch'
const BEAT = 'ledger:beat'
/** The beat at which its last process ended in order. */
const ENDED = 'ledger:ended'
const SECRET = 'ledger:secret'
const WITNESS = 'witness:ledger'

/** `beat`: Unix ms of the newest sign of life, by the ledger's clock. */
export type Mark = { epoch: string; beat: number }
export const nameOf = ({ epoch, beat }: Mark): string => `${epoch} ${beat}`
/** `ended`: nobody was at work any more. `secret`: fingerprint of the service secret that it is written with. */
export type LedgerMark = Mark & { ended: boolean; secret: string | null }
/** 'away': the store does not answer. */
export type Seen = Mark | null | 'away'
/** 'fresh': a first start, nobody has seen a ledger. 'unwitnessed': it may be an older copy of itself. */
export type Judged = 'open' | 'fresh' | 'unchecked' | 'lost' | 'other' | 'older' | 'unwitnessed'

/** An agreeing witness vouches for a ledger whose last beat is at most this old. */
const AGREED_MS = 5 * MINUTE
/**
 * While the witness is away, the beat must be this recent. A witness that is there but empty is told within a second.
 */
const ALONE_MS = 15 * SECOND

/** What the two marks say together. Pure. @param nowMs by the ledger's clock. */
export function judgeMarks(ledger: Mark | null, witness: Seen, nowMs: number): Judged {
  if (ledger === null) return witness === null ? 'fresh' : witness === 'away' ? 'unchecked' : 'lost'
  if (witness === null) return 'unwitnessed'
  if (witness !== 'away' && witness.epoch !== ledger.epoch) return 'other'
  if (witness !== 'away' && ledger.beat < witness.beat) return 'older'
  return nowMs - ledger.beat > (witness === 'away' ? ALONE_MS : AGREED_MS) ? 'unwitnessed' : 'open'
}

/** The last mark written by this process, and when, by its own clock, which stops with its machine and never jumps. */
export type Written = Mark & { atMs: number }

/**
 * The time by which this process judges a ledger. If the newest beat is its own, nobody else has had the ledger open
 * since, so the time it has waited does not count as age, however long the ledger was away. A machine restored with its
 * memory has not waited: its own clock stood still. Pure.
 */
export function timeFor(
  mine: Written | null,
  ledger: Mark | null,
  { nowMs, atMs }: { nowMs: number; atMs: number },
): number {
  const isMine = mine !== null && mine.epoch === ledger?.epoch && mine.beat === ledger.beat
  return isMine ? nowMs - (atMs - mine.atMs) : nowMs
}

/** What is known of a ledger outside it: the newer of what the witness and this process remember. Pure. */
export function newerOf(witness: Seen, mine: Mark | null): Seen {
  if (witness === null || witness === 'away') return mine ?? witness
  return mine !== null && mine.epoch === witness.epoch && mine.beat > witness.beat ? mine : witness
}

export async function readLedger(ledger: Redis): Promise<{ mark: LedgerMark | null; nowMs: number }> {
  const [[epoch, beat, ended, secret], nowMs] = await Promise.all([
    ledger.mget(EPOCH, BEAT, ENDED, SECRET),
    storeNowMs(ledger),
  ])
  if (epoch == null) return { mark: null, nowMs }
  return {
    mark: { epoch, beat: Number(beat ?? 0), ended: ended != null && ended === beat, secret: secret ?? null },
    nowMs,
  }
}

export async function readWitness(witness: Redis): Promise<Seen> {
  try {
    const text = await witness.get(WITNESS)
    return text === null ? null : (JSON.parse(text) as Mark)
  } catch {
    return 'away'
  }
}

/** Both marks, read in the order in which a ledger in use is never behind: each beat reaches the witness second. */
export async function readMarks(ledger: Redis, witness: Redis) {
  const seen = await readWitness(witness)
  return { seen, ...(await readLedger(ledger)) }
}

//  A late message overwrites nothing: neither a newer beat nor an epoch that an operator has renewed.
const tell = redisScript(`${EVEN_WHEN_FULL}
local known = redis.call('GET', KEYS[1])
if known then
  known = cjson.decode(known)
  if known.epoch ~= ARGV[1] or known.beat > tonumber(ARGV[2]) then return 0 end
end
redis.call('SET', KEYS[1], ARGV[3])
return 1`)

/** A witness that is away learns of it later. */
export async function tellWitness(witness: Redis, { epoch, beat }: Mark): Promise<void> {
  await tell(witness, [WITNESS], [epoch, beat, JSON.stringify({ epoch, beat })]).catch(() => {})
}

const first = redisScript(`${EVEN_WHEN_FULL}
if not redis.call('SET', KEYS[1], ARGV[1], 'NX') then return 0 end
redis.call('SET', KEYS[2], ARGV[2])
return 1`)

/** A ledger's first mark. @returns null: somebody else has made it. */
export async function beginLedger(ledger: Redis, nowMs: number): Promise<Mark | null> {
  const mark = { epoch: randomUUID(), beat: nowMs }
  return (await first(ledger, [EPOCH, BEAT], [mark.epoch, mark.beat])) === 1 ? mark : null
}

/*
 * A client without an answer sends its beat again, to whatever server then answers: an older copy that took it would
 * look like the newest one. So a beat is taken only by the server that was looked at, and only with what was seen
 * there. The beat never goes back, wherever a process was interrupted; the first to open a ledger leaves its
 * fingerprint.
 */
const advance = redisScript(`${EVEN_WHEN_FULL}
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
if last < tonumber(ARGV[2]) then return false end
if ARGV[3] ~= '' and not string.find(redis.call('INFO', 'server'), ARGV[3], 1, true) then return false end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local beat = string.format('%.0f', math.max(now, last))
redis.call('SET', KEYS[2], beat)
redis.call('SET', KEYS[3], ARGV[4], 'NX')
if ARGV[5] == 'ends' then redis.call('SET', KEYS[4], beat) end
return beat`)

/** A ledger as it was looked at. `server`: what it calls itself, or null when it does not tell. */
export type Looked = Mark & { server: string | null }

/**
 * @param sign 'ends': this is the caller's last beat.
 * @returns the beat now, or null: it is not the ledger that was looked at.
 */
export async function beatLedger(
  ledger: Redis,
  { epoch, beat, server }: Looked,
  secret: string,
  sign: 'lives' | 'ends',
): Promise<number | null> {
  const args = [epoch, beat, server ?? '', secret, sign]
  const now = await advance(ledger, [EPOCH, BEAT, SECRET, ENDED], args)
  return now === null ? null : Number(now)
}

/** The operator has looked: this ledger is the right one from now on. */
export async function renewEpoch(ledger: Redis, witness: Redis): Promise<void> {
  const epoch = randomUUID()
  const { nowMs } = await readLedger(ledger)
  await ledger.mset(EPOCH, epoch, BEAT, nowMs)
  await witness.set(WITNESS, JSON.stringify({ epoch, beat: nowMs } satisfies Mark))
}
