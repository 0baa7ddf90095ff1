import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Client } from 'undici'
import { describe, type TestContext, test } from 'vitest'
import { get, type Offer, offerOf, paid, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { startFacilitator } from '../../support/facilitator.ts'
import { until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

const PING = '/x402/v1/ping'

type Ends = TestContext['onTestFinished'] // what was begun last ends first

type Said = { status: number; code: string; next: string; connection: string; retryAfter: string }
type Buyer = {
  key: string // of the claim that its payment makes
  header: string
  buy(): Promise<Said>
}

async function buyerOf(
  base: string,
  offer: Offer,
  from: TestChain['buyers'][number],
  ends: Ends,
): Promise<Buyer> {
  const { header, signed } = await payment(offer, from)
  const client = new Client(base, { pipelining: 1, keepAliveTimeout: 60_000, headersTimeout: 60_000 })
  ends(() => client.destroy())
  const ask = async (headers: Record<string, string>): Promise<Said> => {
    const answer = await client.request({ method: 'GET', path: PING, headers })
    const { code = '', next = '' } = (await answer.body.json()) as { code?: string; next?: string }
    const said = (name: string) => String(answer.headers[name] ?? '')
    return {
      status: answer.statusCode,
      code,
      next,
      connection: said('connection').toLowerCase(),
      retryAfter: said('retry-after'),
    }
  }
  await ask({}) //  opens the connection, which is kept from now on
  const key = `auth:8453:${offer.asset.toLowerCase()}:${signed.from.toLowerCase()}:${signed.nonce}`
  return { key, header, buy: () => ask(paid(header)) }
}

const buyersOf = (
  [chain, service, ends]: readonly [TestChain, Service, Ends],
  offer: Offer,
  count: number,
): Promise<Buyer[]> =>
  Promise.all(
    Array.from({ length: count }, (_, at) =>
      buyerOf(service.bases[0]!, offer, chain.buyers[at % chain.buyers.length]!, ends),
    ),
  )

/** A buyer whose server is gone sends the same payment to the other one. */
const redeem = ({ header }: Buyer, service: Service): Promise<number> =>
  until('the same payment is answered', async () => {
    const { status } = await get(`${service.bases[1]}${PING}`, paid(header))
    return status === 503 || status === 409 ? null : status
  })

/** Forwards requests to a facilitator, except settlements, which it never answers. */
async function startSilentFront(facilitatorUrl: string) {
  let held = 0
  const server = createServer(async (request, response) => {
    if (request.url === '/settle') return void held++
    const { method = 'GET', url = '', headers } = request
    const body = method === 'GET' ? null : await text(request)
    const answer = await fetch(facilitatorUrl + url, {
      method,
      body,
      headers: { 'content-type': headers['content-type'] ?? '' },
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held: () => held,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const settling = async (service: Service) => (await service.ledger.ledger.list('settling', 1_000)).length

//  concurrent: both mostly wait for the grace to end
describe.concurrent('OPS-01 an api process is told to stop', () => {
  test('amid 200 payments, while 50 more buyers come: handed over, nothing new taken, exit code 0; each redeems, once', async ({
    expect,
    onTestFinished: ends,
  }) => {
    const chain = await startTestChain({ blockTimeS: 3_600 }) //  no block comes by itself: nothing settles meanwhile
    ends(chain.stop)
    const service = await startService({ chain, env: { SETTLE_WAIT_MS: '20000', LOG_LEVEL: 'info' } })
    ends(service.stop)
    const offer = await offerOf(service.bases[0]!, PING)
    const [inFlight, late] = [
      await buyersOf([chain, service, ends], offer, 200),
      await buyersOf([chain, service, ends], offer, 50),
    ]
    const api = service.apis[0]!

    const answers = inFlight.map((buyer) => buyer.buy())
    await until('200 payments are in flight', async () => (await settling(service)) === 200)
    process.kill(api.pid, 'SIGTERM')
    await api.says(/"draining"/)

    for (const refused of await Promise.all(late.map((buyer) => buyer.buy())))
      expect(refused).toMatchObject({ status: 503, code: 'restarting', connection: 'close', retryAfter: '2' })
    for (const { key } of late) expect(await service.ledger.ledger.find(key)).toBeNull()
    const said = await Promise.all(answers)
    expect(new Set(said.map(({ status }) => status))).toEqual(new Set([503]))
    expect(said.filter(({ next }) => !next.includes('with the same payment'))).toEqual([])
    const pending = said.filter(({ code }) => code === 'settlement_pending') // the ledger may be slow for some
    expect(pending.filter(({ connection }) => connection !== 'close')).toEqual([])
    expect(await api.exited, api.stdout()).toEqual({ code: 0, signal: null })
    expect(await settling(service)).toBe(200)

    const before = await chain.balance(chain.receiver)
    await chain.clients.node.setIntervalMining({ interval: 1 })
    const statuses = await Promise.all([...inFlight, ...late].map((buyer) => redeem(buyer, service)))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect((await chain.balance(chain.receiver)) - before).toBe(BigInt(offer.amount) * 250n)
  }, 180_000)

  test('a facilitator that does not answer does not keep it', async ({ expect, onTestFinished: ends }) => {
    const chain = await startTestChain()
    ends(chain.stop)
    const facilitator = await startFacilitator(chain)
    ends(facilitator.close)
    const front = await startSilentFront(facilitator.url)
    ends(front.close)
    const service = await startService({
      chain,
      facilitatorUrl: front.url,
      worker: true,
      env: { SETTLE_WAIT_MS: '20000' },
    })
    ends(service.stop)
    const [buyer] = await buyersOf([chain, service, ends], await offerOf(service.bases[0]!, PING), 1)
    const answer = buyer!.buy()
    await until('the facilitator is asked', () => front.held() === 1)
    process.kill(service.apis[0]!.pid, 'SIGTERM')
    expect(await answer).toMatchObject({ status: 503, code: 'settlement_pending' })
    expect(await service.apis[0]!.exited, service.apis[0]!.stdout()).toEqual({ code: 0, signal: null })
  }, 120_000)
})
