import type { Address, Hex } from 'viem'
import { UnavailableError } from '../../ops/errors.ts'
import type { Log } from '../../ops/log.ts'
import type { Metrics } from '../../ops/metrics.ts'
import { SECOND } from '../../ops/units.ts'
import { ExchangeError, exchange, openPool, type Reply } from './exchange.ts'
import {
  askBody,
  contradictsUs,
  type FacilitatorAsk,
  type FacilitatorAuth,
  NO_AUTH,
  readReason,
  SettleAnswer,
  SupportedAnswer,
  VerifyAnswer,
} from './facilitatorWire.ts'
import type { ChainRefusal } from './port.ts'

/**
 * What a facilitator says of a settlement. It is its word only: `settled` waits for the chain to agree.
 * unknown: money may or may not have moved (reset, timeout, 5xx, garbage, a contradiction); never a 402.
 */
export type SettleOutcome =
  | { kind: 'settled'; tx: Hex }
  | { kind: 'refused'; reason: ChainRefusal }
  | { kind: 'pending'; tx: Hex | null }
  | { kind: 'unknown'; tx: Hex | null }

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

/** A remote x402 facilitator over HTTP (x402-v2 3.1, 3.2). Foreign text goes no further than this file. */
export function createFacilitator({
  url,
  auth = NO_AUTH,
  log,
  metrics,
  verifyTimeoutMs = 10 * SECOND,
  settleTimeoutMs = 30 * SECOND,
}: {
  url: string
  auth?: FacilitatorAuth
  log: Log
  metrics?: Metrics
  verifyTimeoutMs?: number
  settleTimeoutMs?: number
}): Facilitator {
  const base = new URL(url)
  const basePath = base.pathname.replace(/\/+$/, '')
  const pool = openPool(base.origin, CONNECTIONS)
  const answers = metrics?.counter('facilitator_answers_total', 'Answers by call and outcome', [
    'call',
    'outcome',
  ])
  const alarms = metrics?.counter('facilitator_alarms_total', 'Answers that contradict what was asked', [
    'call',
  ])
  const count = (call: Call, outcome: string) => answers?.inc({ call, outcome })
  const alarm = (call: Call, problem: string) => {
    alarms?.inc({ call })
    log.error({ call, problem }, 'the facilitator contradicts us')
  }
  const unavailable = (call: Call, reason: string) => {
    count(call, 'unavailable')
    return new UnavailableError('facilitator_unavailable', `facilitator ${call}: ${reason}`)
  }

  const send = (call: Call, body?: string): Promise<Reply> =>
    exchange(pool, {
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

  /** Only for calls without effect: an idle connection that was closed as we wrote is worth one more try. */
  async function sendRepeatable(call: Call, body?: string): Promise<Reply> {
    try {
      return await send(call, body).catch((error) => {
        if (error instanceof ExchangeError && error.reason === 'UND_ERR_SOCKET') return send(call, body)
        throw error
      })
    } catch (error) {
      throw unavailable(call, reasonOf(error))
    }
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
    if (refusal === 'transfer_failed' && contradictsUs(invalidReason)) alarm('verify', 'refuses our terms')
    count('verify', refusal)
    return refusal
  }

  async function settle(ask: FacilitatorAsk): Promise<SettleOutcome> {
    let reply: Reply
    try {
      reply = await send('settle', askBody(ask))
    } catch (error) {
      if (error instanceof ExchangeError && !error.mayHaveArrived) throw unavailable('settle', error.reason)
      log.warn({ reason: reasonOf(error) }, 'the outcome of a settlement is unknown')
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

/** Pure: what an answer to /settle means. FAC-09: an answer about another payment is no answer about ours. */
function readSettlement(
  reply: Reply,
  { payment, requirements }: FacilitatorAsk,
): SettleOutcome | { contradiction: string; tx: Hex | null } {
  const answer = readJson(SettleAnswer, reply)
  if (answer === null) return { kind: 'unknown', tx: null }
  const tx = isTx(answer.transaction) ? lower(answer.transaction) : null
  if (!answer.success) {
    if (/pending/.test(answer.errorReason ?? '')) return { kind: 'pending', tx }
    const reason = readReason(answer.errorReason)
    return reason === null || isTheirTrouble(reply.status)
      ? { kind: 'unknown', tx }
      : { kind: 'refused', reason }
  }
  if (!agrees(answer.payer, payment.authorization.from)) return { contradiction: 'payer differs', tx }
  if (!agrees(answer.network, requirements.network)) return { contradiction: 'network differs', tx }
  if (!agrees(answer.amount, requirements.amount)) return { contradiction: 'amount differs', tx }
  if (tx === null) return { contradiction: 'success without a transaction', tx }
  return isSuccess(reply.status) ? { kind: 'settled', tx } : { kind: 'unknown', tx }
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299
/** Statuses with which a facilitator, or something before it, speaks of itself. */
const isTheirTrouble = (status: number): boolean => status >= 500 || status === 429 || status === 408
const isTx = (text: string | null | undefined): text is Hex =>
  typeof text === 'string' && /^0x[0-9a-f]{64}$/i.test(text) && !/^0x0+$/.test(text)
const isAddress = (text: string): text is Address => /^0x[0-9a-f]{40}$/i.test(text)
const lower = <H extends Hex>(hex: H): H => hex.toLowerCase() as H

/** Absent is fine: older facilitators leave these out. */
const agrees = (said: string | null | undefined, ours: string): boolean =>
  said === null || said === undefined || said === '' || said.toLowerCase() === ours.toLowerCase()

function readJson<T>(
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } },
  reply: Reply,
): T | null {
  if (!/json/i.test(reply.contentType)) return null
  try {
    const parsed = schema.safeParse(JSON.parse(reply.text))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

const reasonOf = (error: unknown): string => (error instanceof ExchangeError ? error.reason : 'unknown')
