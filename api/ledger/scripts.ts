import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { ServiceError, UnavailableError } from '../../ops/errors.ts'
import { EVEN_WHEN_FULL, redisScript } from '../../ops/redisScript.ts'

/** What a key holds: its type in Redis, and the fields scripts calculate with: if present, whole numbers below 2^53. */
const KINDS = {
  claim: ['hash', 'lease', 'validBefore'],
  grant: ['hash', 'expires', 'heldExpires'],
  account: ['hash', 'balance', 'held', 'debt'],
  lot: ['hash', 'figure', 'taken', 'owed'],
  hold: ['hash', 'micro'],
  referral: ['hash', 'sales', 'earned', 'paid'],
  checkout: ['hash', 'booked', 'asked', 'lookedMs'],
  intent: ['hash'],
  rows: ['hash'],
  list: ['zset'],
  set: ['set'],
  text: ['string'],
  journal: ['stream'],
} as const
type Kind = keyof typeof KINDS

/** @property rest kind of all further keys. @property after files that come before this one in the script. */
type Script = { keys: readonly Kind[]; rest?: Kind; after?: string | readonly string[] }

/** What is booked when card money comes or goes. */
const CARD_ROWS = [
  ...(['checkout', 'claim', 'list', 'list', 'grant'] as const),
  ...(['referral', 'journal', 'text', 'list', 'list'] as const),
] as const

/** What is taken back while the money of an answer is gone. */
const CHAIN_ROWS = ['claim', 'grant', 'lot', 'account', 'journal', 'text', 'referral'] as const

/** Every script of the ledger: commands/<name>.lua, and what its keys hold, in their order. */
export const SCRIPTS = {
  answerCall: { keys: ['rows'], after: ['room', 'callsLeft'] }, //  checks the grant itself, as spendCalls does
  broadcast: { keys: ['text'], rest: 'claim' },
  cardEnd: { keys: CARD_ROWS, after: ['referralBook', 'grantRevoke'] },
  cardFollow: { keys: ['checkout', 'list'] },
  cardLook: { keys: ['checkout', 'list'] },
  cardOpen: { keys: ['checkout', 'list'] },
  cardPaid: { keys: [...CARD_ROWS, 'text'], after: ['referralBook', 'grantRevoke'] },
  cardRoom: { keys: ['list', 'list', 'list'], after: 'room' },
  chainGone: { keys: ['claim', 'text', 'list', 'list', 'list', 'text'] },
  chainLost: { keys: ['claim', 'lot', 'account'], after: 'creditDebt' },
  chainMove: { keys: ['claim', 'text', 'list', 'journal'] },
  chainRestore: { keys: CHAIN_ROWS, after: ['referralBook', 'grantRevoke', 'creditDebt'] },
  chainSuspend: { keys: CHAIN_ROWS, after: ['referralBook', 'grantRevoke', 'creditDebt'] },
  chainUnwatch: { keys: ['rows', 'list'] }, //  calculates with nothing: no broken figure keeps a claim watched
  claim: { keys: ['claim', 'list', 'set', 'rows'], after: ['room', 'paymentIdKept'] },
  claimCredit: { keys: ['claim', 'account', 'list', 'text'], after: 'room' },
  claimTransfer: { keys: ['claim', 'text', 'list', 'list', 'text', 'list'] },
  creditByHand: { keys: ['lot', 'text', 'rows', 'journal'] },
  creditAnswered: { keys: ['text'] },
  creditDeposit: { keys: ['lot', 'account'], after: 'creditPlace' },
  creditEndHold: { keys: ['hold', 'account', 'list'] },
  creditGiveBack: { keys: ['lot', 'account', 'journal'], after: 'creditDebt' },
  creditHold: { keys: ['hold', 'account', 'list', 'text'], after: 'room' },
  creditOpenLot: { keys: ['lot', 'account'] },
  creditTakeBack: { keys: ['lot', 'account', 'journal'], after: 'creditDebt' },
  deliver: {
    keys: ['claim', 'list', 'journal', 'text', 'grant', 'lot', 'account'],
    after: ['creditPlace', 'paymentIdKept'],
  },
  giveBackCall: { keys: ['text'], after: 'callsLeft' }, //  checks the grant itself, as spendCalls does
  intentClaim: {
    keys: ['intent', 'claim', 'list', 'hold', 'account', 'list', 'set', 'list', 'list', 'referral'],
    after: 'referralBook',
  },
  intentForget: { keys: ['intent', 'list'], rest: 'list' },
  intentOpen: { keys: ['intent', 'list', 'list', 'list', 'list', 'list'], rest: 'list', after: 'room' },
  intentSeek: { keys: ['rows', 'list', 'list'] },
  intentSlot: { keys: ['set', 'list'] },
  intentStep: {
    keys: ['intent', 'list', 'list', 'list', 'list', 'list', 'list', 'list', 'list'],
    rest: 'text',
  },
  intentUnclaim: {
    keys: ['intent', 'claim', 'list', 'hold', 'account', 'referral', 'list'],
    after: 'referralBook',
  },
  intentUnwatch: { keys: ['intent', 'list'] },
  referralKeep: { keys: ['referral'] },
  referralPayout: { keys: ['referral', 'rows'], after: 'referralBook' },
  refused: { keys: ['claim', 'list', 'list', 'text'], after: 'paymentIdKept' },
  relist: { keys: ['claim', 'list'] },
  saleGone: { keys: ['list', 'list', 'journal', 'text'] },
  settled: { keys: ['claim', 'text', 'list', 'list', 'list', 'list', 'text'], after: 'paymentIdKept' },
  spendCalls: { keys: ['text'], after: 'callsLeft' }, //  checks its rows itself: a broken one must not affect others
  unlist: { keys: ['claim', 'list'] },
} as const satisfies Record<string, Script>
export type ScriptName = keyof typeof SCRIPTS

const read = (name: string) => readFileSync(new URL(`./commands/${name}.lua`, import.meta.url), 'utf8')
const table = (items: readonly string[]) => `{ ${items.join(', ')} }`
const kindOf = (kind: Kind) => table(KINDS[kind].map((word) => `'${word}'`))

/** The whole text of each, as it is sent to the store. */
export const LUA = Object.fromEntries(
  Object.entries(SCRIPTS).map(([name, { keys, rest, after }]: [string, Script]) => [
    name,
    [
      `${EVEN_WHEN_FULL}local kinds, rest = ${table(keys.map(kindOf))}, ${rest === undefined ? 'nil' : kindOf(rest)}\n`,
      ...['begin', ...(after === undefined ? [] : [after].flat()), name].map(read),
    ].join(''),
  ]),
) as Record<ScriptName, string>

const run = Object.fromEntries(Object.entries(LUA).map(([name, lua]) => [name, redisScript(lua)])) as Record<
  ScriptName,
  ReturnType<typeof redisScript>
>

/** A row is not what its script takes it for. Nothing was written, and nothing helps but to repair the row. */
export class BrokenRowError extends ServiceError {
  readonly code = 'ledger_broken'
}

/** For a look at many rows, some of which may be broken. @throws every other error. */
export function brokenOrThrow(error: unknown): 'broken' {
  if (error instanceof BrokenRowError) return 'broken'
  throw error
}

/** The check of begin.lua: whether scripts can calculate with what a row holds. */
export const hasFigures = (kind: Kind, hash: Record<string, string>): boolean =>
  KINDS[kind].slice(1).every((field) => {
    const figure = hash[field]
    return figure === undefined || (figure.length <= 17 && /^-?\d+$/.test(figure))
  })

/** A reply that does not come leaves the outcome unknown, and is thrown as such. */
export async function guarded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && /BROKENROW|^WRONGTYPE/.test(error.message))
      throw new BrokenRowError('a row of the ledger is broken: nothing was written', { cause: error })
    if (error instanceof Error && error.message.startsWith('NOROOM'))
      throw new UnavailableError('ledger_full', 'the ledger has no room for new purchases', error)
    throw new UnavailableError('ledger_unavailable', 'the ledger did not answer', error)
  }
}

/** The scripts on one connection. Each is one atomic step, whole or not at all, that may be repeated. */
export const scriptsOn =
  (redis: Redis) =>
  <T>(name: ScriptName, keys: string[], args: (string | number)[] = []): Promise<T> =>
    guarded(run[name](redis, keys, args) as Promise<T>)

const one = redisScript(`${EVEN_WHEN_FULL}return redis.call(ARGV[1], KEYS[1], unpack(ARGV, 2))`)
/**
 * One write command to one key, as a script, because scripts may write however full the store is.
 * @returns what Redis answers.
 */
export const writeOn =
  (redis: Redis) =>
  (
    command: 'SET' | 'HSET' | 'HSETNX' | 'SADD' | 'ZADD' | 'PEXPIRE',
    key: string,
    ...args: (string | number)[]
  ): Promise<unknown> =>
    guarded(one(redis, [key], [command, ...args]))
