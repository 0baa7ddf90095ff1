import { SECOND } from '../../ops/units.ts'
import { createBalance } from './balance.ts'
import { bumpFees, DEFAULT_TIP, type Fees, offerFees, sensibleTip, tooDear } from './fees.ts'
import { quantityOf } from './nodeReads.ts'
import { type Rpc, RpcError } from './rpc.ts'
import type { Wallet } from './wallet.ts'

/** Why nothing can be sent now, for readiness and the alarm. */
export type SendProblem = { code: 'no_gas' | 'gas_too_dear' | 'send_rejected' | 'node_unsure'; text: string }

const TIP_TTL_MS = 10 * SECOND
/** A departure of one or two payments: with less than this the account counts as empty. */
const LITTLE_GAS = 200_000n

/**
 * What a transaction of the account has to offer now, and whether the account can pay for it.
 * @param baseFee of the newest block.
 */
export function createGas({
  rpc,
  wallet,
  baseFee,
  nowMs,
}: {
  rpc: Rpc
  wallet: Pick<Wallet, 'address' | 'balance'>
  baseFee(): bigint
  nowMs(): number
}) {
  let tip = { wei: DEFAULT_TIP, readMs: Number.NEGATIVE_INFINITY }
  const balance = createBalance({ read: () => wallet.balance(), nowMs })

  async function offer(): Promise<Fees> {
    if (nowMs() - tip.readMs > TIP_TTL_MS) {
      const wei = await quantityOf(rpc, 'eth_maxPriorityFeePerGas', []).catch((error) => {
        if (error instanceof RpcError) return DEFAULT_TIP
        throw error
      })
      tip = { wei: sensibleTip(wei), readMs: nowMs() }
    }
    return offerFees(baseFee(), tip.wei)
  }

  /** null: it can be paid for. */
  async function refuse(gas: bigint, offered: Fees): Promise<SendProblem | null> {
    if (tooDear(offered))
      return {
        code: 'gas_too_dear',
        text: `gas costs ${offered.maxFee} wei, above our limit; settlements wait`,
      }
    if (await balance.covers(gas * offered.maxFee)) return null
    return { code: 'no_gas', text: `settler ${wallet.address} has ${balance.wei()} wei: send it gas` }
  }

  return {
    offer,
    refuse,
    /** Why not even a small departure can be paid for; null: it can. */
    refuseAny: async (): Promise<SendProblem | null> => refuse(LITTLE_GAS, await offer()),
    /** What replaces an offer that was not mined; null: it would be above our limit. */
    raised(old: Fees): Fees | null {
      const next = bumpFees(old, baseFee(), tip.wei)
      return tooDear(next) ? null : next
    },
    balance: balance.wei,
    lookAtBalance: balance.look,
  }
}
