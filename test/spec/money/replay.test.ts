import {
  createTestClient,
  encodeFunctionData,
  type Hex,
  http,
  parseSignature,
  serializeSignature,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KEYS } from '../../../api/ledger/keys.ts'
import { transferKey } from '../../../api/ledger/ledger.ts'
import { TOKEN_ABI } from '../../../ops/sandbox/chain/tokenAbi.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../ops/units.ts'
import { type Answer, get, headerOf, offerOf, paid, payloadOf, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'
import { intentOver, shownTransfer, transferProof } from '../../support/transferProof.ts'

const PING = '/x402/v1/ping'
const SPREAD = '/x402/v1/spread'
const NET = '/x402/v1/net'
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

let chain: TestChain
let service: Service
let one: string
let two: string
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain })
  ;[one, two] = service.bases as [string, string]
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const received = () => chain.balance(chain.receiver)
/** In progress says: send the same payment again. It never says 402. */
const inProgress = (answer: Answer) =>
  (answer.status === 503 || answer.status === 409) && answer.header('retry-after') !== null

describe('5.1 the x402 flow', () => {
  test('402 → sign → 200 with PAYMENT-RESPONSE, echo, txHash and a receipt; the money is on chain', async () => {
    const offer = await offerOf(one, PING)
    const before = await received()
    const { header } = await payment(offer, chain.buyers[0]!)
    const answer = await get(`${one}${PING}?echo=hello`, paid(header))
    expect(answer.status).toBe(200)
    expect(answer.header('content-type')).toBe('application/json')
    expect(answer.header('cache-control')).toBe('private, no-store')
    const settlement = JSON.parse(Buffer.from(answer.header('payment-response')!, 'base64').toString())
    expect(settlement).toMatchObject({ success: true, network: 'eip155:8453', amount: '10000' })
    expect(answer.json).toMatchObject({
      ok: true,
      sku: 'SKU_AG_PING_01',
      result: {
        ping: { ok: true, echo: 'hello', txHash: settlement.transaction },
        paymentAttestation: { payload: { transaction: settlement.transaction, amount: '0.01' } },
      },
    })
    const receipt = await chain.clients.reads.getTransactionReceipt({ hash: settlement.transaction })
    expect(receipt.status).toBe('success')
    expect((await received()) - before).toBe(10_000n)
  })
})

describe('RPL one payment is one sale', () => {
  test('RPL-01 the same payment again: byte-identical answer, nothing moves', async () => {
    const { header } = await payment(await offerOf(one, SPREAD), chain.buyers[0]!)
    const first = await get(`${one}${SPREAD}`, paid(header))
    expect(first.status).toBe(200)
    const before = await received()
    const again = await get(`${one}${SPREAD}`, paid(header))
    expect([again.status, again.text, again.header('payment-response')]).toEqual([
      200,
      first.text,
      first.header('payment-response'),
    ])
    expect(await received()).toBe(before)
  })

  test('RPL-02, RPL-03 64 copies at once over two processes settle once and answer the same bytes', async () => {
    const { header } = await payment(await offerOf(one, PING), chain.buyers[1]!)
    const before = await received()
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) => get(`${i % 2 ? one : two}${PING}?echo=copy`, paid(header))),
    )
    const delivered = answers.filter((answer) => answer.status === 200)
    expect(delivered.length).toBeGreaterThan(0)
    expect(new Set(delivered.map((answer) => answer.text)).size).toBe(1)
    expect(
      answers.filter((answer) => answer.status !== 200 && !inProgress(answer)).map((answer) => answer.text),
    ).toEqual([])
    expect((await received()) - before).toBe(10_000n)
  })

  test('RPL-06 on another path of its own price or any other: 409, and the first answer stays', async () => {
    const { header } = await payment(await offerOf(one, SPREAD), chain.buyers[0]!)
    const first = await get(`${one}${SPREAD}`, paid(header))
    expect((await offerOf(one, NET)).amount).toBe((await offerOf(one, SPREAD)).amount)
    for (const other of [NET, PING])
      expect((await get(`${two}${other}`, paid(header))).json.code, other).toBe('bound_elsewhere')
    expect((await get(`${two}${SPREAD}`, paid(header))).text).toBe(first.text)
  })

  test('RPL-07 with another query: 409; RPL-08 the same query spelled otherwise: the stored answer', async () => {
    const { header } = await payment(await offerOf(one, SPREAD), chain.buyers[0]!)
    const first = await get(`${one}${SPREAD}?q=fed+rates&x=1`, paid(header))
    expect(first.status).toBe(200)
    const other = await get(`${one}${SPREAD}?q=fed+cut&x=1`, paid(header))
    expect([other.status, other.json.code]).toEqual([409, 'bound_elsewhere'])
    expect((await get(`${two}${SPREAD}?x=1&%71=fed%20rates`, paid(header))).text).toBe(first.text)
  })

  test('RPL-09 another spelling of the header is the same payment', async () => {
    const offer = await offerOf(one, PING)
    const { header, signed, signature } = await payment(offer, chain.buyers[0]!)
    const first = await get(`${one}${PING}`, paid(header))
    const before = await received()
    const upper = { ...signed, nonce: `0x${signed.nonce.slice(2).toUpperCase()}` as Hex }
    const spellings = [
      header.replace(/=+$/, ''),
      Buffer.from(JSON.stringify(payloadOf(offer, signed, signature), null, 2)).toString('base64'),
      headerOf({ extensions: { a: 1 }, ...payloadOf(offer, upper, signature) }),
    ]
    for (const spelling of spellings)
      expect((await get(`${two}${PING}`, paid(spelling))).text).toBe(first.text)
    expect(await received()).toBe(before)
  })

  test('RPL-10 the high-s twin of a used signature buys nothing new', async () => {
    const offer = await offerOf(one, PING)
    const { header, signed, signature } = await payment(offer, chain.buyers[0]!)
    const first = await get(`${one}${PING}`, paid(header))
    const { r, s, v } = parseSignature(signature)
    const twin = serializeSignature({
      r,
      s: `0x${(ORDER - BigInt(s)).toString(16).padStart(64, '0')}`,
      v: v === 27n ? 28n : 27n,
    })
    const before = await received()
    const answer = await get(`${two}${PING}`, paid(headerOf(payloadOf(offer, signed, twin))))
    expect(answer.status === 200 ? answer.text : first.text).toBe(first.text)
    expect([200, 400]).toContain(answer.status)
    expect(await received()).toBe(before)
  })

  test('RPL-11 the same nonce signed twice over different terms: the first wins, the other gets 409', async () => {
    const offer = await offerOf(one, PING)
    const buyer = chain.buyers[0]!
    const first = await payment(offer, buyer)
    const second = await payment(offer, buyer, {
      nonce: first.signed.nonce,
      validBefore: first.signed.validBefore - 20n,
    })
    const before = await received()
    const answers = await Promise.all([
      get(`${one}${PING}`, paid(first.header)),
      get(`${two}${PING}`, paid(second.header)),
    ])
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
    expect((await received()) - before).toBe(10_000n)
  })

  test('RPL-12 a settled payment whose claim is gone delivers nothing again', async () => {
    const offer = await offerOf(one, PING)
    const buyer = chain.buyers[0]!
    const { header, signed } = await payment(offer, buyer)
    expect((await get(`${one}${PING}`, paid(header))).status).toBe(200)
    await service.ledger.redis.del(
      `claim:auth:8453:${offer.asset.toLowerCase()}:${buyer.address.toLowerCase()}:${signed.nonce}`,
    )
    // Its window is still open, so it is looked up on chain; its transfer is booked, so it buys nothing.
    const replay = await get(`${one}${PING}`, paid(header))
    expect([replay.status, replay.json.code]).toEqual([410, 'answer_expired'])
    // Three days later the window is closed.
    const old = await payment(offer, buyer, { validBefore: BigInt(Math.floor(Date.now() / 1000)) - 259_200n })
    expect((await get(`${one}${PING}`, paid(old.header))).json.code).toBe('expired')
  })

  test('RPL-13 submitted to the chain by somebody else first: delivered once, the money came once', async () => {
    const offer = await offerOf(one, PING)
    const buyer = chain.buyers[2]!
    const { header, signed, signature } = await payment(offer, buyer)
    const before = await received()
    const { r, s, v } = parseSignature(signature)
    await chain.send(
      chain.buyers[3]!,
      offer.asset,
      encodeFunctionData({
        abi: TOKEN_ABI,
        functionName: 'transferWithAuthorization',
        args: [
          signed.from,
          signed.to,
          signed.value,
          signed.validAfter,
          signed.validBefore,
          signed.nonce,
          Number(v),
          r,
          s,
        ],
      }),
    )
    const answer = await get(`${one}${PING}`, paid(header))
    expect(answer.status).toBe(200)
    expect((await get(`${two}${PING}`, paid(header))).text).toBe(answer.text)
    expect((await received()) - before).toBe(10_000n)
  })

  test('RPL-14 an authorization cancelled on chain, or an emptied wallet: 402 and nothing delivered', async () => {
    const offer = await offerOf(one, PING)
    const buyer = chain.buyers[2]!
    const { header, signed } = await payment(offer, buyer)
    const cancel = await cancelSignature(buyer.privateKey, offer, signed.from, signed.nonce)
    await chain.send(
      buyer,
      offer.asset,
      encodeFunctionData({
        abi: TOKEN_ABI,
        functionName: 'cancelAuthorization',
        args: [signed.from, signed.nonce, Number(cancel.v), cancel.r, cancel.s],
      }),
    )
    const before = await received()
    expect((await get(`${one}${PING}`, paid(header))).json.code).toBe('nonce_used')

    const poor = { address: chain.accounts.owner.address, privateKey: chain.accounts.owner.privateKey }
    const broke = await payment(offer, poor)
    const refused = await get(`${one}${PING}`, paid(broke.header))
    expect([refused.status, refused.json.code]).toEqual([402, 'insufficient_funds'])
    expect(refused.header('payment-required')).not.toBeNull()
    expect(await received()).toBe(before)
  })
})

describe('the legacy path shares the registry (5.2)', () => {
  const buyer = () => chain.buyers[4]!
  const intentOf = async (path: string) => (await get(`${one}${path}`)).json.payment
  const transfer = (from: TestChain['buyers'][number], amount: bigint, to = chain.receiver) =>
    chain.send(
      from,
      chain.usdc,
      encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args: [to, amount] }),
    )

  test('402 → transfer → X-PAYMENT → 200, once; resent: the same bytes; another request: 409', async () => {
    const intent = await intentOf(PING)
    const txHash = await transfer(chain.buyers[4]!, BigInt(intent.amountAtomic))
    const proof = await transferProof(buyer(), intent.intentId, txHash)
    const answer = await get(`${one}${PING}?echo=old`, proof)
    expect(answer.status).toBe(200)
    expect(answer.json.result.ping).toEqual({ ok: true, echo: 'old', txHash })
    expect((await get(`${two}${PING}?echo=old`, proof)).text).toBe(answer.text)
    expect((await get(`${two}${PING}?echo=new`, proof)).json.code).toBe('bound_elsewhere')
    const shouted = shownTransfer(intent.intentId, `0X${txHash.slice(2).toUpperCase()}`)
    expect((await get(`${two}${PING}?echo=old`, shouted)).text).toBe(answer.text) // CLS-02
  })

  /** Makes the requests that contend for a transfer `ms` older. */
  const passTime = async (txHash: Hex, ms: number) => {
    const key = KEYS.contenders(transferKey(8453, txHash, 0))
    for (const name of await service.ledger.redis.zrange(key, '0', '-1'))
      await service.ledger.redis.zincrby(key, -ms, name)
  }

  test.each([
    [PING, 60],
    ['/x402/v1/scan?raw=Error%3A%20timeout', 600],
    ['/x402/v1/hour-pass', 600],
  ])(
    'CLS-03, I4 %s by its hash alone: after %d seconds in which nobody else claims it, at once when its sender signs',
    async (path, seconds) => {
      const intent = await intentOf(path)
      const txHash = await transfer(buyer(), BigInt(intent.amountAtomic))
      const shown = shownTransfer(intent.intentId, txHash)
      const early = await get(`${one}${path}`, shown)
      expect([early.status, early.json.code]).toEqual([503, 'payer_unproven_yet'])
      expect(Number(early.header('retry-after'))).toBeGreaterThan(seconds - 5)
      expect(Number(early.header('retry-after'))).toBeLessThanOrEqual(seconds)
      await passTime(txHash, (seconds - 5) * SECOND)
      expect((await get(`${two}${path}`, shown)).json.code).toBe('payer_unproven_yet')
      await passTime(txHash, 5 * SECOND)
      const answer = await get(`${two}${path}`, shown)
      expect(answer.status, answer.text).toBe(200)
      expect((await get(`${one}${path}`, shown)).text).toBe(answer.text)
    },
  )

  test.each([PING, '/x402/v1/credits-2'])(
    'CLS-03, CLS-04, I4 %s: who collects intents until one fits and is first with the hash of another gets nothing',
    async (path) => {
      const intent = await intentOf(path)
      const txHash = await transfer(buyer(), BigInt(intent.amountAtomic))
      const thief = await intentOver(service, path, BigInt(intent.amountAtomic), { payTo: chain.receiver })
      const theft = shownTransfer(thief, txHash)
      const named = { ...theft, 'x-agent-id': buyer().address }
      expect((await get(`${one}${path}`, theft)).json.code).toBe('payer_unproven_yet')
      const mine = await get(`${two}${path}`, shownTransfer(intent.intentId, txHash))
      expect([mine.status, mine.json.code, mine.json.prove]).toEqual([
        403,
        'payer_unproven',
        {
          header: 'X-Service-Payer-Signature',
          scheme: 'EIP-191',
          text: `intent ${intent.intentId} paid by ${txHash}`,
        },
      ])
      await passTime(txHash, HOUR)
      const forged = await transferProof(chain.buyers[3]!, thief, txHash)
      const copied = await transferProof(buyer(), intent.intentId, txHash)
      for (const header of [theft, named, forged, { ...copied, ...theft }])
        expect((await get(`${one}${path}`, header)).json.code).toBe('payer_unproven')
      const answer = await get(`${one}${path}`, copied)
      expect(answer.status, answer.text).toBe(200)
      expect((await get(`${two}${path}`, theft)).json.code).toBe('bound_elsewhere')
    },
  )

  test.each([
    ['asks badly', `${PING}?echo=${'x'.repeat(300)}`, {}, 400],
    ['signs with another key', PING, { 'x-service-payer-signature': `0x${'1b'.repeat(65)}` }, 503],
    ['sends no signature at all', PING, { 'x-service-payer-signature': '0xno' }, 503],
  ])('CLS-03 who %s has shown his transfer all the same', async (_, path, extra, status) => {
    const intent = await intentOf(PING)
    const txHash = await transfer(buyer(), BigInt(intent.amountAtomic))
    const shown = { ...shownTransfer(intent.intentId, txHash), ...extra }
    if (status === 400) {
      await get(`${one}${path}`, await transferProof(buyer(), intent.intentId, txHash))
    } else expect((await get(`${one}${path}`, shown)).status).toBe(status)
    const fits = await intentOver(service, PING, BigInt(intent.amountAtomic))
    const thief = shownTransfer(fits, txHash)
    expect((await get(`${two}${PING}`, thief)).json.code).toBe('payer_unproven')
    await passTime(txHash, HOUR)
    expect((await get(`${two}${PING}`, thief)).json.code).toBe('payer_unproven')
    const keptMs = await service.ledger.redis.pttl(KEYS.contenders(transferKey(8453, txHash, 0)))
    expect(keptMs).toBeGreaterThan(30 * DAY)
    const signed = await transferProof(buyer(), intent.intentId, txHash)
    expect((await get(`${one}${PING}`, signed)).status).toBe(200)
  })

  test.each([
    ['over another amount', 0, 9_950n, '', 'transfer_mismatch'],
    ['that came too late', 76, 10_000n, '', 'intent_expired'],
    ['of another account than he names', 0, 10_000n, `0x${'1b'.repeat(20)}`, 'transfer_mismatch'],
  ])(
    'CLS-03 who shows money %s is refused, and has shown it all the same: nobody has it by an intent that fits',
    async (_, minutes, amountMicroUsdc, agentId, code) => {
      const issuedMs = Date.now() - minutes * MINUTE
      const mine = await intentOver(service, PING, amountMicroUsdc, { issuedMs })
      const txHash = await transfer(buyer(), 10_000n) //  the list price, as people pay it
      const headers = { ...shownTransfer(mine, txHash), 'x-agent-id': agentId }
      expect((await get(`${one}${PING}`, headers)).json.code).toBe(code)
      const fits = await intentOver(service, PING, 10_000n)
      const theft = shownTransfer(fits, txHash)
      expect((await get(`${two}${PING}`, theft)).json.code).toBe('payer_unproven')
      await passTime(txHash, HOUR)
      expect((await get(`${two}${PING}`, theft)).json.code).toBe('payer_unproven')
    },
  )

  test('a wallet with code says itself that it signed (EIP-1271); another one’s yes is none', async () => {
    const [owner, stranger] = [chain.buyers[3]!, chain.buyers[2]!]
    const wallet = await chain.deploy1271(owner.address)
    await chain.mint(wallet, 1_000_000n)
    const intent = await intentOf(PING)
    const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) })
    await node.impersonateAccount({ address: wallet })
    await node.setBalance({ address: wallet, value: 10n ** 18n })
    const args = [chain.receiver, BigInt(intent.amountAtomic)] as const
    const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args })
    const txHash = (await node.request({
      method: 'eth_sendTransaction',
      params: [{ from: wallet, to: chain.usdc, data }],
    } as never)) as Hex
    await chain.clients.reads.waitForTransactionReceipt({ hash: txHash }) //  anvil answers before it mines
    const forged = await transferProof(stranger, intent.intentId, txHash)
    expect((await get(`${one}${PING}`, forged)).json).toMatchObject({
      code: 'payer_unproven_yet',
      detail: expect.stringMatching(/signature/),
    })
    const proof = await transferProof(owner, intent.intentId, txHash)
    expect((await get(`${one}${PING}`, proof)).status).toBe(200)
  })

  test('RPL-15 the transaction of an x402 payment buys nothing here, even with an intent over its exact amount', async () => {
    const { header } = await payment(await offerOf(one, SPREAD), chain.buyers[0]!)
    const sold = await get(`${one}${SPREAD}`, paid(header))
    const txHash = sold.json.result.paymentAttestation.payload.transaction
    const intent = await until('an intent without a discount', async () => {
      const offered = await intentOf(SPREAD)
      return offered.amountAtomic === '1000' ? offered : null
    })
    const shown = shownTransfer(intent.intentId, txHash)
    expect((await get(`${one}${SPREAD}`, shown)).json.code).toBe('transfer_mismatch')
  })

  test('CLS-01, CLS-03, CLS-06 another amount, another receiver, an older transfer, a second intent: refused', async () => {
    const old = await transfer(chain.buyers[4]!, 10_000n)
    const intent = await intentOf(PING)
    const amount = BigInt(intent.amountAtomic)
    const short = await transfer(chain.buyers[4]!, amount - 1n)
    const elsewhere = await transfer(chain.buyers[4]!, amount, chain.buyers[3]!.address)
    for (const txHash of [old, short, elsewhere]) {
      if (txHash === old && amount === 10_000n) continue // an untagged price would match by chance
      expect((await get(`${one}${PING}`, shownTransfer(intent.intentId, txHash))).status).toBe(409)
    }
    const unknown = await get(`${one}${PING}`, shownTransfer(intent.intentId, `0x${'00'.repeat(32)}`))
    expect([unknown.status, unknown.json.code]).toEqual([503, 'payment_not_found'])
    const shown = await get(`${one}${SPREAD}`, shownTransfer(intent.intentId, short))
    expect(shown.json.code).toBe('intent_invalid')
  })

  test.each([
    ['an intent of another path', SPREAD, ''],
    ['a question that cannot be read', `${PING}?echo=%zz`, ''],
    ['an intent that nobody issued', PING, 'A'.repeat(43)],
    ['what is no intent of this path at all', PING, 'pi_of_a_classic_purchase'],
  ])(
    'CLS-03 who shows his money with %s has shown it: nobody has it by an intent that fits',
    async (_, path, wrong) => {
      const intent = await intentOf(PING)
      const txHash = await transfer(buyer(), BigInt(intent.amountAtomic))
      const said = await get(`${one}${path}`, shownTransfer(wrong || intent.intentId, txHash))
      expect(said.status).toBe(400)
      const fits = await intentOver(service, PING, BigInt(intent.amountAtomic))
      const theft = shownTransfer(fits, txHash)
      expect((await get(`${two}${PING}`, theft)).json.code).toBe('payer_unproven')
      await passTime(txHash, HOUR)
      expect((await get(`${two}${PING}`, theft)).json.code).toBe('payer_unproven')
    },
  )

  test('CLS-03 who shows it with the wrong path and then with the right one is one and the same', async () => {
    const intent = await intentOf(PING)
    const txHash = await transfer(buyer(), BigInt(intent.amountAtomic))
    const shown = shownTransfer(intent.intentId, txHash)
    expect((await get(`${one}${SPREAD}`, shown)).json.code).toBe('intent_invalid')
    await passTime(txHash, MINUTE)
    expect((await get(`${one}${PING}`, shown)).status).toBe(200)
  })

  test.each([
    [74, 200, undefined],
    [76, 409, 'intent_expired'],
  ])(
    'an intent of %d minutes ago that is paid now: %d; it is good for 15, its money may be an hour late',
    async (minutes, status, code) => {
      const amountMicroUsdc = 9_900n + BigInt(minutes)
      const issuedMs = Date.now() - minutes * MINUTE
      const intentId = await intentOver(service, PING, amountMicroUsdc, { issuedMs })
      const txHash = await transfer(chain.buyers[4]!, amountMicroUsdc)
      const answer = await get(`${one}${PING}`, await transferProof(buyer(), intentId, txHash))
      expect([answer.status, answer.json.code]).toEqual([status, code])
    },
  )

  test('64 legacy claims of one transfer for two requests over two processes: one request is answered', async () => {
    const intent = await intentOf(PING)
    const txHash = await transfer(chain.buyers[4]!, BigInt(intent.amountAtomic))
    const proof = await transferProof(buyer(), intent.intentId, txHash)
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        get(`${i % 2 ? one : two}${PING}?echo=${i % 4 < 2 ? 'x' : 'y'}`, proof),
      ),
    )
    const delivered = answers.filter((answer) => answer.status === 200)
    expect(new Set(delivered.map((answer) => answer.text)).size).toBe(1)
    expect(delivered).toHaveLength(32)
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(32)
  })
})

async function cancelSignature(key: Hex, offer: { asset: Hex; extra: object }, authorizer: Hex, nonce: Hex) {
  const { privateKeyToAccount } = await import('viem/accounts')
  const signature = await privateKeyToAccount(key).signTypedData({
    domain: { ...offer.extra, chainId: 8453, verifyingContract: offer.asset },
    primaryType: 'CancelAuthorization',
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    message: { authorizer, nonce },
  })
  const { r, s, v } = parseSignature(signature)
  return { r, s, v: v! }
}
