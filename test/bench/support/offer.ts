import { randomBytes } from 'node:crypto'
import { createPaymentSigner, type PaymentTerms } from './payments.ts'

/** The offer of a path as its 402 states it. */
export async function offerOf(
  url: string,
): Promise<{ offer: PaymentTerms; resource: unknown; description: string }> {
  const response = await fetch(url)
  const header = response.headers.get('payment-required')
  if (response.status !== 402 || header === null) throw new Error(`no 402 but ${response.status}`)
  const required = JSON.parse(Buffer.from(header, 'base64').toString('utf8'))
  return {
    offer: required.accepts[0],
    resource: required.resource,
    description: required.resource.description,
  }
}

/** Buys one answer, so that the other side can send the same bytes. @returns its body. */
export async function buyOnce(url: string, offer: PaymentTerms, resource: unknown): Promise<string> {
  const sign = createPaymentSigner(randomBytes(32), offer, resource)
  const response = await fetch(url, {
    headers: { 'payment-signature': sign(Math.floor(Date.now() / 1000)) },
  })
  const body = await response.text()
  if (response.status !== 200)
    throw new Error(`the purchase before the race failed: ${response.status} ${body}`)
  return body
}
