import type { Clock } from '../../ops/clock.ts'
import { UnavailableError } from '../../ops/errors.ts'
import { MINUTE, SECOND } from '../../ops/units.ts'
import { buyerOf } from '../classic/request.ts'
import { accountOf } from '../entitlements/credit.ts'
import { isProblem, type Problem } from '../errors.ts'
import type { GoodPorts } from '../goods/good.ts'
import { sellableOfSku } from '../goods/index.ts'
import { answering } from '../http/answering.ts'
import type { HttpRequest, Reply } from '../http/exchange.ts'
import { RATE_LIMITS } from '../http/limits.ts'
import { parseQuery } from '../http/query.ts'
import { createRateLimit } from '../http/rateLimit.ts'
import { readJson } from '../http/readJson.ts'
import { jsonReply, NO_STORE, problemReply } from '../http/respond.ts'
import type { Route } from '../http/router.ts'
import { refuseTwice } from '../http/sentTwice.ts'
import { type Checkout, cardKey } from '../ledger/cards.ts'
import { asksForHtml } from '../pages/negotiate.ts'
import { type DeliverPorts, deliverClaim } from '../payment/deliver.ts'
import { firstIssue, IN_WORDS } from '../problems/issue.ts'
import { isSignable } from '../receipts/canonical.ts'
import { agentDigest, digestOfCheckout, isCheckoutId, openCheckout } from './open.ts'
import { CheckoutOrder, ORDER_MAX_BYTES } from './order.ts'
import { checkoutPage } from './page.ts'
import { readPayload, UNSIGNABLE } from './payload.ts'
import type { CardProvider, ReadCardEvent } from './provider.ts'
import { type LateInput, type RefreshPorts, refresh } from './refresh.ts'
import { CHECKOUT_PATH } from './sale.ts'
import { awaitsPayload, STATUS_PATH, showCheckout } from './show.ts'
import { WEBHOOK_PATH, webhook } from './webhook.ts'

export type CheckoutPorts = DeliverPorts &
  RefreshPorts & {
    goods: GoodPorts
    clock: Clock
    answerTtlMs: number // how long an answer is kept once its buyer has come for it
  }

/** How soon after one another a status poll may ask the provider. */
const OPEN_GAP_MS = 2 * SECOND
const SETTLED_GAP_MS = 1 * MINUTE

const notSetUp = () =>
  Promise.reject(new UnavailableError('card_provider_unavailable', 'no card provider is set up'))
const NO_PROVIDER: CardProvider = { open: notSetUp, truth: notSetUp, sessionsOf: notSetUp }

/**
 * Card checkout (spec 4.2).
 * @param card null: not set up, and callers are told so, except those who opened a checkout before and may have paid
 *   it.
 */
export function checkoutRoutes(
  card: { provider: CardProvider; readEvent: ReadCardEvent } | null,
  others: Omit<CheckoutPorts, 'provider'>,
): Route[] {
  if (card === null) {
    const off: Problem = { problem: 'card_checkout_off' }
    const known = statusBy({ ...others, provider: NO_PROVIDER })
    const status = async (request: HttpRequest) => {
      if (!isCheckoutId(checkoutIdOf(request))) return off
      const said = await known(request)
      return isProblem(said) && said.problem === 'checkout_unknown' ? off : said
    }
    return [
      { method: 'POST', path: CHECKOUT_PATH, handler: () => problemReply(off) },
      { method: 'GET', path: STATUS_PATH, head: false, limit: pollsOf(others), handler: answering(status) },
    ]
  }
  const ports = { ...others, provider: card.provider }
  return [
    {
      method: 'POST',
      path: CHECKOUT_PATH,
      limit: createRateLimit(RATE_LIMITS.checkouts, ports.clock),
      handler: answering(openBy(ports)),
    },
    {
      method: 'GET',
      path: STATUS_PATH,
      head: false,
      limit: pollsOf(ports),
      handler: answering(statusBy(ports)),
    },
    {
      method: 'POST',
      path: WEBHOOK_PATH,
      limit: 'none',
      handler: answering(webhook(card.readEvent, ports)),
    },
  ]
}

const pollsOf = ({ clock }: Pick<CheckoutPorts, 'clock'>) => createRateLimit(RATE_LIMITS.polls, clock)

const openBy = (ports: CheckoutPorts) =>
  async function open(request: HttpRequest): Promise<Reply | Problem> {
    const twice = refuseTwice(request, ['x-agent-id'])
    if (twice !== null) return twice
    const agentId = request.header('x-agent-id')
    const { address } = request
    const order = await readJson(request, CheckoutOrder, ORDER_MAX_BYTES)
    if (isProblem(order)) return order
    const buyer = buyerOf(order.body.buyerId ?? '', agentId)
    if (isProblem(buyer)) return buyer
    if (buyer === '') return { problem: 'invalid_parameter', detail: 'buyerId: is needed, or x-agent-id.' }
    const opened = await openCheckout(order.body, { buyer, address }, ports)
    if (isProblem(opened)) return opened
    const checkout: Checkout = { ...opened.checkout, status: 'open', claimed: false }
    return jsonReply(200, showCheckout(checkout, opened.checkoutId, null, ports.answers), [NO_STORE])
  }

const checkoutIdOf = ({ rawQuery }: HttpRequest): string => parseQuery(rawQuery)?.get('checkout_id') ?? ''

const statusBy = (ports: CheckoutPorts) =>
  async function status(request: HttpRequest): Promise<Reply | Problem> {
    const twice = refuseTwice(request, ['x-agent-id', 'x-service-payload'])
    if (twice !== null) return twice
    const agentId = request.header('x-agent-id')
    const forPeople = asksForHtml(request.header('accept'))
    const payload = request.header('x-service-payload')
    const refusal = refuseAgent(agentId)
    if (refusal !== null) return refusal
    const checkoutId = checkoutIdOf(request)
    if (!isCheckoutId(checkoutId))
      return {
        problem: 'invalid_parameter',
        detail: 'checkout_id: the checkoutId of POST /cardpay/checkout.',
      }
    const known = await ports.cards.find(digestOfCheckout(checkoutId))
    if (known === null || isAnother(known, agentId)) return { problem: 'checkout_unknown' }
    const late = payload !== '' && awaitsPayload(known) ? inputOf(known, payload) : null
    if (isProblem(late)) return late
    const gapMs = late !== null ? 0 : known.status === 'open' || !known.claimed ? OPEN_GAP_MS : SETTLED_GAP_MS
    const checkout = await looked(known, { gapMs, ...(late === null ? {} : { late }) }, ports)
    if (isProblem(checkout)) return checkout
    const body = await delivered(checkout, ports)
    if (isProblem(body)) return body
    const shown = showCheckout(checkout, checkoutId, body, ports.answers)
    return forPeople ? checkoutPage(shown) : jsonReply(200, shown, [NO_STORE, ['vary', 'accept']])
  }

/** If the provider is away, what is known is still shown: only a checkout that nobody has paid yet depends on it. */
async function looked(
  known: Checkout,
  how: Parameters<typeof refresh>[1],
  ports: CheckoutPorts,
): Promise<Checkout | Problem> {
  try {
    return await refresh(known, how, ports)
  } catch (error) {
    if (known.claimed && error instanceof UnavailableError && error.code === 'card_provider_unavailable')
      return known
    throw error
  }
}

/** The answer of a paid checkout; null where there is none to give. */
async function delivered(checkout: Checkout, ports: CheckoutPorts): Promise<string | null | Problem> {
  if (checkout.status !== 'paid' || !checkout.claimed) return null
  const claim = await ports.ledger.find(cardKey(checkout.digest))
  if (claim === null) return { problem: 'answer_expired' }
  if (claim.state !== 'settled') return null
  const { body } = await deliverClaim(claim, null, ports)
  await ports.cards.fetched(checkout.digest, ports.answerTtlMs)
  return body
}

function inputOf({ sku }: Checkout, payload: string): LateInput | Problem {
  const read = readPayload(payload)
  if (read !== undefined && !isSignable(read))
    return { problem: 'invalid_parameter', detail: `X-Service-Payload: ${UNSIGNABLE}` }
  const parsed = sellableOfSku(sku)?.input.safeParse(read, IN_WORDS)
  if (parsed?.success === true) return { input: parsed.data, payload: read }
  const detail = parsed === undefined ? 'X-Service-Payload' : `X-Service-Payload: ${firstIssue(parsed.error)}`
  return { problem: 'invalid_parameter', detail }
}

const isAnother = ({ agent }: Checkout, agentId: string): boolean =>
  agent !== '' && agentId !== '' && agent !== agentDigest(agentId)

const refuseAgent = (agentId: string): Problem | null =>
  agentId === '' || accountOf(agentId) !== null
    ? null
    : { problem: 'invalid_parameter', detail: 'x-agent-id: 1 to 128 visible ASCII characters.' }
