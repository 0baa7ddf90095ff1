import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { SECOND } from '../../units.ts'
import type { Sale } from './book.ts'
import { chargeObject, disputeObject, sessionObject } from './objects.ts'

const TRIES = 5
const TIMEOUT_MS = 5 * SECOND

/** The event the provider sends for a deed: the object that changed, under the type of the event. */
export function eventOf(type: string, sale: Sale, base: string, nowS: number) {
  const { payment } = sale
  const object =
    payment === null || type.startsWith('checkout.session.')
      ? sessionObject(sale, base, false)
      : type.startsWith('charge.dispute.')
        ? disputeObject(sale, payment)
        : chargeObject(sale, payment)
  return {
    id: `evt_test_${randomBytes(12).toString('hex')}`,
    object: 'event',
    created: nowS,
    data: { object },
    livemode: false,
    type,
  }
}

/** Header Stripe-Signature: HMAC-SHA256 over `<time>.<body>`. */
export const signatureOf = (body: string, secret: string, nowS: number): string =>
  `t=${nowS},v1=${createHmac('sha256', secret).update(`${nowS}.${body}`).digest('hex')}`

/** Sends events until they are taken with 2xx, five times at most, each signed anew. */
export function createSender(urlNow: () => string, secret: string, nowS: () => number) {
  let closed = false
  const deliver = async (url: string, body: string) => {
    for (let attempt = 1; attempt <= TRIES && !closed; attempt++) {
      const answer = await request(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'stripe-signature': signatureOf(body, secret, nowS()),
        },
        body,
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
      }).catch(() => null)
      await answer?.body.dump()
      if (answer !== null && answer.statusCode < 300) return
      await sleep(200 * 2 ** attempt, undefined, { ref: false })
    }
  }
  return {
    send(event: object): void {
      const url = urlNow()
      if (url !== '') deliver(url, JSON.stringify(event))
    },
    close: () => {
      closed = true
    },
  }
}
