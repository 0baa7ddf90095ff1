import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { patientRpc } from '../../../api/settlement/patientRpc.ts'
import { createRpc, type Rpc } from '../../../api/settlement/rpc.ts'
import { chainWorld } from './chainWorld.ts'
import { type RpcProxy, rpcError, startRpcProxy, type Treatment } from './rpcProxy.ts'

const world = chainWorld({ buyers: 2 })
let proxy: RpcProxy
let rpc: Rpc
beforeAll(async () => {
  proxy = await startRpcProxy(world.anvil.rpcUrl)
  rpc = createRpc(proxy.url)
})
afterAll(async () => {
  await rpc?.close()
  await proxy?.close()
})

const pausesMs = [1, 1]
const head = (of: Rpc) => of.call('eth_getBlockByNumber', ['latest', false])
const logs = (of: Rpc, toBlock: string) => of.call('eth_getLogs', [{ fromBlock: '0x1', toBlock }])
/** From now on the next `count` calls get this treatment. @returns how many calls were made since. */
function next(count: number, treatment: Treatment) {
  const before = proxy.count()
  proxy.treat(() => (proxy.count() - before <= count ? treatment : 'pass'))
  return () => proxy.count() - before
}
/** A patient client whose node has answered before. */
async function known(patience = {}): Promise<Rpc> {
  proxy.treat(() => 'pass')
  const patient = patientRpc(rpc, { pausesMs, ...patience })
  await head(patient)
  return patient
}
const slowDown: Treatment = { status: 429, body: '' }
const inTrouble: Treatment = { status: 502, body: '' }

describe('a call that a node does not answer is made again', () => {
  test.each<[string, Treatment]>([
    ['asked too often', slowDown],
    ['its front is in trouble', inTrouble],
    ['a limit in so many words', rpcError(-32016, 'over rate limit')],
  ])('%s: as often as there are pauses, and no more', async (_, treatment) => {
    const patient = await known()
    const twice = next(2, treatment)
    await expect(head(patient)).resolves.toMatchObject({ number: expect.any(String) })
    expect(twice()).toBe(3)
    const always = next(9, treatment)
    await expect(head(patient)).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(always()).toBe(3)
  })

  test('what is refused is refused', async () => {
    const patient = await known()
    const made = next(9, rpcError(-32602, 'no such block'))
    await expect(head(patient)).rejects.toMatchObject({ code: 'rpc_refused' })
    expect(made()).toBe(1)
  })

  test.each([
    ['fewer blocks may help: told at once', '0x9', 1],
    ['one block is the least: again', '0x1', 3],
  ])('a list of logs that is too much, and %s', async (_, toBlock, calls) => {
    const patient = await known()
    const made = next(9, inTrouble)
    await expect(logs(patient, toBlock)).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(made()).toBe(calls)
  })

  test('one that has never answered is told of at once: its address may be wrong', async () => {
    const made = next(9, slowDown)
    await expect(head(patientRpc(rpc, { pausesMs }))).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(made()).toBe(1)
  })

  test('whoever stops waits for no pause, and no call is made any more', async () => {
    const stopping = new AbortController()
    const patient = await known({ signal: stopping.signal, pausesMs: [60_000] })
    const made = next(9, slowDown)
    const asked = head(patient)
    const ended = expect(asked).rejects.toThrow('aborted')
    stopping.abort()
    await ended
    await expect(head(patient)).rejects.toThrow('aborted')
    expect(made()).toBeLessThanOrEqual(1)
  })
})
