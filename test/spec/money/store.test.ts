import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, get, type Offer, offerOf, paid, payment } from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { openLedger } from '../../support/ledger.ts'
import { freePort } from '../../support/ports.ts'
import { isAlive, sleep, until } from '../../support/process.ts'
import { openRaw } from '../../support/rawHttp.ts'
import { startRedis } from '../../support/redis.ts'
import { type Service, startService } from '../../support/service.ts'

const PING = '/x402/v1/ping'

let chain: TestChain
let service: Service
let base: string
let offer: Offer
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 1, env: { SETTLE_WAIT_MS: '3000' } })
  base = service.bases[0]!
  offer = await offerOf(base, PING)
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const received = () => chain.balance(chain.receiver)
const admin = () => service.ledger.redis
const signalLedger = (signal: NodeJS.Signals) => process.kill(service.ledgerRedis.pid, signal)
const isBusy = (error: Error) => error.message.startsWith('BUSY')
const ask = (header: string): Promise<Answer> => get(`${base}${PING}`, paid(header))
const persist = (header: string) =>
  until('the same payment is answered', async () => {
    const answer = await ask(header)
    return answer.status === 503 || answer.status === 409 ? null : answer
  })
const buy = async (path: string, headers: Record<string, string> = {}) => {
  const { header } = await payment(await offerOf(base, path), chain.buyers[1]!)
  const answer = await get(`${base}${path}`, { ...headers, ...paid(header) })
  expect(answer.status, answer.text).toBe(200)
  return answer.json.result
}

describe('a ledger that takes no writes closes the money and nothing else', () => {
  test.each<[string, string[], string[], string?]>([
    [
      'DATA-06 it is full',
      ['CONFIG', 'SET', 'maxmemory', '1mb'],
      ['CONFIG', 'SET', 'maxmemory', '0'],
      'ledger_full',
    ],
    ['DATA-10 it became a replica', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
    [
      'DATA-05 it lost the replicas it must have',
      ['CONFIG', 'SET', 'min-replicas-to-write', '1'],
      ['CONFIG', 'SET', 'min-replicas-to-write', '0'],
    ],
  ])(
    '%s: 503 and no charge; afterwards the same payment is sold once',
    async (_, [spoil, ...how], [mend, ...back], code = 'ledger_unavailable') => {
      const { header } = await payment(offer, chain.buyers[0]!)
      const before = await received()
      await admin().call(spoil!, ...how)
      try {
        const closed = await ask(header)
        expect([closed.status, closed.json.code]).toEqual([503, code])
        expect(closed.header('retry-after')).not.toBeNull()
        expect((await get(`${base}${PING}`)).status).toBe(402)
        expect(await received()).toBe(before)
      } finally {
        await admin().call(mend!, ...back)
      }
      expect((await persist(header)).status).toBe(200)
      expect((await received()) - before).toBe(10_000n)
    },
  )

  test.each<[string, () => Promise<() => unknown>]>([
    //  for us the same as CLIENT PAUSE and DEBUG SLEEP, but it lasts exactly as long as the test needs
    [
      'stands still until everybody is told',
      async () => {
        signalLedger('SIGSTOP')
        return () => signalLedger('SIGCONT')
      },
    ],
    [
      'is busy with a script until everybody is told',
      async () => {
        await admin().config('SET', 'busy-reply-threshold', '50')
        const mad = admin().duplicate({ retryStrategy: () => null }) //  otherwise the script would be sent again
        const script = mad.eval('while true do end', 0).catch(() => {})
        await until('it says so', () =>
          admin()
            .get('any')
            .then(() => false, isBusy),
        )
        return async () => {
          await admin().call('SCRIPT', 'KILL')
          await script
          mad.disconnect()
        }
      },
    ],
    [
      'has a disk that takes two seconds a write until everybody is told',
      async () => {
        const writing = new AbortController()
        const disk = (async () => {
          while (!writing.signal.aborted) {
            signalLedger('SIGSTOP')
            await sleep(2_000)
            signalLedger('SIGCONT')
            await sleep(20)
          }
        })()
        return () => {
          writing.abort()
          return disk
        }
      },
    ],
  ])('DATA-07 it %s: each payment is sold once', async (_, spoil) => {
    const before = await received()
    const headers = await Promise.all(Array.from({ length: 20 }, () => payment(offer, chain.buyers[2]!)))
    const mend = await spoil()
    try {
      const answers = await Promise.all(headers.map(({ header }) => ask(header)))
      for (const { status, header } of answers) {
        expect([200, 503]).toContain(status)
        if (status === 503) expect(Number(header('retry-after'))).toBeGreaterThan(0)
      }
    } finally {
      await mend()
    }
    const finals = await Promise.all(headers.map(({ header }) => persist(header)))
    expect(finals.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect((await received()) - before).toBe(200_000n)
  })

  test('DATA-05 a replica that was promoted too early, while the old one still sells: closed, nothing is granted twice', async () => {
    const port = await freePort()
    await admin().config('SET', 'port', port)
    const replica = await startRedis({ appendfsync: 'always' })
    const copy = openLedger(replica.url)
    try {
      await copy.redis.call('REPLICAOF', '127.0.0.1', String(port))
      await until('it has everything', async () =>
        (await copy.redis.info('replication')).includes('master_link_status:up'),
      )
      await copy.redis.call('REPLICAOF', 'NO', 'ONE')
      const { header } = await payment(offer, chain.buyers[3]!)
      const sold = await persist(header)
      await until('the old one has moved on', async () => {
        const [old, young] = await Promise.all([admin(), copy.redis].map((redis) => redis.get('ledger:beat')))
        return old !== young
      })
      const before = await received()
      await service.restartApi(0, { LEDGER_REDIS_URL: replica.url })
      const closed = await ask((await payment(offer, chain.buyers[3]!)).header)
      expect([closed.status, closed.json.code]).toEqual([503, 'ledger_unavailable'])
      expect(await received()).toBe(before)
      await service.restartApi(0)
      expect((await persist(header)).text).toBe(sold.text)
    } finally {
      await admin().config('SET', 'port', '0')
      copy.close()
      await replica.stop()
    }
  })
})

describe('what the ledger grows by', () => {
  test('RPL-18 payments that would not settle are not written down, however well they are signed', async () => {
    const before = new Set(await admin().keys('*'))
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        Array.from({ length: 30 }, async () => {
          const privateKey = generatePrivateKey()
          const { address } = privateKeyToAccount(privateKey)
          return ask((await payment(offer, { address, privateKey })).header)
        }),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([402]))
    }
    expect((await admin().keys('*')).filter((key) => !before.has(key))).toEqual([])
  })

  test('DATA-17, OPS-06 every row ends by itself, but for those that are kept for ever on purpose', async () => {
    const agent = { 'x-agent-id': 'ann', 'x-service-credit-auth': 'a-secret-of-my-own-making' }
    const pass = { 'x-service-pass': (await buy('/x402/v1/hour-pass')).token }
    const permit = { 'x-service-permit': (await buy('/x402/v1/tor-call')).torCallPermit.token }
    await buy('/x402/v1/credits-2', agent)
    await buy('/x402/v1/spread')
    //  and what is bought is used: with a name of the caller's own, and without one
    const named = { 'idempotency-key': 'my-own-name-of-it' }
    for (const [path, headers] of [
      [PING, pass],
      [PING, { ...pass, ...named }],
      [PING, agent],
      [PING, { ...agent, ...named }],
      ['/api/v1/tor-call-permit', { ...permit, ...named }],
    ] as const) {
      const used = await get(`${base}${path}`, headers)
      expect(used.status, used.text).toBe(200)
    }
    const keys = await admin().keys('*')
    const lives = await Promise.all(keys.map((key) => admin().pttl(key)))
    const endless = keys
      .filter((_, at) => lives[at] === -1)
      .map((key) => key.replace(/:(?:tx:)?[\da-f]{4}.*/, ':…'))
    //  no expiry: spent transfers (RPL-12), credit and its lots, what referral accounts are owed, the journal that the
    //  worker trims, sets of what is open, marks, and how far each rail's books are joined, with what is unexplained: one
    //  row a rail
    const KEPT =
      /^(?:spent|credit:account|grant:credit|referral):…$|^sales$|^claims:\w+$|^ledger:\w+$|^settler:\w+$|^books:\w+$/
    expect(endless.filter((key) => !KEPT.test(key))).toEqual([])
    expect(
      keys.filter((key) => /^(?:claim|attestation|grant:pass|grant:permit):/.test(key)).length,
    ).toBeGreaterThan(4)
  })

  //  what ops/README.md says of how large the ledger becomes
  test('DATA-17 of a sale its receipt is left when its day is over, and its transfer for ever: less than 2 KB', async () => {
    const before = new Set(await admin().keys('*'))
    await buy('/x402/v1/spread')
    const shared = /^(?:sales|(?:books|claims|ledger|settler):\w+)$/
    const keys = (await admin().keys('*')).filter((key) => !before.has(key) && !shared.test(key))
    const lives = await Promise.all(keys.map((key) => admin().pttl(key)))
    const left = keys.flatMap((key, at) => {
      const days = Math.ceil(lives[at]! / 86_400_000)
      return lives[at] === -1 || days > 2 ? [[key, lives[at] === -1 ? 'for ever' : days] as const] : []
    })
    expect(left.map(([key, days]) => `${key.split(':')[0]} ${days}`).sort()).toEqual([
      'attestation 400',
      'spent for ever',
    ])
    const sizes = await Promise.all(left.map(([key]) => admin().call('MEMORY', 'USAGE', key, 'SAMPLES', '0')))
    expect(sizes.reduce<number>((sum, bytes) => sum + Number(bytes), 0)).toBeLessThan(2_048)
  })
})

test('OPS-15 out of file descriptors it turns callers away, lives, and serves again when there is room', async () => {
  const { pid } = service.apis[0]!
  const limit = (files: number) => execFileSync('prlimit', ['--pid', String(pid), `--nofile=${files}:`])
  const [, allowed] = /^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))!
  const open = readdirSync(`/proc/${pid}/fd`).length
  limit(open + 10)
  const crowd = await Promise.all(Array.from({ length: 60 }, () => openRaw(base).catch(() => null)))
  expect(isAlive(pid)).toBe(true)
  for (const connection of crowd) connection?.socket.destroy()
  limit(Number(allowed))
  const answer = await until('it serves again', () => get(`${base}${PING}`).catch(() => null))
  expect(answer.status).toBe(402)
  await buy(PING)
  expect(service.apis[0]!.pid).toBe(pid)
})
