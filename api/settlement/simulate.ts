import type { Address, Hex } from 'viem'
import { UnavailableError } from '../../ops/errors.ts'
import { haveCode } from './codeSizes.ts'
import { unwrap } from './erc6492.ts'
import { aggregate3, type CallResult, MULTICALL3, readResults } from './multicall.ts'
import { ethCall } from './nodeReads.ts'
import type { ChainRefusal, Payment } from './port.ts'
import { readRevert } from './revert.ts'
import { isExecutionFailure, type Rpc, RpcError } from './rpc.ts'
import { transferByKey, transferByWallet } from './tokenCalls.ts'

/** One payment's own transaction: what was simulated is what is sent. */
export type LoneCall = { to: Address; data: Hex; gas: bigint }

/** @property lone null: it may share a transaction with others. Meaningless beside a refusal. */
export type Verdict = { refusal: ChainRefusal | null; lone: LoneCall | null }

/** Who would send it. With a sender the wallet cannot tell the simulation from the real thing by its gas price. */
export type SimulatedSender = { address: Address; gasPrice(): bigint }

/** Gas of a transaction that calls a wallet's code (EIP-1271), and of one that deploys the wallet first. */
export const WALLET_GAS = 500_000n
const DEPLOY_GAS = 2_000_000n
/** Upper bound of one key-signed transfer; see batch.ts for what it takes. */
const SHARED_GAS = 120_000n

const passes: Verdict = { refusal: null, lone: null }
const refused = (refusal: ChainRefusal): Verdict => ({ refusal, lone: null })

/**
 * Simulates key-signed payments of different payers' nonces in one eth_call. A payer with code is taken out and
 * simulated alone, and so is every payment whose failure gives no reason: code that burns the shared gas
 * must not make its neighbours look bad (SIG-04).
 * @param payments 'ecdsa' only, no two with the same (from, nonce).
 */
export async function simulateShared(
  rpc: Rpc,
  payments: readonly Payment[],
  sender?: SimulatedSender,
): Promise<Verdict[]> {
  const [coded, together] = await Promise.all([
    haveCode(
      rpc,
      payments.map(({ authorization }) => authorization.from),
    ),
    aggregate(rpc, payments).catch((error: unknown) => ({ error })),
  ])
  const plain = payments.filter((_, index) => !coded[index])
  let results: CallResult[]
  if (plain.length < payments.length) results = await aggregate(rpc, plain)
  else if ('error' in together) throw together.error
  else results = together
  const verdicts = new Map<Payment, Verdict | null>()
  plain.forEach((payment, index) => {
    verdicts.set(payment, readResult(results[index]!))
  })
  return Promise.all(payments.map((payment) => verdicts.get(payment) ?? simulateLone(rpc, payment, sender)))
}

async function aggregate(rpc: Rpc, payments: readonly Payment[]): Promise<CallResult[]> {
  if (payments.length === 0) return []
  const calls = payments.map(({ asset, authorization, signature }) => ({
    target: asset,
    allowFailure: true,
    data: transferByKey(authorization, signature),
  }))
  const gas = SHARED_GAS * BigInt(payments.length) + 500_000n
  const results = readResults(
    await ethCall(rpc, { to: MULTICALL3, data: aggregate3(calls), gas }),
    calls.length,
  )
  if (results === null) throw new UnavailableError('chain_unavailable', 'no answer of Multicall3')
  return results
}

/** null: failed without a reason. */
function readResult({ success, returnData }: CallResult): Verdict | null {
  if (success) return passes
  const refusal = readRevert(returnData)
  return refusal === null ? null : refused(refusal)
}

/** Simulates one payment with a gas cap of its own; it then also has to be sent alone. */
export async function simulateLone(rpc: Rpc, payment: Payment, sender?: SimulatedSender): Promise<Verdict> {
  const steps = await loneSteps(rpc, payment)
  if (steps === null) return refused('wallet_not_supported')
  const { deploy, transfer, gas } = steps
  if (deploy !== null && [payment.asset, MULTICALL3, sender?.address].includes(deploy.factory))
    return refused('wallet_not_supported')
  const calls = (allowFailure: boolean) =>
    aggregate3([
      ...(deploy === null ? [] : [{ target: deploy.factory, allowFailure: true, data: deploy.factoryCall }]),
      { target: payment.asset, allowFailure, data: transfer },
    ])
  const result = await lastResult(rpc, { data: calls(true), gas, count: deploy === null ? 1 : 2, sender })
  if (result?.success) return { refusal: null, lone: { to: MULTICALL3, data: calls(false), gas } }
  const refusal = result === null ? null : readRevert(result.returnData)
  //  The key did sign: what says no is the code that the account delegates to (SIG-07).
  if (refusal === null || (refusal === 'bad_signature' && payment.signer === 'ecdsa'))
    return refused('wallet_not_supported')
  return refused(refusal)
}

/** null: the wrapper names no deployment, which classify() has refused before. */
async function loneSteps(
  rpc: Rpc,
  { authorization, signature, signer }: Payment,
): Promise<{ deploy: { factory: Address; factoryCall: Hex } | null; transfer: Hex; gas: bigint } | null> {
  if (signer !== 'undeployed')
    return { deploy: null, transfer: transferByWallet(authorization, signature), gas: WALLET_GAS }
  const deployment = unwrap(signature)
  if (deployment === null) return null
  const transfer = transferByWallet(authorization, deployment.inner)
  const [deployed] = await haveCode(rpc, [authorization.from])
  return deployed
    ? { deploy: null, transfer, gas: WALLET_GAS } //  deployed meanwhile: no factory is called for it
    : { deploy: deployment, transfer, gas: DEPLOY_GAS }
}

/** Result of the last of `count` Multicall3 calls. null: all ran out of gas or reverted, due to the called code. */
export async function lastResult(
  rpc: Rpc,
  {
    data,
    gas,
    count,
    sender,
  }: { data: Hex; gas: bigint; count: number; sender?: SimulatedSender | undefined },
): Promise<CallResult | null> {
  const as = sender === undefined ? {} : { from: sender.address, gasPrice: sender.gasPrice() }
  try {
    const results = readResults(await ethCall(rpc, { to: MULTICALL3, data, gas, ...as }), count)
    if (results === null) throw new UnavailableError('chain_unavailable', 'no answer of Multicall3')
    return results[count - 1]!
  } catch (error) {
    if (error instanceof RpcError && isExecutionFailure(error)) return null
    throw error
  }
}
