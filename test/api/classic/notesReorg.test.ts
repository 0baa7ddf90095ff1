import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountDigest, creditAuthDigest } from '../../../api/entitlements/credit.ts'
import { createFinalityLedger } from '../../../api/ledger/finality.ts'
import { watchClassicMoney } from '../../../api/worker/watchClassicMoney.ts'
import { SECOND } from '../../../ops/units.ts'
import { quietLog } from '../../support/ledger.ts'
import { type RailWorld, send, startRailWorld, transferData } from '../../support/railWorld.ts'
import { classicWorld, SECRET } from './world.ts'

let chains: RailWorld
beforeAll(async () => {
  chains = await startRailWorld(['base'], { history: true })
})
afterAll(() => chains?.stop())
const world = classicWorld({ rails: () => [chains.rails().find('usdc_base')!] })

test('CHN-03 a real chain drops a second payment that is credit by then, and mines it again', async () => {
  const base = chains.chains.base!
  const request = (method: string, params: unknown[]) =>
    base.clients.node.request({ method: method as never, params: params as never })
  const buyerId = base.accounts.buyers[0]!.address.toLowerCase()
  const { amountAtomic, intentId } = await world.open({
    sku: 'SKU_INQUIRY_01',
    payload: {},
    buyerId,
    creditSpendAuth: SECRET,
  })
  const micro = BigInt(amountAtomic)
  const pay = async () => {
    const tx = await send(base, base.usdc, { data: transferData(base.accounts.receiver.address, micro) })
    await base.clients.node.mine({ blocks: 3 })
    return tx
  }
  const post = (path: string, body: object) => world.post(path, { buyerId, intentId, ...body })
  let atMs = Date.now()
  const watchAfter = (seconds: number) => {
    atMs += seconds * SECOND
    const { rails, answers, intents, credits } = world.ports
    const finality = createFinalityLedger(world.store.redis)
    return watchClassicMoney(
      { rails, answers, intents, credits, finality, chainId: 8453, log: quietLog },
      atMs,
    )
  }
  const balance = async () => {
    const auth = creditAuthDigest(world.secret, buyerId, SECRET)
    return (await world.credits.balance({ account: accountDigest(buyerId), auth }))?.balanceMicro
  }

  const said = await post('/fulfill', { txHash: await pay() })
  expect(said.status, said.text).toBe(200)
  const before = await request('evm_snapshot', [])
  const again = await pay()
  const raw = (await request('eth_getRawTransactionByHash', [again])) as Hex
  expect((await post('/checkout/settle', { txHash: again })).json.settlement.notes).toMatchObject([
    { kind: 'paid_twice' },
  ])
  expect(await balance()).toBe(micro)

  await request('evm_revert', [before])
  expect((await watchAfter(16)).credit_revoked).toBe(0) //  only just gone, or the chain has not reached that time again
  await base.clients.node.increaseTime({ seconds: 60 })
  await base.clients.node.mine({ blocks: 2 })
  await watchAfter(16)
  expect(await watchAfter(31)).toMatchObject({ credit_revoked: 1, suspended: 0 })
  expect(await balance()).toBe(0n)

  await request('eth_sendRawTransaction', [raw])
  await base.clients.reads.waitForTransactionReceipt({ hash: again }) //  anvil answers before it mines
  await base.clients.node.mine({ blocks: 1 })
  expect(await watchAfter(16)).toMatchObject({ credit_restored: 1 })
  expect(await balance()).toBe(micro)
  expect((await post('/fulfill', {})).text).toBe(said.text)
})
