import type { Address } from 'viem'
import type { Clock } from '../../ops/clock.ts'
import { type Config, ConfigError } from '../../ops/config.ts'
import { describeError, UnavailableError } from '../../ops/errors.ts'
import type { FaultPoint } from '../../ops/faultPoint.ts'
import { parseFinality } from '../../ops/finalityPolicy.ts'
import type { Log } from '../../ops/log.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { SECOND } from '../../ops/units.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createPaymentChain } from './chain.ts'
import { classify } from './classify.ts'
import { tellContradictions } from './contradictions.ts'
import { refuseToken } from './describeToken.ts'
import { readFactories } from './erc6492.ts'
import { createFacilitatorSettlement } from './facilitatorSettlement.ts'
import { createFinalityGate, type FinalityGate } from './finalityGate.ts'
import { MULTICALL3 } from './multicall.ts'
import { openFacilitators } from './openFacilitators.ts'
import type { ChainView, Classifier, PaymentChain } from './port.ts'
import { createSelfSettlement } from './selfSettlement.ts'
import type { Settlement } from './settlement.ts'
import { usdcDomain } from './typedData.ts'

export type Payments = {
  chain: PaymentChain & ChainView
  /** For as many requests as come. @param waitMs how long each may wait for confirmations. */
  finality(waitMs: number): FinalityGate
  /** For one pass over many claims, that waits for none. */
  finalityOfPass(): FinalityGate
  settlement: Settlement
  classify: Classifier
  /** What a 402 says about the rail. */
  token: {
    network: string
    asset: string
    payTo: string
    tokenName: string
    tokenVersion: string
    maxTimeoutSeconds: number
  }
  /** Why no payment can be taken now, or null. */
  problem(): Promise<string | null>
  close(): Promise<void>
}

const PROBLEM_TTL_MS = 2 * SECOND

/** Chain, settlement and signature check of one process, as configured. */
export function createPayments({
  config,
  ledger,
  log,
  metrics,
  clock,
  faultPoint,
}: {
  clock: Clock
  faultPoint: FaultPoint
  config: Config
  ledger: Ledger
  log: Log
  metrics: Metrics
}): Payments {
  const asset = config.USDC_ADDRESS.toLowerCase() as Address
  const domain = usdcDomain(config.CHAIN_ID, asset)
  const factories = factoriesOf(config, [asset, MULTICALL3, config.RECEIVER_ADDRESS as Address])
  const chain = createPaymentChain({
    rpcUrl: config.BASE_RPC_URL,
    log,
    metrics,
    onContradiction: tellContradictions(metrics, log, config.CHAIN_ID),
  })

  /** Until it has passed once, nothing is sold: with another name, version or chain every signature would look bad. */
  let checking: Promise<string | null> | null = null
  const tokenProblem = () => {
    checking ??= chain.describeToken(asset).then(
      (found) => {
        const contradictions = refuseToken(found, domain)
        if (contradictions.length === 0) return null
        checking = null
        log.error({ contradictions }, 'the chain contradicts the configuration')
        return contradictions.join('; ')
      },
      (error) => {
        checking = null
        throw error
      },
    )
    return checking
  }
  /** Not part of that check, which stops the sale: each payer learns the refusal from their payment's simulation. */
  const receiverProblem = async () => {
    const refusal = await chain.refuseReceiver(asset, config.RECEIVER_ADDRESS as Address)
    return refusal === null ? null : `the token lets nobody pay RECEIVER_ADDRESS: ${refusal}`
  }
  const facilitators = config.SETTLEMENT === 'facilitator' ? openFacilitators({ config, log, metrics }) : null
  const settlement =
    facilitators === null
      ? createSelfSettlement({ ledger, chain })
      : createFacilitatorSettlement({
          facilitator: facilitators,
          ledger,
          chain,
          chainId: config.CHAIN_ID,
          faultPoint,
          clock,
        })

  let lastProblem: { atMs: number; text: string | null } | null = null
  const problem = async () => {
    if (lastProblem !== null && performance.now() - lastProblem.atMs < PROBLEM_TTL_MS) return lastProblem.text
    let text: string | null
    try {
      text =
        (await tokenProblem()) ??
        (await chain.describeToken(asset).then(() => facilitators?.problem() ?? null)) ??
        (await receiverProblem())
    } catch (error) {
      text = `the chain does not answer: ${describeError(error)}`
    }
    lastProblem = { atMs: performance.now(), text }
    return text
  }

  const policy = parseFinality(config.FINALITY)
  const chainId = config.CHAIN_ID
  return {
    chain,
    finality: (waitMs) => createFinalityGate({ chain, chainId, policy, waitMs }),
    finalityOfPass: () => createFinalityGate({ chain, chainId, policy, waitMs: 0, isForOnePass: true }),
    settlement: {
      ...settlement,
      refuse: async (payment, offer, listing) => {
        if ((await tokenProblem()) !== null)
          throw new UnavailableError('chain_unavailable', 'the chain contradicts the configuration')
        return settlement.refuse(payment, offer, listing)
      },
    },
    classify: (authorization, signature) => classify(authorization, signature, { domain, factories }),
    token: {
      network: `eip155:${config.CHAIN_ID}`,
      asset: config.USDC_ADDRESS,
      payTo: config.RECEIVER_ADDRESS,
      tokenName: domain.name,
      tokenVersion: domain.version,
      maxTimeoutSeconds: config.PAYMENT_TIMEOUT_S,
    },
    problem,
    close: async () => {
      await facilitators?.close()
      await chain.close()
    },
  }
}

function factoriesOf(config: Config, never: readonly Address[]) {
  try {
    return readFactories(config.EIP6492_FACTORIES, never)
  } catch (error) {
    throw new ConfigError([describeError(error)])
  }
}
