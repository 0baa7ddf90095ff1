import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keepEntitlements } from '../../../ops/purchase/kept/entitlements.ts'
import { type Home, homeOf } from '../../../ops/purchase/kept/home.ts'
import {
  dayOf,
  keepLimits,
  type Limits,
  limitsOf,
  openPurse,
  readLimits,
  spentOn,
  sumOf,
} from '../../../ops/purchase/kept/spending.ts'
import { creditKeyOf, goodFeedTokens, goodPasses, keepToken } from '../../../ops/purchase/kept/tokens.ts'
import { PurchaseEnd } from '../../../ops/purchase/outcomes.ts'
import { DAY } from '../../../ops/units.ts'

let home: Home
let dir = ''
let nonces = 0
const nonce = () => `0x${(++nonces).toString(16).padStart(64, '0').split('').reverse().join('')}`
const NOW = Date.UTC(2026, 10, 21, 23, 59)
const BASE = 'https://seller.example'

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-kept-'))
  home = homeOf(dir)
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const purse = (limits: Partial<Limits>, session = '', nowMs = NOW) =>
  openPurse(
    home,
    { callMicro: 1_000n, callIsKept: false, dayMicro: null, sessionMicro: null, ...limits },
    session,
    () => nowMs,
  )

const given = (call: bigint | null = null, day: bigint | null = null, session: bigint | null = null) => ({
  callMicroUsdc: call,
  dayMicroUsdc: day,
  sessionMicroUsdc: session,
  session: '',
})

describe('kept limits are ceilings: an argument can only lower them', () => {
  test.each([
    [{}, given(), 1_000_000n, false], //                              1.00 by default
    [{}, given(5_000_000n), 5_000_000n, false],
    [{ perCallUsd: '0.5' }, given(), 500_000n, true],
    [{ perCallUsd: '0.5' }, given(500_001n), 500_000n, true],
    [{ perCallUsd: '0.5' }, given(499_999n), 499_999n, false],
    [{ perCallUsd: '3' }, given(), 3_000_000n, true],
  ])('%o with %o: %s a call', (kept, args, callMicro, callIsKept) => {
    expect(limitsOf(kept, args)).toMatchObject({ callMicro, callIsKept })
  })

  test.each([
    ['no JSON', '{"perDayUsd":"5"'],
    ['a number', '{"perDayUsd":5}'],
    ['no amount', '{"perDayUsd":"5 USD"}'],
    ['below zero', '{"perDayUsd":"-5"}'],
    ['a name that is none', '{"perDay":"5"}'],
    ['empty', ''],
  ])('kept limits that cannot be read are not none: %s', async (_, text) => {
    expect(await readLimits(home)).toEqual({})
    await mkdir(dirname(home.limitsFile), { recursive: true })
    await writeFile(home.limitsFile, text)
    await expect(readLimits(home)).rejects.toThrow(/nothing is bought.*limits --new/)
  })

  test('a folder of spent money that cannot be read is no empty one', async () => {
    expect(await spentOn(home.spentDir, dayOf(NOW))).toEqual([])
    await mkdir(home.spentDir, { recursive: true })
    await symlink(dayOf(NOW), join(home.spentDir, dayOf(NOW))) //  ELOOP, even for root
    await expect(spentOn(home.spentDir, dayOf(NOW))).rejects.toThrow('ELOOP')
  })

  test('the same for days and sessions', () => {
    expect(limitsOf({}, given())).toMatchObject({ dayMicro: null, sessionMicro: null })
    expect(limitsOf({ perDayUsd: '2' }, given(null, 3_000_000n, 4n))).toMatchObject({
      dayMicro: 2_000_000n,
      sessionMicro: 4n,
    })
    expect(limitsOf({ perDayUsd: '2' }, given(null, 1n)).dayMicro).toBe(1n)
  })
})

describe('what may be spent', () => {
  test('a purchase counts from before it is sent; exactly the limit is within it', async () => {
    const { reserve, room } = purse({ dayMicro: 1_500n })
    await reserve(nonce(), 1_000n)
    expect(await room()).toMatchObject({ micro: 500n, limit: '--max-day-usd 0.0015', lift: '' })
    await reserve(nonce(), 500n)
    expect((await room()).micro).toBe(0n)
    await expect(reserve(nonce(), 1n)).rejects.toThrow('--max-day-usd 0.0015 is reached')
    expect(sumOf(await spentOn(home.spentDir, dayOf(NOW)))).toBe(1_500n) //  the refused one is not counted
  })

  test('more than one call may cost is refused, whatever the day has left', async () => {
    await expect(purse({}).reserve(nonce(), 1_001n)).rejects.toBeInstanceOf(PurchaseEnd)
    expect((await purse({}).room()).lift).toBe('--max-usd')
    expect((await purse({ callIsKept: true }).room()).lift).toBe('./ops/buy limits --max-usd')
  })

  test('what was not taken is given back', async () => {
    const { reserve, room } = purse({ dayMicro: 1_000n })
    await rm(await reserve(nonce(), 1_000n))
    expect((await room()).micro).toBe(1_000n)
  })

  test('a day ends at midnight UTC', async () => {
    await purse({ dayMicro: 1_000n }).reserve(nonce(), 1_000n)
    expect((await purse({ dayMicro: 1_000n }, '', NOW + 59_999).room()).micro).toBe(0n)
    expect((await purse({ dayMicro: 1_000n }, '', NOW + 60_000).room()).micro).toBe(1_000n)
  })

  test('a session goes on over midnight, is not another one, and does not count without its name', async () => {
    await purse({ sessionMicro: 1_000n }, 'a').reserve(nonce(), 900n)
    expect((await purse({ sessionMicro: 1_000n }, 'a', NOW + DAY).room()).micro).toBe(100n)
    expect((await purse({ sessionMicro: 1_000n }, 'b').room()).micro).toBe(1_000n)
    expect((await purse({ sessionMicro: 1n }).room()).limit).toBe('--max-usd')
  })

  test('after seven days a purchase is forgotten', async () => {
    await purse({}).reserve(nonce(), 1n)
    await purse({}, '', NOW + 7 * DAY).reserve(nonce(), 1n)
    expect(await readdir(home.spentDir)).toHaveLength(2)
    await purse({}, '', NOW + 8 * DAY).reserve(nonce(), 1n)
    expect(await readdir(home.spentDir)).not.toContain(dayOf(NOW))
  })

  test('however many pay at once, and whatever: never more than the limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.bigInt(1n, 1_000n), { minLength: 2, maxLength: 12 }), async (amounts) => {
        await rm(home.dir, { recursive: true, force: true })
        const ends = await Promise.allSettled(
          amounts.map((micro) => purse({ dayMicro: 1_500n }).reserve(nonce(), micro)),
        )
        const paid = amounts.filter((_, at) => ends[at]!.status === 'fulfilled')
        const sum = paid.reduce((total, micro) => total + micro, 0n)
        expect(sum).toBeLessThanOrEqual(1_500n)
        expect(sumOf(await spentOn(home.spentDir, dayOf(NOW)))).toBe(sum)
      }),
      { numRuns: 50 },
    )
  })

  test('a foreign file among the purchases counts nothing', async () => {
    await mkdir(join(home.spentDir, dayOf(NOW)), { recursive: true })
    await writeFile(join(home.spentDir, dayOf(NOW), '.DS_Store'), '')
    expect((await purse({ dayMicro: 1_000n }).room()).micro).toBe(1_000n)
  })
})

const later = (ms: number) => new Date(NOW + ms).toISOString()
const pass = (change: object = {}) => ({
  kind: 'pass' as const,
  base: BASE,
  token: `pass_${nonce()}`,
  expiresAt: later(1_000),
  callsRemaining: 5,
  ...change,
})

describe('what an answer entitles to is kept, readable by its owner only', () => {
  const modeOf = async (file: string) => (await stat(file)).mode & 0o777

  test('the file of a token is 0600, its folder 0700', async () => {
    await keepToken(home, pass())
    const [name] = await readdir(home.tokensDir)
    expect(await modeOf(join(home.tokensDir, name!))).toBe(0o600)
    expect(await modeOf(home.tokensDir)).toBe(0o700)
  })

  test('what cannot be kept leaves nothing, which each further run would add to', async () => {
    await mkdir(home.limitsFile, { recursive: true })
    await expect(keepLimits(home, {})).rejects.toThrow('EISDIR')
    expect(await readdir(home.dir)).toEqual(['limits.json'])
  })

  test('a pass that is used up, expired or of another service pays for nothing; the one that ends first pays first', async () => {
    const [late, soon] = [pass({ expiresAt: later(9_000) }), pass()]
    const useless = [
      pass({ callsRemaining: 0 }),
      pass({ expiresAt: later(0) }),
      pass({ base: 'https://x.example' }),
    ]
    for (const token of [late, soon, ...useless]) await keepToken(home, token)
    expect((await goodPasses(home, BASE, NOW)).map(({ token }) => token)).toEqual([soon.token, late.token])
  })

  test('a feed token goes to who sold it, wherever the answer points', async () => {
    const feedAccess = {
      feedToken: 'feed_x',
      header: 'X-Service-Feed-Token',
      expiresAt: later(1),
      jsonFeedUrl: 'https://elsewhere.example/api/v1/alpha-feed',
    }
    await keepEntitlements(home, BASE, { token: 'feed_x', feedAccess }, '')
    expect(await goodFeedTokens(home, BASE, NOW)).toMatchObject([
      { token: 'feed_x', url: `${BASE}/api/v1/alpha-feed` },
    ])
    expect(await goodFeedTokens(home, BASE, NOW + 1)).toEqual([])
  })

  test.each(['https://elsewhere.example//evil.example/feed', 'http://['])(
    'a feed at %s: the token goes to who sold it, or nowhere',
    async (jsonFeedUrl) => {
      const feedAccess = { feedToken: 'feed_x', expiresAt: '2100-01-01T00:00:00.000Z', jsonFeedUrl }
      const kept = await keepEntitlements(home, BASE, { feedAccess }, '')
      if (kept !== null) expect(new URL((kept as { url: string }).url).origin).toBe(BASE)
      else expect(jsonFeedUrl).toBe('http://[')
    },
  )

  test('credit that comes with a claim code gets a secret; the account that has one keeps it', async () => {
    const credit = (extra: object) => ({ storeCredit: { creditUsdc: 2, balanceUsdc: 2, ...extra } })
    await keepEntitlements(home, BASE, credit({ claimCode: 'credit_c' }), 'agent')
    const first = await creditKeyOf(home, BASE, 'agent')
    expect(first).toMatchObject({ claimCode: 'credit_c', secret: expect.stringMatching(/^[\w-]{43}$/) })
    await keepEntitlements(home, BASE, credit({ account: 'agent' }), 'agent')
    const second = await creditKeyOf(home, BASE, 'agent')
    expect(second).toMatchObject({ balanceUsdc: '2', secret: first!.secret })
    expect(await creditKeyOf(home, 'https://x.example', 'agent')).toBeNull()
  })

  test('credit of an account whose secret is elsewhere is not kept', async () => {
    const storeCredit = { creditUsdc: 2, balanceUsdc: 2, account: 'somebody' }
    expect(await keepEntitlements(home, BASE, { storeCredit }, 'agent')).toBeNull()
  })
})
