import { UnavailableError } from '../../ops/errors.ts'
import type { Passes } from '../entitlements/passes.ts'
import { digestOfToken, isToken } from '../entitlements/token.ts'
import { isProblem, type ProblemCode } from '../errors.ts'
import { type GoodPorts, isCoveredByPass } from '../goods/good.ts'
import { constantHeaders } from '../http/constantHeaders.ts'
import type { Reply } from '../http/exchange.ts'
import { NO_STORE, problemReply } from '../http/respond.ts'
import { fewEach } from './fewEach.ts'
import { type Call, readAsked, readInput } from './input.ts'
import type { Sold } from './sale.ts'
import type { createSameInstant } from './sameInstant.ts'

const ANSWER_HEADERS = constantHeaders([['content-type', 'application/json'], NO_STORE])

export type SoldByPass = Sold & { sameInstant: ReturnType<typeof createSameInstant> }

export type PassPorts = {
  passes: Passes
  goods: GoodPorts
  clock: { nowMs(): number }
  answers: { mode: string }
}

/**
 * One GET under an hour pass (spec 4.1 rule 12, 8): the answer first, then one call taken for it in one step, then the
 * answer goes out. Refusals and errors cost no call; an answer is never sent without one. A step whose outcome cannot be
 * known is a 503: the call may be gone then, the answer is not sent. A pass that is over is told so before its question is looked at.
 */
export async function answerByPass(
  token: string,
  call: Call,
  sold: SoldByPass,
  ports: PassPorts,
): Promise<Reply> {
  const { good } = sold
  const refuse = (code: ProblemCode) => sold.challenge(code, ports.clock.nowMs())
  if (!isCoveredByPass(good)) return refuse('pass_not_covering')
  const unknown = () => {
    call.wrongSecret()
    return refuse('pass_unknown')
  }
  if (!isToken(token, 'pass')) return unknown()
  try {
    const digest = digestOfToken(token)
    const told = ports.passes.standing(digest)
    const standing = typeof told === 'string' ? told : await told
    if (standing === 'unknown') return unknown()
    if (standing !== 'good') return refuse(`pass_${standing}`)
    const asked = readAsked(call)
    if (isProblem(asked)) return problemReply(asked)
    const input = readInput(good, asked)
    if (isProblem(input)) return problemReply(input)
    const nowMs = ports.goods.marketClock.nowMs()
    const question = `${call.rawQuery}\n${call.payload}`
    const answer = fewEach(digest, good, () =>
      sold.sameInstant(nowMs, question, () => good.answer(input.input, ports.goods)),
    )
    const result = answer instanceof Promise ? await answer : answer
    if (typeof result !== 'string') return problemReply(result)
    const taken = await ports.passes.take(digest)
    if (taken === 'unknown') return unknown() //  met while it was known: the ledger has forgotten it since
    if (typeof taken === 'string') return refuse(`pass_${taken}`)
    const expiresAt = new Date(taken.expiresMs).toISOString()
    return {
      status: 200,
      headers: ANSWER_HEADERS,
      body: `{"ok":true,"protocol":"hour-pass","sku":"${good.sku}","mode":"${ports.answers.mode}","pass":{"callsRemaining":${taken.left},"expiresAt":"${expiresAt}"},"result":${result}}`,
    }
  } catch (error) {
    if (error instanceof UnavailableError) return problemReply({ problem: error.code as ProblemCode })
    throw error
  }
}
