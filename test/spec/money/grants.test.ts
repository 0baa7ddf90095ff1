import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFeedAccess } from '../../../api/entitlements/feedToken.ts'
import { digestOfToken, isToken, tokenOf } from '../../../api/entitlements/token.ts'
import { signalFeed } from '../../../api/goods/services/signalFeed.ts'
import { GAP_CARDS } from '../../../engine/contract/gapCards.ts'
import { TOKEN_ABI } from '../../../ops/sandbox/chain/tokenAbi.ts'
import { DAY, SECOND } from '../../../ops/units.ts'
import { snapshotOf, someCard } from '../../support/boards.ts'
import {
  type Answer,
  get,
  headerOf,
  type Offer,
  offerOf,
  paid,
  payloadOf,
  payment,
} from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { isAlive, until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'
import { intentOver, shownTransfer, transferProof } from '../../support/transferProof.ts'

const DAY_TOKEN = '/x402/v1/bot-fuel-day'

let chain: TestChain
let service: Service
let one: string
let two: string
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain })
  ;[one, two] = service.bases as [string, string]
  await service.publish(snapshotOf(GAP_CARDS, { cards: [someCard()], unqualified: {} }))
  await until('the cards are held', async () => (await get(`${one}${DAY_TOKEN}`)).status === 402)
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const received = () => chain.balance(chain.receiver)
const access = (token: string) => createFeedAccess(service.ledger.ledger).check(token)
const feedOf = (answer: Answer) => answer.json.result.feedAccess as { feedToken: string; expiresAt: string }
const buy = async (path: string, buyer = 0) => {
  const offer = await offerOf(one, path)
  const { header } = await payment(offer, chain.buyers[buyer]!)
  return { offer, header, answer: await get(`${one}${path}`, paid(header)) }
}
const everythingKept = async () => {
  const { redis } = service.ledger
  let text = ''
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key)
    if (type === 'hash') text += JSON.stringify(await redis.hgetall(key))
    if (type === 'string') text += await redis.get(key)
    if (type === 'stream') text += JSON.stringify(await redis.xrange(key, '-', '+'))
    text += key
  }
  return text
}

describe('4.1, 8 feed tokens last 24 hours, 24 hours and 7 days', () => {
  test.each([
    [DAY_TOKEN, 'SKU_AG_BOT_FUEL_24H', '1490000', 1],
    ['/x402/v1/alpha-day', 'SKU_AG_ALPHA_24H', '1190000', 1],
    ['/x402/v1/alpha-7d', 'SKU_AG_ALPHA_7D', '3990000', 7],
  ])('%s', async (path, sku, amount, days) => {
    const { offer, answer } = await buy(path)
    expect(offer.amount).toBe(amount)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.json).toMatchObject({
      sku,
      result: {
        feedAccess: {
          jsonFeedUrl: 'http://127.0.0.1:8402/api/v1/alpha-feed',
          venueWireUrl: 'http://127.0.0.1:8402/venue-wire/gaps',
        },
      },
    })
    const { feedToken, expiresAt } = feedOf(answer)
    const expiresMs = Date.parse(expiresAt)
    expect(Math.abs(expiresMs - Date.now() - days * DAY)).toBeLessThan(60 * SECOND)
    expect(await access(feedToken)).toMatchObject({ sku, expiresMs })
  })

  test('that of SKU_SIGNAL_FEED_29, for thirty days, is issued the same way', () => {
    const issued = signalFeed.grant!.issue({ token: 't', nowMs: 1_000, publicUrl: 'http://x' })
    expect(issued.expiresMs).toBe(1_000 + 30 * DAY)
  })

  test('is refused before payment while there is nothing to tell', async () => {
    const empty = await startService({ chain, processes: 1, empty: true })
    try {
      const offer = await offerOf(empty.bases[0]!, DAY_TOKEN)
      const { header } = await payment(offer, chain.buyers[0]!)
      const before = await received()
      const answer = await get(`${empty.bases[0]}${DAY_TOKEN}`, paid(header))
      expect([answer.status, answer.json.code]).toEqual([503, 'no_data'])
      expect(await received()).toBe(before)
    } finally {
      await empty.stop()
    }
  })
})

describe('I16 a token is a function of its claim', () => {
  test('64 copies over two processes: one token, one payment', async () => {
    const { header } = await payment(await offerOf(one, DAY_TOKEN), chain.buyers[1]!)
    const before = await received()
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, at) => get(`${at % 2 ? one : two}${DAY_TOKEN}`, paid(header))),
    )
    const delivered = answers.filter(({ status }) => status === 200)
    expect(new Set(delivered.map(({ text }) => text)).size).toBe(1)
    expect((await received()) - before).toBe(1_490_000n)
    expect((await get(`${one}${DAY_TOKEN}`, paid(header))).text).toBe(delivered[0]!.text)
  })

  test.each(['CP10', 'CP11'])('the process dies at %s: the resend shows the one token', async (point) => {
    await service.restartApi(0, { FAULT_POINT: `${point}:kill` })
    const { header } = await payment(await offerOf(two, DAY_TOKEN), chain.buyers[2]!)
    await until('the process is dead', async () => {
      await get(`${one}${DAY_TOKEN}`, paid(header)).catch(() => null)
      return !isAlive(service.apis[0]!.pid)
    })
    const answer = await until('the resend is answered', async () => {
      const again = await get(`${two}${DAY_TOKEN}`, paid(header))
      return again.status === 200 ? again : null
    })
    expect(await access(feedOf(answer).feedToken)).not.toBeNull()
    await service.restartApi(0)
    expect((await get(`${one}${DAY_TOKEN}`, paid(header))).text).toBe(answer.text)
  })

  test('kinds and claims give different tokens, another secret too', () => {
    const of = (secret: string, claim: string) => tokenOf(Buffer.from(secret), 'feed', claim)
    expect(new Set([of('s', 'a'), of('s', 'b'), of('t', 'a')]).size).toBe(3)
    expect(isToken(of('s', 'a'), 'feed')).toBe(true)
    expect(isToken(`${of('s', 'a')}x`, 'feed')).toBe(false)
  })
})

describe('4 the ledger holds digests, never a token', () => {
  test('nothing in the ledger contains a delivered token; its digest is there', async () => {
    const { answer } = await buy(DAY_TOKEN)
    const { feedToken } = feedOf(answer)
    const kept = await everythingKept()
    expect(kept).toContain(digestOfToken(feedToken))
    expect(kept).not.toContain(feedToken)
    expect(kept).not.toContain(feedToken.slice(5))
  })

  test.each(['', 'feed_', 'nonsense', `feed_${'A'.repeat(43)}`, `pass_${'A'.repeat(43)}`])(
    '%j is no token of ours',
    async (token) => expect(await access(token)).toBeNull(),
  )

  test('an expired token is still known as expired', async () => {
    const token = `feed_${'B'.repeat(43)}`
    await service.ledger.redis.hset(`grant:feed:${digestOfToken(token)}`, {
      sku: 'S',
      claim: 'c',
      expires: 1_000,
    })
    expect(await access(token)).toMatchObject({ sku: 'S', expiresMs: 1_000 })
  })
})

describe('what a settled transaction shows does not fetch the token', () => {
  const copied = async (offer: Offer, change: Record<string, unknown>) => {
    const { header } = await payment(offer, chain.buyers[0]!)
    const sold = JSON.parse(Buffer.from(header, 'base64').toString())
    return {
      header,
      thief: headerOf({ ...sold, accepted: { ...offer, extra: { ...offer.extra, ...change } } }),
    }
  }

  test('with a redemption secret of one’s own the payment is bound elsewhere', async () => {
    const { header, thief } = await copied(await offerOf(one, DAY_TOKEN), { redemption: 'x'.repeat(24) })
    const bought = await get(`${one}${DAY_TOKEN}`, paid(header))
    expect(bought.status).toBe(200)
    const stolen = await get(`${two}${DAY_TOKEN}`, paid(thief))
    expect([stolen.status, stolen.json.code]).toEqual([409, 'bound_elsewhere'])
    expect(stolen.text).not.toContain(feedOf(bought).feedToken)
  })

  test('without one a payment that has bought is not told that nothing was charged', async () => {
    const { header, thief } = await copied(await offerOf(one, DAY_TOKEN), { redemption: undefined })
    expect((await get(`${one}${DAY_TOKEN}`, paid(header))).status).toBe(200)
    const again = await get(`${two}${DAY_TOKEN}`, paid(thief))
    expect([again.status, again.json.code]).toEqual([409, 'bound_elsewhere'])
    expect(again.text).not.toContain('nothing was charged')
  })

  test.each([
    ['without one', undefined],
    ['with a short one', 'abc'],
    ['with one that is no text', 7],
  ])('%s nothing is charged, and the 402 shows the next offer', async (_, redemption) => {
    const offer = await offerOf(one, DAY_TOKEN)
    const { thief } = await copied(offer, { redemption })
    const before = await received()
    const answer = await get(`${one}${DAY_TOKEN}`, paid(thief))
    expect([answer.status, answer.json.code]).toEqual([402, 'redemption_missing'])
    expect(answer.json.accepts[0].extra.redemption).toMatch(/^[\w-]{24}$/)
    expect(answer.json.accepts[0].extra.redemption).not.toBe(offer.extra.redemption)
    expect(await received()).toBe(before)
  })

  test.each([DAY_TOKEN, '/x402/v1/ping'])('every unpaid caller of %s gets another secret', async (path) => {
    const [first, second] = [await offerOf(one, path), await offerOf(one, path)]
    expect(first.extra.redemption).toMatch(/^[\w-]{24}$/)
    expect(first.extra.redemption).not.toBe(second.extra.redemption)
  })

  test('by a transfer: the same proof again shows the token, another intent over the same transfer does not', async () => {
    const unpaid = await get(`${one}${DAY_TOKEN}`)
    const intent = unpaid.json.payment
    const txHash = await chain.send(
      chain.buyers[3]!,
      chain.usdc,
      encodeFunctionData({
        abi: TOKEN_ABI,
        functionName: 'transfer',
        args: [intent.payTo, BigInt(intent.amountAtomic)],
      }),
    )
    const first = await get(
      `${one}${DAY_TOKEN}`,
      await transferProof(chain.buyers[3]!, intent.intentId, txHash),
    )
    expect(first.status, first.text).toBe(200)
    const again = await get(`${two}${DAY_TOKEN}`, shownTransfer(intent.intentId, txHash))
    expect(again.text).toBe(first.text)
    const fits = await intentOver(service, DAY_TOKEN, BigInt(intent.amountAtomic), { payTo: chain.receiver })
    const stolen = await get(`${one}${DAY_TOKEN}`, shownTransfer(fits, txHash))
    expect([stolen.status, stolen.json.code]).toEqual([409, 'bound_elsewhere'])
  })

  test('signed payloads of the stock shape pass: the offer is echoed as it is', async () => {
    const offer = await offerOf(one, DAY_TOKEN)
    const { signed, signature } = await payment(offer, chain.buyers[0]!)
    expect(
      (await get(`${one}${DAY_TOKEN}`, paid(headerOf(payloadOf(offer, signed, signature))))).status,
    ).toBe(200)
  })
})
