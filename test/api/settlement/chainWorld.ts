import type { Hex } from 'viem'
import { afterAll, beforeAll } from 'vitest'
import { type ClosableChain, createPaymentChain } from '../../../api/settlement/chain.ts'
import type { Payment } from '../../../api/settlement/port.ts'
import { createLog } from '../../../ops/log.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { transferCall } from './payer.ts'

export const quietLog = createLog('test', 'silent')

/** A real chain for the file, and our view of it. */
export type ChainWorld = {
  anvil: TestChain
  chain: ClosableChain
  buyer: TestChain['buyers'][number]
  stranger: TestChain['buyers'][number] // pays for gas where it does not matter who does
  /** The payment as anybody may submit it. @returns the transaction. */
  submit(payment: Payment): Promise<Hex>
}

export function chainWorld({ buyers }: { buyers: number }): ChainWorld {
  const world = {} as ChainWorld
  beforeAll(async () => {
    const anvil = await startTestChain({ buyers })
    const [buyer, stranger] = anvil.buyers as [ChainWorld['buyer'], ChainWorld['buyer']]
    Object.assign(world, {
      anvil,
      buyer,
      stranger,
      chain: createPaymentChain({ rpcUrl: anvil.rpcUrl, log: quietLog }),
      submit: (payment: Payment) => anvil.send(stranger, anvil.usdc, transferCall(payment)),
    })
  })
  afterAll(async () => {
    await world.chain?.close()
    await world.anvil?.stop()
  })
  return world
}
