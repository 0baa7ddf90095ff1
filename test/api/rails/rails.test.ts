import { type Address, getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Rails } from '../../../api/rails/index.ts'
import { RAIL_IDS, type RailId } from '../../../api/rails/rail.ts'
import { newAddress as newBitcoinAddress } from '../../../ops/sandbox/bitcoin/network.ts'
import { newSignature, newAddress as newSolanaAddress } from '../../../ops/sandbox/solana/transaction.ts'
import { NOWHERE, payerOf, type RailWorld, startRailWorld } from '../../support/railWorld.ts'
import { type RailUnderTest, railSuite } from './railPort.ts'

let world: RailWorld
let rails: Rails
let broken: Rails
beforeAll(async () => {
  world = await startRailWorld(['base', 'ethereum', 'polygon', 'arbitrum'])
  rails = world.rails()
  broken = world.rails({
    BASE_RPC_URL: NOWHERE,
    ETHEREUM_RPC_URL: NOWHERE,
    POLYGON_RPC_URL: NOWHERE,
    ARBITRUM_RPC_URL: NOWHERE,
    SOLANA_RPC_URL: NOWHERE,
    BITCOIN_API_URL: NOWHERE,
  })
})
afterAll(() => world?.stop())

const evm: Pick<RailUnderTest, 'somebodyElse' | 'unusedTx' | 'spellings'> = {
  somebodyElse: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', //  in the spelling of EIP-55, as buyers are told it
  unusedTx: `0x${'ab'.repeat(32)}`,
  spellings: (tx) => [tx.toUpperCase(), tx.slice(2), ` ${tx}\n`, `0x${tx.slice(2).toUpperCase()}`],
}
const others: { [id in RailId]?: typeof evm } = {
  sol: { somebodyElse: newSolanaAddress(), unusedTx: newSignature(), spellings: (tx) => [` ${tx} `] },
  btc: {
    somebodyElse: newBitcoinAddress(),
    unusedTx: 'ab'.repeat(32),
    spellings: (tx) => [tx.toUpperCase(), `0x${tx}`, `${tx} `],
  },
}

for (const id of RAIL_IDS)
  railSuite(id, {
    ...(others[id] ?? evm),
    rail: () => rails.find(id)!,
    payer: () => payerOf(world, id),
    unreachable: () => broken.find(id)!,
  })

describe('spec 2.4: the nine rails', () => {
  test('id, chain, asset and default as the table has them', () => {
    expect(rails.rails.map(({ id, chain, asset, agentDefault }) => [id, chain, asset, agentDefault])).toEqual(
      [
        ['usdc_base', 'base', 'USDC', true],
        ['eth_base', 'base', 'ETH', false],
        ['eth_mainnet', 'ethereum', 'ETH', false],
        ['usdc_eth', 'ethereum', 'USDC', false],
        ['usdt_eth', 'ethereum', 'USDT', false],
        ['usdc_polygon', 'polygon', 'USDC', false],
        ['usdc_arbitrum', 'arbitrum', 'USDC', false],
        ['sol', 'solana', 'SOL', false],
        ['btc', 'bitcoin', 'BTC', false],
      ],
    )
  })

  test('sol has one alternate receiver, the others have none', () => {
    const alternates = rails.rails.map(({ id, alternateReceivers }) => [id, alternateReceivers])
    expect(Object.fromEntries(alternates)).toEqual({
      ...Object.fromEntries(RAIL_IDS.map((id) => [id, []])),
      sol: [world.receivers.solanaAlternate.address],
    })
  })

  test('keys of different chains never meet (CLS-15)', async () => {
    const keys: string[] = []
    for (const rail of rails.rails) {
      const tx = await payerOf(world, rail.id).pay(rail.receiverAddress, 100_000n)
      const found = await rail.byHash(tx)
      keys.push((found as Exclude<typeof found, string>)[0]!.key.replace(/(0x)?[0-9A-Za-z]{60,}.*/, ''))
    }
    expect(keys).toEqual([
      'tx:8453:',
      'tx:8453:',
      'tx:1:',
      'tx:1:',
      'tx:1:',
      'tx:137:',
      'tx:42161:',
      'solana:',
      'bitcoin:',
    ])
  })

  test('RAIL-04: ETH sent on one chain is unknown on the other', async () => {
    const onBase = await payerOf(world, 'eth_base').pay(rails.find('eth_base')!.receiverAddress, 10n ** 12n)
    expect(await rails.find('eth_mainnet')!.byHash(onBase)).toBe('unknown')
  })
})

test('CHN-06 on the chain of x402 payments every rail waits as FINALITY says, and never less deep than without', () => {
  const strict = world.rails({ FINALITY: '0.5:40,500:finalized' })
  const amounts = [499_999n, 500_000n, 100_000_000n, 500_000_000n, 1_000_000_000n]
  const depths = (id: RailId) => amounts.map((amount) => strict.find(id)!.confirmationsFor(amount))
  for (const id of ['usdc_base', 'eth_base'] as const) expect(depths(id)).toEqual([1, 40, 40, 450, 450])
  expect(depths('usdc_polygon')).toEqual([16, 16, 64, 64, 256])
  const lax = world.rails({ FINALITY: '1:2' }).find('usdc_base')!
  expect(amounts.map(lax.confirmationsFor)).toEqual([1, 1, 30, 30, 450])
})

describe('RAIL-12: however an EVM receiver is spelled, what it is paid is found', () => {
  const us = () => world.chains.base!.accounts.receiver.address
  test.each([
    ['lower case', (address: Address) => address.toLowerCase()],
    ['EIP-55', (address: Address) => getAddress(address)],
    ['upper case', (address: Address) => `0x${address.slice(2).toUpperCase()}`],
  ])('%s', async (_, spelled) => {
    const mine = world.rails({ RECEIVER_ADDRESS: spelled(us()) })
    for (const id of ['usdc_base', 'eth_base'] as const) {
      const rail = mine.find(id)!
      const tx = await payerOf(world, id).pay(us(), 19n)
      expect(await rail.byHash(tx), id).toMatchObject([{ atomic: 19n }])
      if (!rail.discovers) continue
      expect((await rail.since(Date.now() - 60_000)).map((one) => one.tx)).toContain(tx)
    }
  })
})
