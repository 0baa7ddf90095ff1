import { type Attested, checkReceipt, type Finding } from '../receipt/check.ts'
import { publishedKeys } from '../receipt/keys.ts'
import { type Accepted, decoded, encoded, type Required } from './terms.ts'

const SIGN_PATH = '/sandbox/sign'
const RESENDS = 5
const RESEND_MS = 2_000

export type Answered = {
  status: number
  body: Record<string, unknown>
  paymentResponse: unknown
}
export type Bought = Answered & { payload: unknown; findings: Finding[] }

/** A GET, answered. */
async function get(
  url: string,
  headers: Record<string, string> = {},
): Promise<[Response, Record<string, unknown>]> {
  const answer = await fetch(url, { headers: { accept: 'application/json', ...headers } })
  return [answer, (await answer.json()) as Record<string, unknown>]
}

/** The terms of a read. @returns the refusal where there are none. */
export async function ask(url: string): Promise<{ required: Required } | Answered> {
  const [answer, body] = await get(url)
  const header = answer.headers.get('payment-required')
  if (answer.status === 402 && header !== null) return { required: decoded(header) as Required }
  return { status: answer.status, body, paymentResponse: null }
}

/** Signs with the test wallet of the sandbox. @returns the payload of a payment, or the refusal. */
async function sign(accepted: Accepted): Promise<{ payload: unknown } | Answered> {
  const answer = await fetch(SIGN_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ accepted }),
  })
  const body = (await answer.json()) as { payload?: unknown }
  return answer.ok ? { payload: body.payload } : { status: answer.status, body, paymentResponse: null }
}

/**
 * Pays what was asked and checks the receipt. While the payment is being settled (503) the same payment is sent again:
 * signing a second one could pay twice.
 */
export async function buy(url: string, { resource, accepts }: Required): Promise<Bought | Answered> {
  const accepted = accepts[0]!
  const signed = await sign(accepted)
  if ('status' in signed) return signed
  const { payload } = signed
  const header = encoded({ x402Version: 2, resource, accepted, payload })
  for (let sent = 1; ; sent++) {
    const [answer, body] = await get(url, { 'payment-signature': header })
    if (answer.status === 503 && sent < RESENDS) {
      await new Promise((resolve) => setTimeout(resolve, RESEND_MS))
      continue
    }
    const settled = answer.headers.get('payment-response')
    const paymentResponse = settled === null ? null : decoded(settled)
    const answered = { status: answer.status, body, paymentResponse }
    return answer.ok ? { ...answered, payload, findings: await checked(body) } : answered
  }
}

async function checked({ result }: Record<string, unknown>): Promise<Finding[]> {
  const paid = result as { paymentAttestation: Attested }
  return checkReceipt(paid.paymentAttestation, paid, await publishedKeys(), globalThis.crypto.subtle)
}
