import { readFileSync } from 'node:fs'
import type { Address } from 'viem'
import { realClock } from '../../ops/clock.ts'
import { type Config, ConfigError } from '../../ops/config.ts'
import { describeError } from '../../ops/errors.ts'
import type { FaultPoint } from '../../ops/faultPoint.ts'
import type { Log } from '../../ops/log.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { SECOND } from '../../ops/units.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createPaymentChain } from './chain.ts'
import { classify } from './classify.ts'
import { refuseToken } from './describeToken.ts'
import { createFacilitator } from './facilitator.ts'
import { createFacilitatorSettlement } from './facilitatorSettlement.ts'
import { NO_AUTH, readFacilitatorAuth } from './facilitatorWire.ts'
import type { Classifier, PaymentChain } from './port.ts'
import { createSelfSettlement } from './selfSettlement.ts'
import type { Settlement } from './settlement.ts'
import { tokenDomain, USDC_BASE } from './typedData.ts'

export type Payments = {
  chain: PaymentChain
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
  faultPoint,
}: {
  faultPoint: FaultPoint
  config: Config
  ledger: Ledger
  log: Log
  metrics: Metrics
}): Payments {
  const asset = config.USDC_ADDRESS.toLowerCase() as Address
  const domain = tokenDomain({ chainId: config.CHAIN_ID, asset, ...USDC_BASE })
  const factories = new Set(
    config.EIP6492_FACTORIES.split(',')
      .filter((text) => text !== '')
      .map((text) => text.trim().toLowerCase() as Address),
  )
  const chain = createPaymentChain({ rpcUrl: config.BASE_RPC_URL, log, metrics })

  /** Once per process: a token with another name, version or chain would make every signature look bad. */
  let checked = false
  const check = async () => {
    if (checked) return
    const contradictions = refuseToken(await chain.describeToken(asset), domain)
    if (contradictions.length > 0)
      throw new ConfigError(contradictions.map((text) => `BASE_RPC_URL: ${text}`))
    checked = true
  }
  const settlement =
    config.SETTLEMENT === 'self'
      ? createSelfSettlement({ ledger, chain })
      : createFacilitatorSettlement({
          facilitator: createFacilitator({
            url: config.FACILITATOR_URL,
            auth: authOf(config.FACILITATOR_AUTH_FILE),
            log,
            metrics,
          }),
          ledger,
          chain,
          chainId: config.CHAIN_ID,
          faultPoint,
          clock: realClock,
        })

  let lastProblem: { atMs: number; text: string | null } | null = null
  const problem = async () => {
    if (lastProblem !== null && performance.now() - lastProblem.atMs < PROBLEM_TTL_MS) return lastProblem.text
    let text: string | null = null
    try {
      await check()
      await chain.describeToken(asset)
    } catch (error) {
      if (error instanceof ConfigError) throw error
      text = `the chain does not answer: ${describeError(error)}`
    }
    lastProblem = { atMs: performance.now(), text }
    return text
  }

  return {
    chain,
    settlement: {
      ...settlement,
      refuse: async (payment, offer, resource) => {
        await check()
        return settlement.refuse(payment, offer, resource)
      },
    },
    classify: (authorization, signature) => classify(authorization, signature, { domain, factories }),
    token: {
      network: `eip155:${config.CHAIN_ID}`,
      asset: config.USDC_ADDRESS,
      payTo: config.RECEIVER_ADDRESS,
      tokenName: USDC_BASE.name,
      tokenVersion: USDC_BASE.version,
      maxTimeoutSeconds: config.PAYMENT_TIMEOUT_S,
    },
    problem,
    close: () => chain.close(),
  }
}

function authOf(file: string) {
  if (file === '') return NO_AUTH
  try {
    return readFacilitatorAuth(readFileSync(file, 'utf8'))
  } catch {
    throw new ConfigError(['FACILITATOR_AUTH_FILE: must be JSON {verify, settle, supported} of header maps'])
  }
}
