import { createServer, type Server } from 'node:http'
import { encodeFunctionData, type Hex, parseSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { KEYS } from '../../../api/ledger/keys.ts'
import { OPEN_CLAIMS_MAX } from '../../../api/ledger/redis.ts'
import { TOKEN_ABI } from '../../../ops/sandbox/chain/tokenAbi.ts'
import {
  type Answer,
  get,
  headerOf,
  nowS,
  type Offer,
  offerOf,
  paid,
  payloadOf,
  payment,
  type Signed,
  signTransfer,
  termsFor,
} from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { freePort } from '../../support/ports.ts'
import { until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'
import { submitAuthorization } from '../../support/submitted.ts'

const PING = '/x402/v1/ping'
const KINDS = [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }]

/** A facilitator that verifies everything unless the test sets `verdict`; the test decides how it settles. */
let verdict: object | null = null
let verified = 0
let settle: (signed: Signed) => Promise<object | 'cut'>
let chain: TestChain
let server: Server
let port: number
let service: Service
beforeAll(async () => {
  chain = await startTestChain()
  port = await freePort()
  await open()
  service = await startService({
    chain,
    processes: 1,
    worker: false,
    facilitatorUrl: `http://127.0.0.1:${port}`,
    env: { SETTLE_WAIT_MS: '1500' },
  })
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
  await shut()
})
beforeEach(async () => {
  if (!server.listening) await open()
})

async function open(): Promise<void> {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const say = (answer: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    if (request.url === '/supported') return say({ kinds: KINDS, extensions: [], signers: {} })
    const signed = JSON.parse(body).paymentPayload.payload.authorization
    if (request.url === '/verify') verified++
    if (request.url === '/verify') return say(verdict ?? { isValid: true, payer: signed.from })
    const answer = await settle(signed)
    return answer === 'cut' ? request.socket.destroy() : say(answer)
  })
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready))
}
async function shut(): Promise<void> {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
}
const refusal = (errorReason: string) => ({
  success: false,
  errorReason,
  transaction: '',
  network: 'eip155:8453',
})

const ask = (header: string) => get(`${service.bases[0]}${PING}`, paid(header))
const fresh = async (buyer = chain.buyers[0]!, change: Partial<Signed> = {}) =>
  await payment(await offerOf(service.bases[0]!, PING), buyer, change)
const submit = (signed: Signed, signature: Hex) =>
  submitAuthorization({ chain, by: chain.buyers[3]! }, signed, signature)
const standing = (answer: Answer) => [answer.status, answer.json.code]
const isRetry = (answer: Answer) => ({
  retryAfter: answer.header('retry-after') !== null,
  offer: answer.header('payment-required') !== null,
})
const RETRY = { retryAfter: true, offer: false }
const expireLeases = async () => {
  for (const key of await service.ledger.redis.zrange('claims:settling', '0', '-1'))
    await service.ledger.redis.hset(`claim:${key}`, 'lease', '1')
}

test('RPL-14, x402-v2 1.6: cancelled between verify and settle: 402 with the result and the offer, again and again', async () => {
  const buyer = chain.buyers[1]!
  let isCancelled = false
  settle = async ({ from, nonce }) => {
    if (isCancelled) return refusal('invalid_exact_evm_nonce_already_used')
    isCancelled = true
    const signature = await privateKeyToAccount(buyer.privateKey).signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: chain.usdc },
      primaryType: 'CancelAuthorization',
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      message: { authorizer: from, nonce },
    })
    const { r, s, v } = parseSignature(signature)
    const args = [from, nonce, Number(v), r, s] as const
    await chain.send(
      buyer,
      chain.usdc,
      encodeFunctionData({ abi: TOKEN_ABI, functionName: 'cancelAuthorization', args }),
    )
    return refusal('invalid_exact_evm_nonce_already_used')
  }
  const { header } = await fresh(buyer)
  for (let time = 1; time <= 2; time++) {
    const answer = await ask(header)
    expect(standing(answer)).toEqual([402, 'nonce_used'])
    expect(answer.header('payment-required')).not.toBeNull()
    const result = JSON.parse(Buffer.from(answer.header('payment-response')!, 'base64').toString())
    expect(result).toMatchObject({ success: false, errorReason: 'nonce_used', transaction: '' })
  }
})

test('503R, FAC-01: it is gone before it hears of the settlement: 503 with Retry-After, and no offer to sign', async () => {
  const kept = server.listeners('request')[0] as (...parts: unknown[]) => unknown
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    if (request.url === '/verify') server.close() //  before it answers: whoever connects then is refused
    response.setHeader('connection', 'close')
    void kept(request, response)
  })
  const { header } = await fresh()
  const answer = await ask(header)
  expect(standing(answer)).toEqual([503, 'facilitator_unavailable'])
  expect(isRetry(answer)).toEqual(RETRY)
})

describe('I5, faults 2: after an attempt whose outcome is unknown nothing that is said of the next one is an outcome', () => {
  const says = (errorReason: string) => async () => {
    settle = async () => refusal(errorReason)
  }
  test.each<[string, () => Promise<void>]>([
    ['it refuses the repeat', says('invalid_transaction_state')],
    ['it has nothing against the payment but the nonce', says('nonce_used')],
    ['connection refused', shut],
  ])(
    '%s: 503 with Retry-After; the first attempt lands, and the same payment is answered',
    async (_, repeat) => {
      settle = async () => 'cut'
      const { header, signed, signature } = await fresh()
      const first = await ask(header)
      expect([...standing(first), isRetry(first)]).toEqual([503, 'settlement_pending', RETRY])
      await expireLeases()
      await repeat()
      const second = await ask(header)
      expect([...standing(second), isRetry(second)]).toEqual([503, 'settlement_pending', RETRY])

      const before = await chain.balance(chain.receiver)
      await submit(signed, signature)
      await expireLeases()
      expect((await ask(header)).status).toBe(200)
      expect((await chain.balance(chain.receiver)) - before).toBe(10_000n)
    },
  )
})

describe('I5, CRA-02 the first attempt lasts longer than its lease, and another goes on with the claim', () => {
  test('then what is said of the first is no outcome', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let asked = 0
    settle = async () => {
      if (++asked > 1) return 'cut' //  sent, but the reply is lost
      await held
      return refusal('invalid_exact_evm_signature')
    }
    const { header, signed, signature } = await fresh()
    const first = ask(header)
    await until('the facilitator is asked', async () => asked === 1)
    await expireLeases()
    const second = await ask(header)
    expect([...standing(second), asked]).toEqual([503, 'settlement_pending', 2])
    release()
    const answer = await first
    expect([...standing(answer), isRetry(answer)]).toEqual([503, 'settlement_pending', RETRY])

    const before = await chain.balance(chain.receiver)
    await submit(signed, signature)
    await expireLeases()
    expect((await ask(header)).status).toBe(200)
    expect((await chain.balance(chain.receiver)) - before).toBe(10_000n)
  })
})

test('I5 refused, submitted by somebody, sent again when its window is over: not known first, then delivered', async () => {
  settle = async () => refusal('invalid_exact_evm_signature')
  const { header, signed, signature } = await fresh(chain.buyers[2]!, { validBefore: nowS() + 12n })
  expect(standing(await ask(header))).toEqual([402, 'bad_signature'])
  //  In the last six seconds it is refused as expired, but until the chain is past its end the outcome is unknown.
  await until('it is as good as over', async () => signed.validBefore < nowS() + 6n)
  const open = await ask(header)
  expect([...standing(open), isRetry(open)]).toEqual([503, 'settlement_pending', RETRY])
  await submit(signed, signature)
  expect((await ask(header)).status).toBe(200)
})

test('I5 refused, and the chain is past its window: 402 with the offer', async () => {
  settle = async () => refusal('invalid_exact_evm_signature')
  const { header, signed } = await fresh(chain.buyers[2]!, { validBefore: nowS() + 8n })
  expect(standing(await ask(header))).toEqual([402, 'bad_signature'])
  await until('it is as good as over', async () => signed.validBefore < nowS() + 6n)
  for (const [afterS, standingThen] of [
    [60n, [503, 'settlement_pending']],
    [61n, [402, 'expired']],
  ] as const) {
    await chain.clients.node.setNextBlockTimestamp({ timestamp: signed.validBefore + afterS })
    await chain.clients.node.mine({ blocks: 1 })
    const answer = await ask(header)
    expect([standing(answer), answer.header('payment-required') !== null]).toEqual([
      standingThen,
      standingThen[0] === 402,
    ])
  }
})

test.each(['insufficient_funds', 'transaction_simulation_failed'])(
  'RPL-13, I5 submitted by somebody before it was sold, and the facilitator says %s: delivered, paid once',
  async (invalidReason) => {
    const { header, signed, signature } = await fresh(chain.buyers[1]!)
    verdict = { isValid: false, invalidReason, payer: signed.from }
    expect((await ask(header)).status).toBe(402)
    await submit(signed, signature)
    const before = await chain.balance(chain.receiver)
    const answer = await ask(header)
    verdict = null
    expect(answer.status, answer.text).toBe(200)
    expect(await chain.balance(chain.receiver)).toBe(before)
  },
)

test.each([
  ['names it', `0x${'5e'.repeat(32)}`],
  ['has lost its hash', ''],
])(
  'I5, FAC-06 it calls the transaction failed that it has sent, and %s; that is mined later: 503 until it is, paid once',
  async (_, transaction) => {
    const { header, signed, signature } = await fresh()
    settle = async () => {
      const timestamp = (await chain.clients.reads.getBlock()).timestamp + 10n // a later block without it
      await chain.clients.node.setNextBlockTimestamp({ timestamp })
      await chain.clients.node.mine({ blocks: 1 })
      return { ...refusal('invalid_exact_evm_transaction_failed'), transaction }
    }
    const first = await ask(header)
    expect([...standing(first), isRetry(first)]).toEqual([503, 'settlement_pending', RETRY])
    const before = await chain.balance(chain.receiver)
    await submit(signed, signature)
    await expireLeases()
    expect((await ask(header)).status).toBe(200)
    expect((await chain.balance(chain.receiver)) - before).toBe(10_000n)
  },
)

test('I3 it looks at no nonce, and a stranger shows what moved before: dear goods are the payer’s, unclaimed until he signs', async () => {
  const path = '/x402/v1/credits-2'
  const base = service.bases[0]!
  const buyer = chain.buyers[0]!
  settle = async () => refusal('invalid_transaction_state')
  const offer = await offerOf(base, path)
  const signed = termsFor(offer, buyer.address)
  const signature = await signTransfer(buyer.privateKey, offer, signed)
  const show = async (seen: Offer, headers = {}) =>
    get(`${base}${path}`, { ...paid(headerOf(payloadOf(seen, signed, signature))), ...headers })
  await submit(signed, signature)
  const stolen = await show(await offerOf(base, path))
  expect(standing(stolen)).toEqual([403, 'payer_unproven'])
  const message = stolen.json.prove.text
  const proof = await privateKeyToAccount(buyer.privateKey).signMessage({ message })
  const mine = await show(offer, { 'x-service-payer-signature': proof })
  expect(mine.status, mine.text).toBe(200)
})

test('RPL-18 a payer with as many open claims as anybody may: it is asked about one more of his, not about all', async () => {
  const buyer = chain.buyers[4]!
  const wallet = `auth:8453:${chain.usdc}:${buyer.address}`.toLowerCase()
  const { redis } = service.ledger
  for (let at = 0; at < OPEN_CLAIMS_MAX; at++) {
    await redis.hset(KEYS.claim(`${wallet}:${at}`), 'state', 'refused')
    await redis.sadd(`open:${wallet}`, `${wallet}:${at}`)
  }
  const before = verified
  for (let sent = 0; sent < 5; sent++) {
    const answer = await ask((await fresh(buyer)).header)
    expect([standing(answer), isRetry(answer)]).toEqual([[429, 'too_many_open'], RETRY])
  }
  expect(verified - before).toBe(1)

  //  RPL-13 a payment whose money has moved is never refused as one too many
  const { header, signed, signature } = await fresh(buyer)
  await submit(signed, signature)
  verdict = { isValid: false, invalidReason: 'nonce_used', payer: signed.from }
  const moved = await ask(header)
  verdict = null
  expect(moved.status, moved.text).toBe(200)
})
