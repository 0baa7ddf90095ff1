import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { DAY, formatUsdc, MICRO_PER_USDC, parseUsdc } from '../../units.ts'
import type { LimitArguments } from '../arguments.ts'
import { PurchaseEnd } from '../outcomes.ts'
import { isThere, namesIn, readJson, removeFile, writePrivateJson } from './files.ts'
import type { Home } from './home.ts'

const Usd = z.string().refine((text) => (parseUsdc(text) ?? -1n) >= 0n)

/** What `./ops/buy limits` keeps. USD, decimal text; absent: no such limit. An unknown name may be a misspelt limit. */
export const KeptLimits = z.strictObject({
  perCallUsd: Usd.optional(),
  perDayUsd: Usd.optional(),
  perSessionUsd: Usd.optional(),
})
export type KeptLimits = z.infer<typeof KeptLimits>

/** Micro-USDC; null: no such limit. `callIsKept`: no argument can lift what one call may cost. */
export type Limits = {
  callMicro: bigint
  callIsKept: boolean
  dayMicro: bigint | null
  sessionMicro: bigint | null
}

/** One purchase as it counts. `name` is the file that stands for it. */
export type Spent = { name: string; micro: bigint; session: string }

const DEFAULT_CALL_MICRO = 1n * MICRO_PER_USDC
const KEPT_DAYS = 7

/** Kept limits are ceilings: an argument can only lower them. */
export function limitsOf(kept: KeptLimits, given: LimitArguments): Limits {
  const least = (a: bigint | null, b: bigint | null) => (a === null ? b : b === null ? a : a < b ? a : b)
  const call = microOf(kept.perCallUsd)
  const asked = given.callMicroUsdc ?? call ?? DEFAULT_CALL_MICRO
  return {
    callMicro: call !== null && call < asked ? call : asked,
    callIsKept: call !== null && call <= asked,
    dayMicro: least(given.dayMicroUsdc, microOf(kept.perDayUsd)),
    sessionMicro: least(given.sessionMicroUsdc, microOf(kept.perSessionUsd)),
  }
}

const microOf = (text: string | undefined): bigint | null => (text === undefined ? null : parseUsdc(text))

/** @throws PurchaseEnd `usage` when the limits cannot be read: that does not mean that there are none. */
export async function readLimits({ limitsFile }: Home): Promise<KeptLimits> {
  const limits = await readJson(limitsFile, KeptLimits)
  if (limits !== null) return limits
  if (!(await isThere(limitsFile))) return {}
  throw new PurchaseEnd(
    'usage',
    `the kept limits cannot be read, so nothing is bought: ${limitsFile}. ./ops/buy limits --new forgets them`,
  )
}

export const keepLimits = ({ limitsFile }: Home, limits: KeptLimits): Promise<void> =>
  writePrivateJson(limitsFile, limits)

export const dayOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10)

const NAME = /^([0-9a-f]{1,64})\.(\d{1,30})\.([a-z0-9_-]{0,32})$/

/** Purchases of a day, those under way among them. */
export async function spentOn(spentDir: string, day: string): Promise<Spent[]> {
  return (await namesIn(join(spentDir, day))).flatMap((name) => {
    const match = NAME.exec(name)
    return match === null ? [] : [{ name, micro: BigInt(match[2]!), session: match[3]! }]
  })
}

export const sumOf = (spent: readonly Spent[]): bigint => spent.reduce((sum, { micro }) => sum + micro, 0n)

/** A session's purchases of the last seven days. */
async function spentUnder(spentDir: string, session: string): Promise<Spent[]> {
  const days = await namesIn(spentDir)
  const spent = await Promise.all(days.map((day) => spentOn(spentDir, day)))
  return spent.flat().filter((each) => each.session === session)
}

/** The most that a purchase may cost, which limit says so, and the words that lift it ('': none do). */
export type Room = { micro: bigint; limit: string; lift: string }

/** Limits the money that purchases take, and counts it. */
export type Purse = {
  room(): Promise<Room>
  /**
   * Counts a payment before it is sent.
   * @returns the file whose removal undoes that.
   * @throws PurchaseEnd `refused` beyond a limit
   */
  reserve(nonce: string, micro: bigint): Promise<string>
}

/**
 * Limits over calls, days and sessions. A purchase counts from before its payment is sent. One that was refused or cut off
 * goes on counting until nobody can take its money any more (refused.ts). Each first writes its own file and then adds up all files, so
 * two at once may both step back but never overspend together.
 */
export function openPurse({ spentDir }: Home, limits: Limits, session: string, nowMs: () => number): Purse {
  const bounds = async (day: string) => {
    const ofDay = limits.dayMicro === null ? 0n : sumOf(await spentOn(spentDir, day))
    const ofSession =
      limits.sessionMicro === null || session === '' ? 0n : sumOf(await spentUnder(spentDir, session))
    return [
      { limit: '--max-usd', max: limits.callMicro, spent: 0n },
      { limit: '--max-day-usd', max: limits.dayMicro, spent: ofDay },
      {
        limit: '--max-session-usd',
        max: session === '' ? null : limits.sessionMicro,
        spent: ofSession,
      },
    ].flatMap(({ limit, max, spent }) => (max === null ? [] : [{ limit, max, spent, left: max - spent }]))
  }
  return {
    async room() {
      const [least] = (await bounds(dayOf(nowMs()))).sort((a, b) =>
        a.left < b.left ? -1 : a.left > b.left ? 1 : 0,
      )
      const { limit, max, left } = least!
      const micro = left > 0n ? left : 0n
      if (limit !== '--max-usd') return { micro, limit: `${limit} ${formatUsdc(max)}`, lift: '' }
      return { micro, limit, lift: limits.callIsKept ? './ops/buy limits --max-usd' : '--max-usd' }
    },
    async reserve(nonce, micro) {
      const day = dayOf(nowMs())
      const dir = join(spentDir, day)
      const file = join(dir, `${nonce.slice(2, 18)}.${micro}.${session}`)
      await mkdir(dir, { recursive: true, mode: 0o700 })
      await writeFile(file, '', { mode: 0o600, flush: true })
      const over = (await bounds(day)).find(({ limit, max, spent }) =>
        limit === '--max-usd' ? micro > max : spent > max,
      )
      if (over !== undefined) {
        await removeFile(file)
        throw new PurchaseEnd('refused', `${over.limit} ${formatUsdc(over.max)} is reached; nothing was sent`)
      }
      await forgetOldDays(spentDir, nowMs())
      return file
    },
  }
}

async function forgetOldDays(spentDir: string, nowMs: number): Promise<void> {
  const oldest = dayOf(nowMs - KEPT_DAYS * DAY)
  for (const day of await namesIn(spentDir))
    if (day < oldest) await rm(join(spentDir, day), { recursive: true, force: true })
}
