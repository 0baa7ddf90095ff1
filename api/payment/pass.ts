import type { FaultPoint } from '../../ops/faultPoint.ts'
import type { Passes, PassStanding } from '../entitlements/passes.ts'
import { digestOfToken, isToken } from '../entitlements/token.ts'
import { isProblem, type ProblemCode } from '../errors.ts'
import { type Good, type GoodPorts, isCoveredByPass } from '../goods/good.ts'
import { constantHeaders } from '../http/constantHeaders.ts'
import type { Reply } from '../http/exchange.ts'
import { refuseIdempotencyKey } from '../http/idempotencyKey.ts'
import { NO_STORE, outageReply, problemReply } from '../http/respond.ts'
import { sha256Hex } from '../receipts/canonical.ts'
import { fewEach } from './fewEach.ts'
import { questionOf } from './fingerprint.ts'
import { type Asked, type Call, readAsked, readInput } from './input.ts'
import { isOutdatedSince, soldUntilMs } from './outdated.ts'
import type { Sold } from './sale.ts'
import type { createSameInstant } from './sameInstant.ts'

const ANSWER_HEADERS = constantHeaders([['content-type', 'application/json'], NO_STORE])

export type SoldByPass = Sold & { sameInstant: ReturnType<typeof createSameInstant> }

export type PassPorts = {
  passes: Passes
  goods: GoodPorts
  clock: { nowMs(): number }
  answers: { mode: string }
  faultPoint: FaultPoint
}

/** A call taken from a pass, with the stored answer if the call has a name; or why none was taken. */
type Taken = { left: number; expiresMs: number; answer?: string } | Exclude<PassStanding, 'good'> | 'outdated'

/**
 * One GET under an hour pass (spec 4.1 rule 12, 8): the answer is computed first, then one call is taken for it in one
 * step, then the answer goes out. Refusals and errors cost no call; no answer is sent without one. If the outcome of
 * the step is unknown, the reply is 503: the call may be gone, and the answer is not sent. An expired or used-up pass
 * is refused before its question is read.
 *
 * With an Idempotency-Key the answer is kept with its call: for five minutes the same question with the same key gets
 * it again, from every process, and no further call is taken (CRA-13).
 *
 * A ledger may answer late, and a process may stand still. An answer whose data grew too old meanwhile (I17) is made
 * again of what the boards hold now; if they hold nothing to sell, the call is given back. With a key the ledger itself
 * sees to it: it takes no call for an answer that is too old, and what it kept in time is the answer, however late.
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
  const badKey = refuseIdempotencyKey(call.idempotencyKey)
  if (badKey !== null) return problemReply(badKey)
  try {
    const digest = digestOfToken(token)
    const told = ports.passes.standing(digest)
    const standing = typeof told === 'string' ? told : await told
    if (standing === 'unknown') return unknown()
    const key = call.idempotencyKey
    if (standing !== 'good' && key === '') return refuse(`pass_${standing}`)
    const asked = readAsked(call)
    if (isProblem(asked)) return problemReply(asked)
    const input = readInput(good, asked)
    if (isProblem(input)) return problemReply(input)
    const name = key === '' ? null : nameOf(key, digest, good, asked)
    const known = name === null ? null : await ports.passes.answered(name)
    if (known !== null) return replyOf(known, known.answer)
    if (standing !== 'good') return refuse(`pass_${standing}`) //  only the last call of a pass may be asked for again
    const question = `${call.rawQuery}\n${call.payload}`
    const draw = () => {
      const nowMs = ports.goods.marketClock.nowMs()
      return fewEach(digest, good, input.input, () =>
        sold.sameInstant(nowMs, question, () => good.answer(input.input, ports.goods)),
      )
    }
    const [draftedMs, ledgerMs] = [Date.now(), ports.clock.nowMs()]
    const answer = draw()
    const drawn = answer instanceof Promise ? await answer : answer
    if (isProblem(drawn)) return problemReply(drawn)
    const { draft, text } = drawn
    const taken: Taken =
      name === null
        ? await ports.passes.take(digest)
        : await ports.passes.answer(digest, name, text, soldUntilMs(draft, ledgerMs))
    if (taken === 'outdated') return problemReply({ problem: 'stale_data' })
    if (taken === 'unknown') return unknown() //  it was known a moment ago: the ledger has forgotten it since
    if (typeof taken === 'string') return refuse(`pass_${taken}`)
    ports.faultPoint('CP11')
    if (taken.answer !== undefined) return replyOf(taken, taken.answer)
    if (!isOutdatedSince(draft, draftedMs)) return replyOf(taken, text)
    const fresh = await draw()
    if (!isProblem(fresh)) return replyOf(taken, fresh.text)
    await ports.passes.giveBack(digest)
    return problemReply(fresh)
  } catch (error) {
    return outageReply(error)
  }

  function replyOf({ left, expiresMs }: { left: number; expiresMs: number }, result: string): Reply {
    const expiresAt = new Date(expiresMs).toISOString()
    return {
      status: 200,
      headers: ANSWER_HEADERS,
      body: `{"ok":true,"protocol":"hour-pass","sku":"${good.sku}","mode":"${ports.answers.mode}","pass":{"callsRemaining":${left},"expiresAt":"${expiresAt}"},"result":${result}}`,
    }
  }
}

/** The ledger's name for a call with a key: per pass and question, however spelt; another question is another call. */
const nameOf = (idempotencyKey: string, digest: string, { path, sku }: Good<unknown>, asked: Asked): string =>
  sha256Hex(`pass|${digest}|${questionOf(path, asked, sku)}|${idempotencyKey}`)
