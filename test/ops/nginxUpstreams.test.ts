import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { SECOND } from '../../ops/units.ts'
import { get, rawRequest } from '../support/buyer.ts'
import { startTestChain, type TestChain } from '../support/chain.ts'
import { isAbsent, portOf, startProxy } from '../support/nginx.ts'
import { sleep, until } from '../support/process.ts'
import { openRaw } from '../support/rawHttp.ts'
import { type Service, startService } from '../support/service.ts'

describe.skipIf(isAbsent !== null)(`OPS-02 the shipped proxy before two apis ${isAbsent ?? ''}`, () => {
  let chain: TestChain
  let service: Service
  beforeAll(async () => {
    chain = await startTestChain()
    service = await startService({ chain, worker: false, env: { TRUSTED_PROXIES: '127.0.0.1' } })
  })
  afterAll(async () => {
    await service?.stop()
    await chain?.stop()
  })
  test('a POST on a connection that was kept is not lost to the end of that connection', async () => {
    const { base, stop } = await startProxy([portOf(service.bases[0]!)])
    onTestFinished(stop)
    const asked = { path: '/x402/v1/ping', method: 'POST', body: '{}' }
    expect((await rawRequest(base, asked)).status).toBe(405)
    await sleep(7.9 * SECOND) //  the api ends what is idle for 8 to 12 s, without looking whether something has come
    const { pid } = service.apis[0]!
    process.kill(pid, 'SIGSTOP') //  as on a machine that is busy just then
    onTestFinished(() => void process.kill(pid, 'SIGCONT'))
    await sleep(4.5 * SECOND)
    const again = rawRequest(base, asked)
    await sleep(200)
    process.kill(pid, 'SIGCONT')
    expect((await again).status).toBe(405)
  })

  test('ops/README.md: replaced one by one as told there, nobody is refused', async () => {
    const { base, reload, stop } = await startProxy(service.bases.map(portOf))
    onTestFinished(stop)
    const statuses = new Map<string, number>()
    let goesOn = true
    const asking = ['GET', 'POST', 'GET', 'POST'].map(async (method) => {
      while (goesOn) {
        const { status } =
          method === 'GET'
            ? await get(`${base}/x402/v1/ping`)
            : await rawRequest(base, { path: '/x402/v1/ping', method, body: '{}' })
        const seen = `${method} ${status}`
        statuses.set(seen, (statuses.get(seen) ?? 0) + 1)
      }
    })
    const asked = () => [...statuses.values()].reduce((sum, count) => sum + count, 0)
    const manyMore = async () => {
      const before = asked()
      await until('it goes on', () => asked() > before + 50)
    }
    for (const [index, api] of service.apis.entries()) {
      const line = new RegExp(`(server 127\\.0\\.0\\.1:${portOf(service.bases[index]!)}[^;]*);`)
      await reload((settings) => settings.replace(line, '$1 down;'))
      //  it closes for as long as somebody has an answer to come
      const slow = await openRaw(service.bases[index]!)
      slow.socket.write('POST /quote HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{')
      await sleep(100) //  it is read
      const ended = api.stop()
      await manyMore()
      slow.socket.write('}')
      expect((await ended).code).toBe(0)
      await service.restartApi(index)
      await reload((settings) => settings)
    }
    await manyMore()
    goesOn = false
    await Promise.all(asking)
    expect([...statuses.keys()].sort()).toEqual(['GET 402', 'POST 405'])
  })
})
