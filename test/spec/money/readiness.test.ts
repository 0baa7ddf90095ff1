import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { someGap, someSnapshot } from '../../support/boards.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { type Running, until } from '../../support/process.ts'
import { type Service, startService } from '../../support/service.ts'

/** OPS-18: real processes; each thing that money needs is taken away once. */
const Readiness = z.object({
  ok: z.boolean(),
  checks: z.array(z.object({ name: z.string(), problem: z.string().nullable() })),
})

let chain: TestChain
let service: Service
let ledger: Redis
beforeAll(async () => {
  chain = await startTestChain()
  service = await startService({ chain, processes: 1, empty: true, env: { LOG_LEVEL: 'info' } })
  ledger = new Redis(service.ledgerRedis.url.slice('unix:'.length))
  ledger.on('error', () => {}) //  it is killed below
})
afterAll(async () => {
  ledger?.disconnect()
  await service?.stop()
  await chain?.stop()
})

async function look(running: Running) {
  const [, port] = await running.says(/"operatorPort":(\d+)/)
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`)
  const { ok, checks } = Readiness.parse(await answer.json())
  const failing = checks.filter(({ problem }) => problem !== null).map(({ name }) => name)
  return { status: answer.status, ok, failing, names: checks.map(({ name }) => name) }
}
/** Waits until exactly these checks have a problem. */
const fails = (running: Running, names: string[]) =>
  until(`${names.join(' and ') || 'nothing'} fails`, async () => {
    const seen = await look(running)
    return seen.failing.sort().join() === names.sort().join() ? seen : null
  })

describe('OPS-18 ready means money-ready', () => {
  test('the api is not ready while it has nothing to sell, its ledger does not keep what it is given or is away', async () => {
    const api = service.apis[0]!
    expect(await fails(api, ['boards'])).toMatchObject({ status: 503, ok: false })
    await service.publish(someSnapshot([someGap()]))
    expect(await fails(api, [])).toMatchObject({ status: 200, ok: true })

    await ledger.config('SET', 'appendfsync', 'everysec')
    //  while money is closed nobody settles
    expect(await fails(api, ['fence', 'ledger', 'settler'])).toMatchObject({ status: 503, ok: false })
    await ledger.config('SET', 'appendfsync', 'always')
    expect(await fails(api, [])).toMatchObject({ status: 200, ok: true })

    await service.ledgerRedis.kill()
    expect(await fails(api, ['fence', 'ledger', 'settler'])).toMatchObject({ status: 503, ok: false })
    await service.ledgerRedis.restart()
    expect(await fails(api, [])).toMatchObject({ status: 200, ok: true })
  })

  test('nor while no worker settles', async () => {
    const api = service.apis[0]!
    await service.worker!.kill()
    expect(await fails(api, ['settler'])).toMatchObject({ status: 503, ok: false })
    await service.startWorker()
    expect(await fails(api, [])).toMatchObject({ status: 200, ok: true })
  })

  test('SIG-09 nor while the token lets nobody pay us: our receiver is blocked, or everything is paused', async () => {
    const api = service.apis[0]!
    await chain.administer('blacklist', chain.receiver)
    expect(await fails(api, ['chain'])).toMatchObject({ status: 503, ok: false })
    await chain.administer('unBlacklist', chain.receiver)
    expect(await fails(api, [])).toMatchObject({ status: 200, ok: true })
    await chain.administer('pause')
    expect(await fails(api, ['chain'])).toMatchObject({ status: 503, ok: false })
    await chain.administer('unpause')
    expect(await fails(api, [])).toMatchObject({ status: 200, ok: true })
  })

  test('nor while the chain is away', async () => {
    const api = service.apis[0]!
    await chain.stop()
    expect(await fails(api, ['chain'])).toMatchObject({ status: 503, ok: false })
  })

  test('the worker is not ready while a duty of it fails, whichever', async () => {
    const { names } = await look(service.worker!)
    const duties = ['reconciler', 'answers', 'finality', 'purchases', 'intents', 'names', 'books_usdc_base']
    expect(names).toEqual(expect.arrayContaining(['fence', 'ledger', 'chain', 'settler', ...duties]))
    const { status } = await until('the chain is missed', async () => {
      const seen = await look(service.worker!)
      return seen.failing.includes('chain') && seen.failing.includes('finality') ? seen : null
    })
    expect(status).toBe(503)
  })
})
