import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { takenBack } from '../../../api/classic/book.ts'
import type { Intent } from '../../../api/classic/intent.ts'
import { change, readIntent } from '../../../api/classic/money.ts'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { digestOfToken } from '../../../api/entitlements/token.ts'
import { createFinalityLedger } from '../../../api/ledger/finality.ts'
import { KEYS } from '../../../api/ledger/keys.ts'
import { verifyParts } from '../../../api/receipts/verify.ts'
import { type ClassicMoneyPorts, watchClassicMoney } from '../../../api/worker/watchClassicMoney.ts'
import { DAY, SECOND } from '../../../ops/units.ts'
import { quietLog } from '../../support/ledger.ts'
import { allBoards, BUYER, classicWorld, SECRET, signedFor } from './world.ts'

/** CHN-02, CHN-03, RCP-07 for classic purchases, on a rail whose transfers leave when the test says so. */
const world = classicWorld()
let ports: ClassicMoneyPorts
let atMs = 0
beforeAll(() => {
  const { answers } = world.ports
  ports = {
    intents: world.intents,
    credits: world.credits,
    rails: world.cash.rails,
    answers,
    chainId: 8453,
    log: quietLog,
    finality: createFinalityLedger(world.store.redis),
  }
})
beforeEach(() => {
  atMs = Date.now()
  world.goods = allBoards()
})

/** One look of the worker, `seconds` after the one before. */
const watchAfter = (seconds: number) => {
  atMs += seconds * SECOND
  return watchClassicMoney(ports, atMs)
}
/** Two looks, the second after longer than a reorganisation takes. */
async function watchPastGrace() {
  const counts = await watchAfter(16)
  expect(counts.suspended).toBe(0)
  return await watchAfter(31)
}
async function buy(sku: string, more: object = {}) {
  const payment = await world.open({ sku, payload: {}, ...more })
  const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
  const said = await world.post('/fulfill', { buyerId: BUYER, intentId: payment.intentId, txHash })
  expect(said.status, said.text).toBe(200)
  return { ...payment, txHash, said, result: said.json.result }
}
const intentOf = async (intentId: string) => (await readIntent(world.nameOf(intentId), world.ports))!.intent
const isWatched = async (intentId: string) =>
  (await world.store.redis.zscore('intents:unfinal', world.nameOf(intentId))) !== null
const journal = async () =>
  (await world.store.redis.xrange(KEYS.sales, '-', '+')).flatMap(([, [field, text]]) =>
    field === 'reversal' ? [JSON.parse(text!)] : [],
  )
const verified = ({
  paymentAttestation: { attestationId, payload, signature },
}: {
  paymentAttestation: Attested
}) =>
  Promise.all(
    [{ id: attestationId }, { payload, signature }, { id: attestationId, payload, signature }].map((parts) =>
      verifyParts(parts, { ledger: world.store.ledger, receiptKeys: world.ports.answers.receiptKeys }),
    ),
  )
type Attested = { attestationId: string; payload: unknown; signature: string }

describe('CHN-03 the money of a delivered purchase leaves its chain', () => {
  test('its token stops, its receipt is revoked, the sale is reversed; all of it returns with the money', async () => {
    const { result, txHash, intentId } = await buy('SKU_AG_HOUR_PASS_01')
    const standing = async () =>
      (await world.post('/checkout/settle', { buyerId: BUYER, intentId })).json.settlement
    expect(await standing()).toMatchObject({ state: 'Delivered', revoked: false })
    const digest = digestOfToken(result.token)
    const expiresMs = async () => (await world.store.ledger.grant('pass', digest))!.expiresMs
    const bought = await expiresMs()
    expect((await verified(result)).every(({ valid }) => valid)).toBe(true)
    const before = (await journal()).length

    const restore = world.cash.forget(txHash)
    expect((await watchPastGrace()).suspended).toBe(1)
    expect(await expiresMs()).toBeLessThanOrEqual(Date.now())
    for (const verdict of await verified(result))
      expect(verdict).toEqual({ valid: false, reason: 'revoked', revokedAt: expect.stringMatching(/^2\d+-/) })
    expect((await journal()).slice(before)).toMatchObject([
      {
        purchasePath: 'reversed',
        rail: 'usdc_base',
        tx: txHash,
        amountMicroUsdc: expect.stringMatching(/^-/),
      },
    ])
    expect(await standing()).toMatchObject({ revoked: true, next: expect.stringContaining('Send no more') })
    expect((await watchAfter(16)).suspended).toBe(0)

    restore()
    expect((await watchAfter(16)).restored).toBe(1)
    expect(await expiresMs()).toBe(bought)
    expect(await standing()).toMatchObject({ state: 'Delivered', revoked: false })
    expect((await verified(result)).every(({ valid }) => valid)).toBe(true)
    const entries = (await journal()).slice(before)
    expect(entries.map(({ purchasePath }) => purchasePath)).toEqual(['reversed', 'restored'])
    expect(new Set(entries.map(({ eventId }) => eventId)).size).toBe(2)
  })

  test('credit that it brought is owed: the account is frozen until the money is back', async () => {
    const { txHash } = await buy('SKU_AG_CREDITS_02', { creditSpendAuth: SECRET })
    const holder = {
      account: accountDigest(BUYER),
      auth: creditAuthDigest(world.secret, BUYER, SECRET),
    }
    expect(await world.credits.balance(holder)).toMatchObject({ balanceMicro: 2_000_000n, frozen: false })
    const restore = world.cash.forget(txHash)
    expect((await watchPastGrace()).suspended).toBe(1)
    expect(await world.credits.balance(holder)).toMatchObject({ frozen: true })
    expect(await world.store.redis.hget(`credit:account:${holder.account}`, 'debt')).toBe('2000000')
    restore()
    await watchAfter(16)
    expect(await world.credits.balance(holder)).toMatchObject({ frozen: false })
  })

  test.each([
    ['with a failed transaction', (tx: string) => world.cash.fail(tx)],
    ['into no block', (tx: string) => world.cash.amend(tx, { confirmations: 0 })],
    ['to somebody else', (tx: string) => world.cash.amend(tx, { key: 'tx:8453:0x00:log9' })],
  ])('%s is gone as well', async (_, leave) => {
    const { txHash } = await buy('SKU_AG_PING_01')
    leave(txHash)
    expect((await watchPastGrace()).suspended).toBe(1)
  })

  test('the operator is told of it when it happens: a pass that breaks off later does not lose it', async () => {
    const { txHash, intentId, amountAtomic } = await buy('SKU_AG_HOUR_PASS_01')
    const twice = world.cash.send('usdc_base', { atomic: amountAtomic })
    await world.post('/fulfill', { buyerId: BUYER, intentId, txHash: twice })
    expect((await intentOf(intentId)).notes).toHaveLength(1)
    world.cash.forget(txHash)
    await watchAfter(16)
    const told: string[] = []
    const finality = {
      ...ports.finality,
      suspend: async (...of: Parameters<typeof ports.finality.suspend>) => {
        const outcome = await ports.finality.suspend(...of)
        world.cash.down(true) //  the look at the note fails
        return outcome
      },
    }
    onTestFinished(() => world.cash.down(false))
    atMs += 31 * SECOND
    await watchClassicMoney({ ...ports, finality, onOutcome: (outcome) => told.push(outcome) }, atMs)
    expect(told).toEqual(['suspended'])
  })

  test('back within the grace: nothing was taken, and it counts as gone no more', async () => {
    const { txHash, intentId } = await buy('SKU_AG_PING_01')
    const missing = () => world.store.redis.hexists(`claim:intent:${world.nameOf(intentId)}`, 'missing')
    const restore = world.cash.forget(txHash)
    expect((await watchAfter(16)).suspended).toBe(0)
    expect(await missing()).toBe(1)
    restore()
    expect((await watchAfter(16)).restored).toBe(0)
    expect(await missing()).toBe(0)
  })

  test('lost for a day: watched no more, revoked for good', async () => {
    const { txHash, intentId, result } = await buy('SKU_AG_PING_01')
    world.cash.forget(txHash)
    await watchPastGrace()
    expect((await watchAfter(DAY / SECOND)).lost).toBeGreaterThanOrEqual(1)
    expect(await isWatched(intentId)).toBe(false)
    expect((await verified(result)).map(({ valid }) => valid)).toEqual([false, false, false])
  })

  describe('I9 two workers: one gives it up while the other one’s look, which sees it back, is under way', () => {
    /** A worker whose look at the chain takes until it is let go. */
    async function slowWorker(lookAtMs: number) {
      let letGo = (): void => {}
      const gate = new Promise<void>((go) => {
        letGo = go
      })
      let isAsked = (): void => {}
      const asked = new Promise<void>((at) => {
        isAsked = at
      })
      const rails = ports.rails.map((rail) => ({
        ...rail,
        byHash: async (...named: Parameters<typeof rail.byHash>) => {
          isAsked()
          await gate
          return await rail.byHash(...named)
        },
      }))
      const looked = watchClassicMoney({ ...ports, rails }, lookAtMs)
      await asked
      return async () => {
        letGo()
        return await looked
      }
    }
    async function lost() {
      const { result, txHash, intentId } = await buy('SKU_AG_HOUR_PASS_01')
      const putBack = world.cash.forget(txHash)
      expect((await watchPastGrace()).suspended).toBe(1)
      const name = world.nameOf(intentId)
      const intent = async () => (await readIntent(name, world.ports))!.intent
      const isGood = async () =>
        (await world.store.ledger.grant('pass', digestOfToken(result.token)))!.expiresMs > Date.now()
      return { intent, name, putBack, isGood }
    }
    afterEach(() => world.store.redis.del('intents:unfinal'))

    test('what became store credit is not restored as well', async () => {
      const { intent, putBack, isGood } = await lost()
      const goOn = await slowWorker(atMs + DAY - 60 * SECOND)
      expect((await watchAfter(86_400)).lost).toBe(1)
      putBack()
      expect((await goOn()).restored).toBe(0)
      expect(await intent()).toMatchObject({ state: 'Refunded' })
      expect(await isGood()).toBe(false)
    })

    test('nor if it is given up in the moment in which it is restored', async () => {
      const { intent, name, putBack, isGood } = await lost()
      putBack()
      const restore: typeof ports.finality.restore = async (...of) => {
        const outcome = await ports.finality.restore(...of)
        const asGivenUp = (now: Intent) => takenBack({ ...now, suspendedMs: atMs }, new Set(), atMs)
        await change(name, asGivenUp, world.ports)
        return outcome
      }
      atMs += 16 * SECOND
      const counts = await watchClassicMoney({ ...ports, finality: { ...ports.finality, restore } }, atMs)
      expect(counts.restored).toBe(0)
      expect(await intent()).toMatchObject({ state: 'Refunded' })
      expect(await isGood()).toBe(false)
    })
  })

  test('I4 an answer that was given is given again while its chain does not answer', async () => {
    const { intentId, said } = await buy('SKU_AG_HOUR_PASS_01')
    world.cash.down(true)
    onTestFinished(() => world.cash.down(false))
    const again = await world.post('/fulfill', { buyerId: BUYER, intentId })
    expect([again.status, again.text]).toEqual([200, said.text])
  })

  test('a chain that does not answer takes nothing back', async () => {
    const { intentId } = await buy('SKU_AG_PING_01')
    world.cash.down(true)
    expect((await watchPastGrace()).suspended).toBe(0)
    world.cash.down(false)
    expect(await isWatched(intentId)).toBe(true)
  })
})

describe('unknown is never gone: a server that lags, or dropped its history, freezes nothing', () => {
  const frozen = async () => {
    const { txHash, intentId, result } = await buy('SKU_AG_HOUR_PASS_01')
    const restore = world.cash.forget(txHash)
    world.cash.whole(false)
    return { txHash, intentId, restore, digest: digestOfToken(result.token) }
  }
  const expiresMs = async (digest: string) => (await world.store.ledger.grant('pass', digest))!.expiresMs
  afterEach(() => world.cash.whole(true))

  test('what was bought goes on working for as long as it cannot tell, and the operator is told', async () => {
    const { digest } = await frozen()
    for (const seconds of [16, 31, 3_600]) {
      const counts = await watchAfter(seconds)
      expect(counts).toMatchObject({ suspended: 0, lost: 0 })
      expect(counts.unsure).toBeGreaterThanOrEqual(1)
    }
    expect(await expiresMs(digest)).toBeGreaterThan(Date.now())
  })

  test('it has all blocks again, and still does not know it: gone, after the same grace', async () => {
    const { digest } = await frozen()
    await watchAfter(1)
    world.cash.whole(true)
    await watchAfter(16)
    expect(await expiresMs(digest)).toBeGreaterThan(Date.now())
    await watchAfter(31)
    expect(await expiresMs(digest)).toBeLessThanOrEqual(Date.now())
  })

  test('it catches up between two questions of one look: asked again, it knows', async () => {
    const { intentId, restore } = await frozen()
    world.cash.whole(true)
    world.cash.onWhole(restore)
    await watchAfter(16)
    expect(await world.store.redis.hexists(`claim:intent:${world.nameOf(intentId)}`, 'missing')).toBe(0)
  })

  test('RAIL-08 nor does one that is behind its block, and has it as one that waits', async () => {
    const { txHash } = await buy('SKU_AG_HOUR_PASS_01')
    world.cash.amend(txHash, { confirmations: 0 })
    world.cash.whole(false)
    for (const seconds of [16, 31, 3_600])
      expect(await watchAfter(seconds)).toMatchObject({ suspended: 0, lost: 0 })
  })

  test('before anything was given: neither delivered nor given back', async () => {
    const payment = await world.open({ sku: 'SKU_AG_PING_01', payload: {} })
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    await world.watch()
    world.cash.forget(txHash)
    world.cash.whole(false)
    const said = await world.post('/fulfill', { buyerId: BUYER, intentId: payment.intentId })
    expect([said.status, said.json.code]).toEqual([503, 'settlement_pending'])
    world.pass(DAY + SECOND)
    await world.watch()
    const { body } = (await world.intents.find(world.nameOf(payment.intentId)))!
    expect(JSON.parse(body).state).toBe('Confirmed')
  })

  test('after seven days it is not asked any more; all stays as it is', async () => {
    const { intentId, digest } = await frozen()
    await watchAfter((world.nowMs + 7 * DAY - atMs) / SECOND - 60)
    expect(await isWatched(intentId)).toBe(true)
    await watchAfter(61)
    expect(await isWatched(intentId)).toBe(false)
    expect(await world.store.redis.hexists(`grant:pass:${digest}`, 'revoked')).toBe(0)
  })
})

describe('a purchase is watched until its money lies as deep as the largest sum has to', () => {
  test.each([
    [5, true],
    [6, false],
  ])('%d deep', async (confirmations, watched) => {
    const { txHash, intentId } = await buy('SKU_AG_PING_01')
    world.cash.amend(txHash, { confirmations })
    await watchAfter(16)
    expect(await isWatched(intentId)).toBe(watched)
  })

  test('I9 and waits fifteen seconds for its next look, so that every other has his', async () => {
    const { intentId } = await buy('SKU_AG_PING_01')
    await watchAfter(16)
    const due = (ms: number) => world.intents.unfinal(100, atMs + ms)
    expect(await due(15 * SECOND - 1)).not.toContain(world.nameOf(intentId))
    expect(await due(15 * SECOND)).toContain(world.nameOf(intentId))
  })

  test('one that credit alone has paid is not watched', async () => {
    const buyer = 'covered-by-credit'
    const holder = { account: accountDigest(buyer), auth: creditAuthDigest(world.secret, buyer, SECRET) }
    await world.credits.deposit('lot-covered', 1_000_000n, holder.account, holder.auth)
    const order = { buyerId: buyer, sku: 'SKU_AG_PING_01', payload: {}, creditSpendAuth: SECRET }
    const said = await world.post('/purchase-intent', order)
    expect(said.status, said.text).toBe(200)
    expect(await isWatched(said.json.payment.intentId)).toBe(false)
  })
})

describe('money that left before anything was given for it', () => {
  const paid = async () => {
    const payment = await world.open({ sku: 'SKU_AG_PING_01', payload: {} })
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    await world.watch()
    return { intentId: payment.intentId as string, txHash }
  }
  const fulfill = (intentId: string) => world.post('/fulfill', { buyerId: BUYER, intentId })

  test('nothing is delivered until it is there again', async () => {
    const { intentId, txHash } = await paid()
    const restore = world.cash.forget(txHash)
    const said = await fulfill(intentId)
    expect([said.status, said.json.code]).toEqual([503, 'settlement_pending'])
    expect(await world.store.ledger.find(`intent:${world.nameOf(intentId)}`)).toBeNull()
    restore()
    expect((await fulfill(intentId)).status).toBe(200)
  })

  test('I4 claimed, and not answered yet: the claim stands, and is answered when it is there again', async () => {
    const { intentId, txHash } = await paid()
    world.atFaultPoint = (point) => {
      if (point === 'CP8') throw new Error('the process dies')
    }
    expect((await fulfill(intentId)).status).toBe(500)
    world.atFaultPoint = () => {}
    const restore = world.cash.forget(txHash)
    expect((await fulfill(intentId)).json.code).toBe('settlement_pending')
    await watchPastGrace()
    expect((await fulfill(intentId)).json.code).toBe('settlement_pending')
    restore()
    expect((await fulfill(intentId)).status).toBe(200)
  })

  test('CHN-06 back in a younger block it is as deep as its sum requires before anything is given', async () => {
    const { intentId, txHash } = await paid()
    world.cash.amend(txHash, { confirmations: 1 })
    expect((await fulfill(intentId)).json.code).toBe('settlement_pending')
    world.cash.amend(txHash, { confirmations: 2 })
    expect((await fulfill(intentId)).status).toBe(200)
  })

  test('what cannot be delivered for a minute becomes store credit, but not while its money is gone', async () => {
    const payment = await world.open({ sku: 'SKU_SIGNAL_FEED_29' })
    const intentId: string = payment.intentId
    const txHash = world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    await world.watch()
    world.goods = { ...allBoards(), boards: {} }
    expect((await fulfill(intentId)).json.code).toBe('no_data')
    world.pass(60 * SECOND)
    const restore = world.cash.forget(txHash)
    const said = await fulfill(intentId)
    expect([said.json.code, said.json.settlement.state, said.json.settlement.notes]).toEqual([
      'no_data',
      'Confirmed',
      [],
    ])
    restore()
    expect((await fulfill(intentId)).json.settlement).toMatchObject({
      state: 'Refunded',
      notes: [{ kind: 'undeliverable' }],
    })
  })

  test('what nobody fetches for a day becomes store credit, unless its money is gone', async () => {
    const [here, gone] = [await paid(), await paid()]
    world.cash.forget(gone.txHash)
    world.pass(DAY + SECOND)
    await world.watch()
    const stateOf = async ({ intentId }: { intentId: string }) =>
      JSON.parse((await world.intents.find(world.nameOf(intentId)))!.body).state
    expect([await stateOf(here), await stateOf(gone)]).toEqual(['Refunded', 'Confirmed'])
  })
})

describe('CHN-06 what is too much lies as deep as all of it before it is credit', () => {
  test('a hundredfold payment waits for the depth of its whole value', async () => {
    const payment = await world.open({ sku: 'SKU_INQUIRY_01', payload: {} })
    const txHash = world.cash.send('usdc_base', { atomic: 60_000_000n })
    const body = await signedFor({ buyerId: BUYER, intentId: payment.intentId, txHash })
    const settle = () => world.post('/checkout/settle', body)
    world.cash.amend(txHash, { confirmations: 3 })
    expect((await settle()).json.settlement.transactions).toEqual([])
    world.cash.amend(txHash, { confirmations: 4 })
    expect((await settle()).json.settlement.transactions).toEqual([txHash])
  })
})

describe('I4 the receiver of a rail was changed by who runs the service', () => {
  /** Rails as they are after a restart: they look for payments to the receivers that are configured now. */
  const moved = (at = 0) => {
    const rail = world.cash.rails[at]!
    const was = { ...rail }
    Object.assign(rail, { receiverAddress: `0x${'D1'.repeat(20)}` })
    onTestFinished(() => void Object.assign(rail, was))
  }

  test('what was delivered stays: its money has not left its chain', async () => {
    const { intentId, txHash, result } = await buy('SKU_SIGNAL_FEED_29')
    moved()
    expect((await watchPastGrace()).suspended).toBe(0)
    world.cash.amend(txHash, { confirmations: 6 })
    expect((await watchAfter(16)).final).toBe(1)
    expect(await isWatched(intentId)).toBe(false)
    expect((await verified(result)).every(({ valid }) => valid)).toBe(true)
  })

  test('what was paid and not fetched yet is delivered', async () => {
    const payment = await world.open({ sku: 'SKU_AG_PING_01', payload: {} })
    world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    expect((await world.watch()).taken).toBe(1)
    moved()
    const said = await world.post('/fulfill', { buyerId: BUYER, intentId: payment.intentId })
    expect(said.status, said.text).toBe(200)
  })

  test('CHN-03 what was delivered is taken back when its money leaves the chain, and returns with it', async () => {
    const { txHash } = await buy('SKU_SIGNAL_FEED_29')
    moved()
    const restore = world.cash.forget(txHash)
    expect((await watchPastGrace()).suspended).toBe(1)
    restore()
    expect((await watchAfter(16)).restored).toBe(1)
  })

  test.each([
    ['usdc_base', 0],
    ['eth_base', 2],
  ] as const)(
    '%s: who pays whom his intent named is found by the hash, and is told to send it',
    async (rail, at) => {
      const payment = await world.open({ sku: 'SKU_AG_HOUR_PASS_01', payload: {}, paymentRail: rail })
      const { intentId } = payment
      moved(at)
      const txHash = world.cash.send(rail, { atomic: payment.amountAtomic })
      const waits = await world.post('/fulfill', { buyerId: BUYER, intentId })
      expect([waits.status, waits.json.settlement.next]).toEqual([
        202,
        expect.stringContaining('do not pay again: send txHash'),
      ])
      const said = await world.post('/fulfill', { buyerId: BUYER, intentId, txHash })
      expect(said.status, said.text).toBe(200)
      expect(said.json.result.paymentAttestation.payload.payTo).toBe(world.cash.receiver)
    },
  )

  test('the same request again names whom it named, not who receives now', async () => {
    const order = { sku: 'SKU_DLQ_01', buyerId: 'agent-of-two', creditSpendAuth: SECRET }
    const account = accountDigest('agent-of-two')
    await world.credits.deposit(
      'lot-of-two',
      1_000_000n,
      account,
      creditAuthDigest(world.secret, 'agent-of-two', SECRET),
    )
    const ask = () => world.post('/purchase-intent', order, { headers: { 'idempotency-key': 'once' } })
    const first = (await ask()).json.payment
    moved()
    const again = (await ask()).json.payment
    expect(again).toEqual({
      ...first,
      discovers: false,
      paymentOptions: first.paymentOptions.map((option: { paymentRail: string; discovers: boolean }) => ({
        ...option,
        discovers: option.discovers && option.paymentRail !== 'usdc_base',
      })),
    })
  })

  test('an intent from before intents named receivers is paid to who receives now', async () => {
    const payment = await world.open({ sku: 'SKU_AG_HOUR_PASS_01', payload: {} })
    const name = world.nameOf(payment.intentId)
    const { redis } = world.store
    const body = JSON.parse((await redis.hget(KEYS.intent(name), 'body'))!)
    for (const quote of body.quotes) delete quote.receivers
    await redis.hset(KEYS.intent(name), 'body', JSON.stringify(body))
    const ask = () => world.post('/fulfill', { buyerId: BUYER, intentId: payment.intentId })
    expect((await ask()).json.settlement.next).toContain('until it is found')
    world.cash.send('usdc_base', { atomic: payment.amountAtomic })
    expect((await ask()).status).toBe(200)
  })
})

describe('I4, CHN-05 a rail is offered no more, with purchases open on it', () => {
  const withdrawn = (id: string) => {
    const all = world.ports.rails
    Object.assign(world.ports, { rails: all.filter((rail) => rail.id !== id) })
    const back = () => void Object.assign(world.ports, { rails: all })
    onTestFinished(back)
    return back
  }
  const order = { sku: 'SKU_AG_HOUR_PASS_01', payload: {}, buyerId: BUYER, paymentRail: 'eth_base' }

  test('who may have paid by it is not told that nothing was charged, and has his answer when it is back', async () => {
    const { intentId, amountAtomic } = await world.open(order)
    const txHash = world.cash.send('eth_base', { atomic: amountAtomic })
    const ask = () => world.post('/fulfill', { buyerId: BUYER, intentId, txHash })
    const back = withdrawn('eth_base')
    const said = await ask()
    back()
    expect([said.status, said.json.code]).toEqual([503, 'rail_unavailable'])
    expect(said.json.next).toMatch(/^If you have paid by it, send no more/)
    expect((await ask()).status).toBe(200)
  })

  test('what came too late by it is store credit, and its claim code is told', async () => {
    const { intentId, amountAtomic } = await world.open({ ...order, buyerId: 'late-on-ether' })
    world.pass(60 * 60 * SECOND)
    await world.watch()
    const txHash = world.cash.send('eth_base', { atomic: amountAtomic })
    const ask = (path: string, more = {}) => world.post(path, { buyerId: 'late-on-ether', intentId, ...more })
    expect((await ask('/fulfill', { txHash })).status).toBe(202)
    await world.unclaimed(txHash)
    world.pass(2 * 60 * SECOND)
    await world.watch()
    withdrawn('eth_base')
    const said = await ask('/checkout/settle')
    expect(said.status, said.text).toBe(200)
    expect(said.json.settlement.notes).toMatchObject([{ kind: 'late', claimCode: expect.any(String) }])
    const refused = await ask('/fulfill')
    expect([refused.status, refused.json.code]).toEqual([409, 'intent_lapsed'])
    expect(refused.json.settlement.notes).toEqual(said.json.settlement.notes)
  })

  test.each([
    ['credit covers all', 5_000_000n],
    ['it is to be paid', 0n],
  ])('a purchase that names it is refused before anything is held: %s', async (_, micro) => {
    const buyerId = `agent-of-${micro}`
    const holder = { account: accountDigest(buyerId), auth: creditAuthDigest(world.secret, buyerId, SECRET) }
    if (micro > 0n) await world.credits.deposit(`lot-${micro}`, micro, holder.account, holder.auth)
    withdrawn('eth_base')
    const said = await world.post('/purchase-intent', { ...order, buyerId, creditSpendAuth: SECRET })
    expect([said.status, said.json.code, said.retryAfter]).toEqual([503, 'rail_unavailable', '2'])
    expect((await world.credits.balance(holder))?.heldMicro ?? 0n).toBe(0n)
  })

  test.each([
    ['delivered', 5_000_000n, 200],
    ['still to be paid', 100_000n, 503],
  ])('the same request again, of one that is %s', async (_, micro, status) => {
    const buyerId = `agent-again-${micro}`
    const { account, auth } = {
      account: accountDigest(buyerId),
      auth: creditAuthDigest(world.secret, buyerId, SECRET),
    }
    await world.credits.deposit(`lot-again-${micro}`, micro, account, auth)
    const body = { ...order, buyerId, creditSpendAuth: SECRET }
    const ask = () => world.post('/purchase-intent', body, { headers: { 'idempotency-key': 'once' } })
    const first = await ask()
    withdrawn('eth_base')
    const again = await ask()
    expect(again.status, again.text).toBe(status)
    if (status === 200) expect(again.json.result).toEqual(first.json.result)
  })
})
