import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type RpcProxy, startRpcProxy } from '../../api/settlement/rpcProxy.ts'
import { get, type Offer, offerOf, paid, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { type Persona, startFacilitator, type TestFacilitator } from '../../support/facilitator.ts'
import { until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

const PING = '/x402/v1/ping'

let chain: TestChain
let node: RpcProxy
let first: TestFacilitator
let second: TestFacilitator
let service: Service
let offer: Offer
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-failover-'))
  chain = await startTestChain({ history: true })
  node = await startRpcProxy(chain.rpcUrl)
  first = await startFacilitator(chain)
  second = await startFacilitator(chain)
  const list = [
    { name: 'first', url: first.url, auth: { settle: { 'x-key': 'one' } } },
    { name: 'second', url: second.url, auth: { settle: { 'x-key': 'two' } } },
  ]
  await writeFile(join(dir, 'facilitators.json'), JSON.stringify(list), { mode: 0o600 })
  service = await startService({
    chain,
    processes: 1,
    worker: true,
    env: {
      SETTLEMENT: 'facilitator',
      FACILITATORS_FILE: join(dir, 'facilitators.json'),
      BASE_RPC_URL: node.url,
      SETTLE_WAIT_MS: '2500',
    },
  })
  offer = await offerOf(service.bases[0]!, PING)
})
afterAll(async () => {
  await service?.stop()
  await Promise.all([first?.close(), second?.close(), node?.close()])
  await chain?.stop()
  await rm(dir, { recursive: true, force: true })
})
beforeEach(() => {
  for (const one of [first, second]) {
    one.persona = 'honest'
    Object.assign(one.counts, { verify: 0, settle: 0, supported: 0, stolen: 0 })
  }
})

const received = () => chain.balance(chain.receiver)
const ask = (header: string) => get(`${service.bases[0]}${PING}?echo=f`, paid(header))

test('5.1 an exact read costs two calls to the node beside verify and settle', async () => {
  await service.worker!.kill() // the background looks at the chain by itself
  await ask((await payment(offer, chain.buyers[0]!)).header) // the first sale of a process also checks the token
  const before = node.count()
  const answer = await ask((await payment(offer, chain.buyers[0]!)).header)
  expect(answer.status).toBe(200)
  expect(node.count() - before).toBeLessThanOrEqual(3)
  expect([first.counts.verify, first.counts.settle, second.counts.verify]).toEqual([2, 2, 0])
  expect(first.last!.headers['x-key']).toBe('one')
  await service.startWorker()
})

describe('FAC-14 the first has no usable answer: the second verifies and the sale goes through', () => {
  test.each<Persona>(['broken', 'html', 'busy'])('%s', async (persona) => {
    first.persona = persona
    const before = await received()
    const { header } = await payment(offer, chain.buyers[1]!)
    const answer = await until('it is sold', async () => {
      const one = await ask(header)
      return one.status === 200 ? one : null
    })
    expect(answer.json.ok).toBe(true)
    expect(second.counts.verify).toBeGreaterThan(0)
    expect((await received()) - before).toBe(10_000n)
  })
})

test('FAC-16 the first settles and its reply is lost, the second answers too: one transfer, one delivery', async () => {
  const before = await received()
  const { header } = await payment(offer, chain.buyers[2]!)
  first.persona = 'drops_settle_reply'
  second.persona = 'drops_settle_reply'
  await ask(header)
  first.persona = 'broken'
  second.persona = 'honest'
  const bodies = new Set<string>()
  for (let resend = 0; resend < 3; resend++) {
    const answer = await until('it is answered', async () => {
      const one = await ask(header)
      return one.status === 200 ? one : null
    })
    bodies.add(answer.text)
  }
  expect(bodies.size).toBe(1)
  expect((await received()) - before).toBe(10_000n)
})

/** Restarts the process, which reads /supported as it starts. @returns how to ask what is wrong with its chain. */
async function restarted(): Promise<() => Promise<string | null>> {
  await service.restartApi(0, { LOG_LEVEL: 'info' })
  const [, port] = await service.apis[0]!.says(/"operatorPort":(\d+)/)
  return async () => {
    const { checks } = (await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()) as {
      checks: { name: string; problem: string | null }[]
    }
    return checks.find(({ name }) => name === 'chain')!.problem
  }
}

test('FAC-15 none supports our network any more: not ready, 503 and none is asked; what is under way is answered all the same', async () => {
  const before = await received()
  for (const one of [first, second]) Object.assign(one, { persona: 'fails_but_mines', slowMs: 4_000 })
  const open = await payment(offer, chain.buyers[3]!)
  expect((await ask(open.header)).json.code).toBe('settlement_pending')
  first.persona = 'elsewhere'
  second.persona = 'elsewhere'
  const chainCheck = await restarted()
  await until('none supports it', async () => (await chainCheck()) === 'no facilitator supports eip155:8453')
  const answer = await until('it is mined', async () => {
    const one = await ask(open.header)
    return one.status === 200 ? one : null
  })

  for (const { counts } of [first, second]) Object.assign(counts, { verify: 0, settle: 0 })
  const { header } = await payment(offer, chain.buyers[3]!)
  const refused = await ask(header)
  expect([refused.status, refused.json.code]).toEqual([503, 'facilitator_unavailable'])
  expect(refused.header('retry-after')).not.toBeNull()
  for (const { counts } of [first, second]) expect(counts).toMatchObject({ verify: 0, settle: 0 })
  expect((await received()) - before).toBe(10_000n)

  first.persona = 'honest'
  await until('one supports it', async () => (await (await restarted())()) === null)
  expect((await ask(header)).status).toBe(200)
  expect((await ask(open.header)).text).toBe(answer.text)
  expect((await received()) - before).toBe(20_000n)
})

test('OPS-18 a process is not ready while no facilitator answers, and is again when one does', async () => {
  first.persona = 'broken'
  second.persona = 'broken'
  const chainCheck = await restarted()
  await until('nobody answers', async () => (await chainCheck()) === 'no facilitator answers')
  second.persona = 'honest'
  await until('one answers', async () => (await chainCheck()) === null)
})
