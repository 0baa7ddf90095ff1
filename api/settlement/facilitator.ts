import type { Address } from 'viem'
import { UnavailableError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import { parseRetryAfter } from '../../ops/retryAfter.ts'
import { SECOND } from '../../ops/units.ts'
import { ExchangeError, exchange, openPool, type Reply, wasCut } from './exchange.ts'
import {
  agrees,
  isAddress,
  isSuccess,
  isTheirTrouble,
  lower,
  readJson,
  readSettlement,
  type SettleOutcome,
} from './facilitatorAnswers.ts'
import type { FacilitatorMetrics } from './facilitatorMetrics.ts'
import {
  askBody,
  contradictsUs,
  type FacilitatorAsk,
  type FacilitatorAuth,
  NO_AUTH,
  readListed,
  readReason,
  SupportedAnswer,
  VerifyAnswer,
} from './facilitatorWire.ts'
import type { ChainRefusal } from './port.ts'

export type FacilitatorSupport = {
  kinds: { x402Version: number; scheme: string; network: string }[]
  signers: Address[]
}

export type Facilitator = {
  /** null: valid. @throws UnavailableError('facilitator_unavailable') when it gives no usable answer. */
  verify(ask: FacilitatorAsk): Promise<ChainRefusal | null>
  /** Safe to repeat with the identical payment. @throws UnavailableError only when it cannot have heard us. */
  settle(ask: FacilitatorAsk): Promise<SettleOutcome>
  /** @throws UnavailableError */
  supported(): Promise<FacilitatorSupport>
  close(): Promise<void>
}

type Call = 'verify' | 'settle' | 'supported'

const MAX_ANSWER_BYTES = 64 * 1024
const CONNECTIONS = 32
const MAX_QUIET_MS = 30 * SECOND

/** A remote x402 facilitator over HTTP (x402-v2 3.1, 3.2). Foreign text goes no further than this file. */
export function createFacilitator({
  name = 'facilitator',
  url,
  auth = NO_AUTH,
  log,
  metrics,
  verifyTimeoutMs = 10 * SECOND,
  settleTimeoutMs = 30 * SECOND,
}: {
  name?: string
  url: string
  auth?: FacilitatorAuth
  log: Log
  metrics?: FacilitatorMetrics
  verifyTimeoutMs?: number
  settleTimeoutMs?: number
}): Facilitator {
  const base = new URL(url)
  const basePath = base.pathname.replace(/\/+$/, '')
  const pool = openPool(base.origin, CONNECTIONS)
  let quietUntilMs = 0 //  FAC-14: until then only settlements are sent
  const count = (call: Call, outcome: string) => metrics?.answers.inc({ facilitator: name, call, outcome })
  const alarm = (call: Call, problem: string) => {
    metrics?.alarms.inc({ facilitator: name, call })
    log.error({ facilitator: name, call, problem }, 'the facilitator contradicts us')
  }
  const unavailable = (call: Call, reason: string) => {
    count(call, 'unavailable')
    return new UnavailableError('facilitator_unavailable', `facilitator ${call}: ${reason}`)
  }

  const noteListed = ({ extensionResponses }: Reply) => {
    const listed = readListed(extensionResponses, 'bazaar')
    if (listed === null) return
    metrics?.listed.inc({ facilitator: name, status: listed.status })
    if (listed.status === 'rejected')
      log.warn({ facilitator: name, reason: listed.reason }, 'the facilitator does not list us')
  }

  const send = async (call: Call, body?: string): Promise<Reply> => {
    const reply = await exchange(pool, {
      method: body === undefined ? 'GET' : 'POST',
      path: `${basePath}/${call}`,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...auth[call],
      },
      body,
      timeoutMs: call === 'settle' ? settleTimeoutMs : verifyTimeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
    })
    noteListed(reply)
    return reply
  }

  /** Only for calls without effect: an idle connection that was closed as we wrote is worth one more try. */
  async function sendRepeatable(call: Call, body?: string): Promise<Reply> {
    if (performance.now() < quietUntilMs) throw unavailable(call, 'it asked us to wait')
    let reply: Reply
    try {
      reply = await send(call, body).catch((error) => {
        if (wasCut(error)) return send(call, body)
        throw error
      })
    } catch (error) {
      throw unavailable(call, reasonOf(error))
    }
    if (reply.status === 429) {
      const askedMs = parseRetryAfter(reply.retryAfter ?? undefined, Date.now()) ?? SECOND
      quietUntilMs = performance.now() + Math.min(askedMs, MAX_QUIET_MS)
    }
    return reply
  }

  async function verify(ask: FacilitatorAsk): Promise<ChainRefusal | null> {
    const reply = await sendRepeatable('verify', askBody(ask))
    const answer = readJson(VerifyAnswer, reply)
    if (answer === null || isTheirTrouble(reply.status) || (answer.isValid && !isSuccess(reply.status)))
      throw unavailable('verify', `no usable answer, status ${reply.status}`)
    const { isValid, invalidReason, payer } = answer
    if (isValid && !agrees(payer, ask.payment.authorization.from)) {
      alarm('verify', 'payer differs')
      count('verify', 'contradiction')
      return 'transfer_failed'
    }
    if (isValid) {
      count('verify', 'valid')
      return null
    }
    if (/unexpected|internal/.test(invalidReason ?? '')) throw unavailable('verify', 'trouble of its own')
    const refusal = readReason(invalidReason) ?? 'transfer_failed'
    const isOfUs = refusal === 'transfer_failed' || refusal === 'blocked_party'
    if (isOfUs && contradictsUs(invalidReason)) alarm('verify', 'refuses our terms')
    count('verify', refusal)
    return refusal
  }

  async function settle(ask: FacilitatorAsk): Promise<SettleOutcome> {
    let reply: Reply
    try {
      reply = await send('settle', askBody(ask))
    } catch (error) {
      if (error instanceof ExchangeError && !error.mayHaveArrived) throw unavailable('settle', error.reason)
      log.warn({ facilitator: name, reason: reasonOf(error) }, 'the outcome of a settlement is unknown')
      count('settle', 'unknown')
      return { kind: 'unknown', tx: null }
    }
    const outcome = readSettlement(reply, ask)
    if ('contradiction' in outcome) {
      alarm('settle', outcome.contradiction)
      count('settle', 'contradiction')
      return { kind: 'unknown', tx: outcome.tx }
    }
    count('settle', outcome.kind)
    return outcome
  }

  return {
    verify,
    settle,
    async supported() {
      const reply = await sendRepeatable('supported')
      const answer = isSuccess(reply.status) ? readJson(SupportedAnswer, reply) : null
      if (answer === null) throw unavailable('supported', `no usable answer, status ${reply.status}`)
      count('supported', 'read')
      const signers = Object.values(answer.signers ?? {}).flat()
      return { kinds: answer.kinds, signers: signers.filter(isAddress).map(lower) }
    },
    close: () => pool.close(),
  }
}

const reasonOf = (error: unknown): string => (error instanceof ExchangeError ? error.reason : 'unknown')
