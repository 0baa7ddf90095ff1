import { type Attested, checkReceipt, type Finding } from '../receipt/check.ts'
import { publishedKeys } from '../receipt/keys.ts'
import { type Accepted, decoded, encoded, type Required } from './terms.ts'

const SIGN_PATH = '/sandbox/sign'
const SENDS = 5
const SEND_AGAIN_MS = 2_000

export type Answered = {
  status: number
  body: Record<string, unknown>
  paymentResponse: unknown
}
export type Bought = Answered & { findings: Finding[] }

/** What was asked for, and the terms of it. */
export type Terms = { url: string; required: Required }

/** A signed payment. As long as its outcome is unknown, this one is sent again: a second one could pay twice. */
export type Payment = Terms & { payload: unknown; header: string }

/** A GET, answered. */
async function get(
  url: string,
  headers: Record<string, string> = {},
): Promise<[Response, Record<string, unknown>]> {
  const answer = await fetch(url, { headers: { accept: 'application/json', ...headers } })
  return [answer, (await answer.json()) as Record<string, unknown>]
}

/** Asks for the terms of a read. @returns the refusal when there are none. */
export async function ask(url: string): Promise<Terms | Answered> {
  const [answer, body] = await get(url)
  const header = answer.headers.get('payment-required')
  if (answer.status === 402 && header !== null) return { url, required: decoded(header) as Required }
  return { status: answer.status, body, paymentResponse: null }
}

/** Signs the first offer with the test wallet of the sandbox. @returns the refusal when it does not sign. */
export async function sign({ url, required }: Terms): Promise<Payment | Answered> {
  const { resource, accepts } = required
  const accepted: Accepted = accepts[0]!
  const answer = await fetch(SIGN_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ accepted }),
  })
  const body = (await answer.json()) as { payload?: unknown }
  if (!answer.ok) return { status: answer.status, body, paymentResponse: null }
  const { payload } = body
  return { url, required, payload, header: encoded({ x402Version: 2, resource, accepted, payload }) }
}

/**
 * Sends a payment with the GET it was made for, and checks the receipt. While it is being settled (503), or when no
 * answer comes, the same payment is sent again, SENDS times in all.
 * @param tell shows how it goes, in words.
 * @returns 503, or null when nobody answered: the same payment may be sent again, and no other.
 */
export async function send(
  payment: Payment,
  tell: (words: string) => void,
): Promise<Bought | Answered | null> {
  let last: Answered | null = null
  for (let sent = 1; sent <= SENDS; sent++) {
    if (sent > 1) await new Promise((resolve) => setTimeout(resolve, SEND_AGAIN_MS))
    tell(
      `Signed. Sent with the same GET${sent === 1 ? '' : ` once more, ${sent} of ${SENDS}`}: waiting for the chain.`,
    )
    last = await sendOnce(payment).catch(() => null)
    if (last !== null && last.status !== 503) break
  }
  return last
}

async function sendOnce({ url, header }: Payment): Promise<Bought | Answered> {
  const [answer, body] = await get(url, { 'payment-signature': header })
  const settled = answer.headers.get('payment-response')
  const answered = {
    status: answer.status,
    body,
    paymentResponse: settled === null ? null : decoded(settled),
  }
  return answer.ok ? { ...answered, findings: await checked(body) } : answered
}

/** A receipt that cannot be checked is still shown: it was paid for. */
async function checked({ result }: Record<string, unknown>): Promise<Finding[]> {
  const paid = result as { paymentAttestation: Attested }
  try {
    return await checkReceipt(paid.paymentAttestation, paid, await publishedKeys(), globalThis.crypto.subtle)
  } catch {
    return [{ what: 'receipt', ok: null, words: 'not checked: the published keys could not be read' }]
  }
}
