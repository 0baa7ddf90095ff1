import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import { runSettler, type Settler } from '../../../api/settlement/settler.ts'
import { type Clock, realClock } from '../../../ops/clock.ts'
import { createLog } from '../../../ops/log.ts'
import { createMetrics, type Metrics } from '../../../ops/metrics.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { until } from '../../support/process.ts'
import { createMemoryLedger, type MemoryLedger } from './memoryLedger.ts'

type Buyer = TestChain['buyers'][number]

/** A chain for the file; for each test a ledger in memory and an account with gas that nobody used before. */
export type SettlerWorld = {
  anvil: TestChain
  chain: ClosableChain
  ledger: MemoryLedger
  key: Hex
  start(rpcUrl?: string, metrics?: Metrics, clock?: Clock): Settler & { metrics: Metrics }
  stop(): Promise<void>
  fund(wei: bigint): Promise<void>
  automine(on: boolean): Promise<void>
  mine(blocks?: number): Promise<void>
  buyer(index: number): Buyer
  /** How many transactions of the settler are mined. */
  settlerTxs(): Promise<number>
  /** Sends a transaction by somebody else that is mined before the settler's: a higher tip. */
  overtake(from: Buyer, to: Hex, data: Hex): Promise<Hex>
  broadcasts(): unknown[]
  /** Resolves when the ledger knows of a transaction. */
  broadcast(): Promise<unknown>
  waitingAtNode(count: number): Promise<unknown>
}

export function settlerWorld({
  buyers,
  history = false,
}: {
  buyers: number
  history?: boolean
}): SettlerWorld {
  const log = createLog('test', 'silent')
  const world = {} as SettlerWorld
  beforeAll(async () => {
    world.anvil = await startTestChain({ buyers, history })
    world.chain = createPaymentChain({ rpcUrl: world.anvil.rpcUrl, log })
  })
  afterAll(async () => {
    await world.chain?.close()
    await world.anvil?.stop()
  })
  beforeEach(async () => {
    world.ledger = createMemoryLedger()
    world.stop = async () => {}
    world.key = generatePrivateKey()
    await world.fund(10n ** 18n)
    await world.automine(true)
  })
  afterEach(() => world.stop())

  const address = () => privateKeyToAddress(world.key)
  return Object.assign(world, {
    start(rpcUrl = world.anvil.rpcUrl, metrics = createMetrics('test'), clock = realClock) {
      const controller = new AbortController()
      const { ledger, chain, key } = world
      const settler = runSettler({
        ledger,
        chain,
        rpcUrl,
        chainId: 8453,
        key,
        log,
        metrics,
        clock,
        signal: controller.signal,
      })
      const done = settler.done.catch(() => {})
      world.stop = async () => {
        controller.abort()
        await done
      }
      return { ...settler, metrics }
    },
    fund: (value: bigint) => world.anvil.clients.node.setBalance({ address: address(), value }),
    automine: (on: boolean) => world.anvil.clients.node.setAutomine(on),
    mine: (blocks = 1) => world.anvil.clients.node.mine({ blocks }),
    buyer: (index: number) => world.anvil.buyers[index]!,
    settlerTxs: () => world.anvil.clients.reads.getTransactionCount({ address: address() }),
    overtake: (from: Buyer, to: Hex, data: Hex) =>
      world.anvil.clients.wallet.sendTransaction({
        account: privateKeyToAccount(from.privateKey),
        to,
        data,
        gas: 200_000n,
        maxPriorityFeePerGas: 10n ** 10n,
        maxFeePerGas: 10n ** 11n,
      }),
    broadcasts: () => world.ledger.events.filter(({ kind }) => kind === 'broadcast'),
    broadcast: () => until('a transaction is recorded', () => world.broadcasts().length > 0),
    waitingAtNode: (count: number) =>
      until(
        'the node has it',
        async () => (await world.anvil.clients.node.getTxpoolStatus()).pending >= count,
      ),
  } satisfies Partial<SettlerWorld>)
}
