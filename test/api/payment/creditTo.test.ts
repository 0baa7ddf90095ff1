import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { guessesOf, WRONG_AT_ONCE } from '../../../api/entitlements/guesses.ts'
import { GOODS } from '../../../api/goods/index.ts'
import type { CreditHolder, CreditLedger } from '../../../api/ledger/credits.ts'
import { creditToOf } from '../../../api/payment/creditTo.ts'
import type { Call } from '../../../api/payment/input.ts'

const SECRET = Buffer.alloc(32, 9)
const RIGHT = 'the-secret-of-the-victim'
const VICTIM: CreditHolder = {
  account: accountDigest('victim'),
  auth: creditAuthDigest(SECRET, 'victim', RIGHT),
}
const pack = GOODS.find(({ creditMicroUsdc }) => creditMicroUsdc !== undefined)!
const read = GOODS.find(({ creditMicroUsdc }) => creditMicroUsdc === undefined)!

/** One caller who buys for the victim's account; as in a real ledger, answers take time. */
function caller(frozen = false) {
  const clock = { ms: 0, nowMs: () => clock.ms }
  const guesses = guessesOf(clock, clock)
  let asked = 0
  const credits = {
    fits: async ({ auth }: CreditHolder) => {
      asked++
      await sleep(1)
      return auth === VICTIM.auth ? (frozen ? 'frozen' : 'fits') : 'mismatch'
    },
  } as CreditLedger
  const tries = async (creditAuth: string, good: typeof pack = pack, agentId = 'victim') => {
    const call = {
      agentId,
      creditAuth,
      wrongSecret: () => guesses.count('10.0.0.1'),
      secretWaitS: () => guesses.waitS('10.0.0.1'),
    } as Call
    const to = await creditToOf(good, call, `0x${'ab'.repeat(20)}`, { credits, answers: { secret: SECRET } })
    return to === null ? null : 'problem' in to ? to.problem : to
  }
  return { clock, tries, asked: () => asked }
}
const guess = (nth: number) => `guess-number-${String(nth).padStart(5, '0')}`

describe('CRD-03 a purchase tells nobody without limit whether a secret is that of an account', () => {
  test('thirty wrong ones are told so; then nobody learns anything, the right one neither, until ten seconds passed', async () => {
    const { clock, tries, asked } = caller()
    for (let nth = 0; nth < WRONG_AT_ONCE; nth++) expect(await tries(guess(nth))).toBe('credit_auth_mismatch')
    expect([await tries(guess(31)), await tries(RIGHT)]).toEqual(['rate_limited', 'rate_limited'])
    expect(asked()).toBe(WRONG_AT_ONCE)
    clock.ms += 9_999
    expect(await tries(RIGHT)).toBe('rate_limited')
    clock.ms += 1
    expect(await tries(RIGHT)).toEqual(VICTIM)
  })

  test('three hundred at once over as many connections, the right one among them: thirty are told, it is not', async () => {
    const { tries } = caller()
    const told = await Promise.all(
      Array.from({ length: 300 }, (_, nth) => tries(nth === 299 ? RIGHT : guess(nth))),
    )
    expect(told.filter((each) => each === 'credit_auth_mismatch')).toHaveLength(WRONG_AT_ONCE)
    expect(told.filter((each) => each === 'rate_limited')).toHaveLength(270)
  })

  test('right ones count as nothing: two hundred at once all go through', async () => {
    const { tries } = caller()
    const told = await Promise.all(Array.from({ length: 200 }, () => tries(RIGHT)))
    expect(new Set(told.map((each) => JSON.stringify(each)))).toEqual(new Set([JSON.stringify(VICTIM)]))
  })

  test.each([
    ['a good that is no credit', read, RIGHT],
    ['no secret', pack, ''],
  ])('%s asks for no account', async (_, good, secret) => {
    const { tries, asked } = caller()
    expect(await tries(secret, good)).toBeNull()
    expect(asked()).toBe(0)
  })
})

describe('CRD-11 no credit is sold onto an account that could not spend it', () => {
  test.each([
    [true, 'credit_frozen'],
    [false, VICTIM],
  ] as const)('frozen: %s', async (frozen, to) => {
    expect(await caller(frozen).tries(RIGHT)).toEqual(to)
  })

  test('who does not have its secret does not learn that it is frozen', async () => {
    expect(await caller(true).tries(guess(1))).toBe('credit_auth_mismatch')
  })
})
