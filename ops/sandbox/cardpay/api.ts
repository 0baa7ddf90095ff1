import type { Book, Sale } from './book.ts'
import { type Form, parseForm, textAt } from './form.ts'
import { disputeObject, listOf, sessionObject } from './objects.ts'

export type ApiAnswer = { status: number; body: object }
export type ApiCall = {
  method: string
  path: string
  query: URLSearchParams
  body: string
  idempotencyKey: string | null
}

const SESSIONS = '/v1/checkout/sessions'
const SHORTEST_S = 30 * 60 // shortest life of a session, as the provider has it

const refused = (status: number, message: string, param?: string): ApiAnswer => ({
  status,
  body: { error: { type: 'invalid_request_error', message, ...(param === undefined ? {} : { param }) } },
})

/** The parts of the provider's API that our client uses, over the book. */
export function answerApi(call: ApiCall, book: Book, base: string, nowS: number): ApiAnswer {
  const { method, path, query } = call
  if (method === 'POST' && path === SESSIONS) return open(call, book, base, nowS)
  if (method === 'GET' && path === SESSIONS) {
    const sales = book.ofPayment(query.get('payment_intent') ?? '')
    return {
      status: 200,
      body: listOf(
        path,
        sales.map((sale) => sessionObject(sale, base, false)),
      ),
    }
  }
  if (method === 'GET' && path.startsWith(`${SESSIONS}/`)) {
    const sale = book.find(path.slice(SESSIONS.length + 1))
    if (sale === null) return refused(404, 'No such checkout session')
    const expanded = [...query].some(
      ([name, value]) => name.startsWith('expand') && value.startsWith('payment_intent'),
    )
    return { status: 200, body: sessionObject(sale, base, expanded) }
  }
  if (method === 'GET' && path === '/v1/disputes') {
    const disputes = book.ofPayment(query.get('payment_intent') ?? '').flatMap(disputesOf)
    return { status: 200, body: listOf(path, disputes) }
  }
  return refused(404, `Unrecognized request URL (${method})`)
}

const disputesOf = (sale: Sale): object[] =>
  sale.payment?.dispute ? [disputeObject(sale, sale.payment)] : []

function open({ body, idempotencyKey }: ApiCall, book: Book, base: string, nowS: number): ApiAnswer {
  const form = parseForm(body)
  const price = (...path: string[]) => textAt(form, 'line_items', '0', 'price_data', ...path)
  const cents = Number(price('unit_amount'))
  const expiresAt = Number(textAt(form, 'expires_at') ?? nowS + 24 * 3_600)
  const title = price('product_data', 'name')
  if (textAt(form, 'mode') !== 'payment') return refused(400, 'Only mode payment here', 'mode')
  if (price('currency') !== 'usd') return refused(400, 'Only usd here', 'line_items')
  if (!Number.isSafeInteger(cents) || cents < 50)
    return refused(400, 'Below the smallest charge', 'line_items')
  if (title === null) return refused(400, 'Missing product_data', 'line_items')
  if (!(expiresAt >= nowS + SHORTEST_S - 60)) return refused(400, 'Expires too soon', 'expires_at')
  const urls = [textAt(form, 'success_url'), textAt(form, 'cancel_url')].map((url) => url ?? '')
  if (!urls.every((url) => URL.canParse(url) && /^https?:/.test(url))) return refused(400, 'Not a valid URL')
  const [successUrl = '', cancelUrl = ''] = urls
  const sale = book.open(
    {
      reference: textAt(form, 'client_reference_id'),
      metadata: texts(form.metadata),
      title,
      cents,
      successUrl,
      cancelUrl,
      expiresAt,
    },
    idempotencyKey,
  )
  return { status: 200, body: sessionObject(sale, base, false) }
}

const texts = (part: string | Form | undefined): Record<string, string> =>
  typeof part === 'object'
    ? Object.fromEntries(
        Object.entries(part).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {}
