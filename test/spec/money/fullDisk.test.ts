import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Failure } from '../../../ops/supervise/life.ts'
import type { Part } from '../../../ops/supervise/part.ts'
import { redisPart, redisUrl } from '../../../ops/supervise/redisPart.ts'
import { runTree, type Tree } from '../../../ops/supervise/tree.ts'
import { get, type Offer, offerOf, paid, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { isAlive, run, until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

const PING = '/x402/v1/ping'
const MORE_THAN_OTHERS_MAY = 7

let dir: string
let tree: Tree
let chain: TestChain
let service: Service
let offer: Offer
let failure: Failure | null = null
let isFull = false
const started: number[] = [] //  process ids of the ledger's Redis, in the order of its starts
const said: string[] = []

/** Simulates a full disk by a limit on file size: in both cases the process cannot write one byte to a file. */
function onLimitedDisk(part: Part): Part {
  const limited = () => `trap '' XFSZ; ulimit -f ${isFull ? 0 : 'unlimited'}; exec "$0" "$@"`
  return {
    ...part,
    spawn() {
      const { command, args, ...rest } = part.spawn()
      return { ...rest, command: 'bash', args: ['-c', limited(), command, ...args] }
    },
  }
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-disk-'))
  const listen = { socket: join(dir, 'ledger.sock') }
  const ledger = redisPart({
    role: 'ledger',
    label: 'ledger redis',
    dir: join(dir, 'ledger'),
    listen,
    appendfsync: 'always',
    maxMiB: 0,
    system: { PATH: process.env.PATH ?? '' },
  })
  const quiet = () => {}
  tree = runTree([onLimitedDisk(ledger)], 20_000, {
    screen: {
      title: quiet,
      ready: quiet,
      note: quiet,
      error: quiet,
      block: quiet,
      warn: (_, text) => said.push(text),
    },
    openLog: () => ({ write: quiet, close: quiet }),
    watch: { started: (_, pid) => started.push(pid), ended: quiet },
  })
  void tree.failed.then((reason) => {
    failure = reason
  })
  await tree.ready
  chain = await startTestChain()
  service = await startService({ chain, env: { LEDGER_REDIS_URL: redisUrl(listen) } })
  offer = await offerOf(service.bases[0]!, PING)
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
  await tree?.stop()
  await rm(dir, { recursive: true, force: true })
})

const buy = (header: string) => get(`${service.bases[0]}${PING}`, paid(header))
const bought = (header: string) =>
  until('the same payment is answered', async () => {
    const answer = await buy(header)
    expect([200, 503]).toContain(answer.status)
    return answer.status === 200 ? answer.text : null
  })

test('DATA-16 the disk of the ledger is full for as long as it takes: money is closed, the rest is open, and then it goes on', async () => {
  const before = await payment(offer, chain.buyers[0]!)
  const kept = await bought(before.header)

  isFull = true
  const full = run('prlimit', ['--pid', String(started.at(-1)), '--fsize=0'])
  expect((await full.exited).code).toBe(0)
  const { header } = await payment(offer, chain.buyers[1]!)
  await until('it has died again and again', async () => {
    expect((await buy(header)).status).toBe(503)
    expect((await get(`${service.bases[0]}/catalog`)).status).toBe(200)
    expect((await get(`${service.bases[0]}${PING}`)).status).toBe(402)
    return started.length > MORE_THAN_OTHERS_MAY
  })
  expect(failure).toBeNull()
  expect(said.some((text) => text.includes('starting it again'))).toBe(true)
  expect([...service.apis, service.worker!].map(({ pid }) => isAlive(pid))).toEqual([true, true, true])

  isFull = false
  await bought(header)
  expect(await bought(before.header)).toBe(kept)
  expect(await chain.balance(chain.receiver)).toBe(BigInt(offer.amount) * 2n)
}, 180_000)
