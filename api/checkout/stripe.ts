import Stripe from 'stripe'
import { z } from 'zod'
import { type Config, ConfigError } from '../../ops/config.ts'
import { UnavailableError } from '../../ops/errors.ts'
import { readSecretFile } from '../../ops/secretFile.ts'
import { SECOND } from '../../ops/units.ts'
import type { CardEvent, CardProvider, ReadCardEvent } from './provider.ts'
import { stripeClient } from './stripeClient.ts'
import { Session, truthOf } from './truth.ts'

const TIMEOUT_MS = 10 * SECOND
/** Retries per call; opening a session repeats it with the same idempotency key. */
const RETRIES = 2
/** The longest a call takes in all, with its retries and the pauses between them (I23). */
const WHOLE_MS = (1 + RETRIES) * TIMEOUT_MS + 5 * SECOND
/** How old a signed event may be. */
const TOLERANCE_S = 300
const DISPUTES_MAX = 100

type CardConfig = Pick<
  Config,
  'MODE' | 'STRIPE_API_URL' | 'STRIPE_SECRET_KEY_FILE' | 'STRIPE_WEBHOOK_SECRET_FILE'
>

/** What is read of its answers, besides Session: no text of its is longer, and no event names a longer id. */
const URL_MAX = 5_000
const Opened = z.object({ id: z.string().min(1).max(255), url: z.string().max(URL_MAX).refine(isPlaceToPay) })
/** Of a charge that is disputed: none at all contradicts it. */
const Disputes = z.object({ data: z.array(z.object({ status: z.string() })).min(1) })
const Sessions = z.object({
  data: z.array(z.object({ id: z.string(), client_reference_id: z.string().nullable() })),
})

/** The card provider through its own client; null when no key is configured: then nothing is sold by card. */
export function openStripe(config: CardConfig, wholeMs = WHOLE_MS): CardProvider | null {
  const stripe = clientOf(config, Math.min(TIMEOUT_MS, wholeMs))
  if (stripe === null) return null
  /** An answer of another shape, which comes from something that stands between us and the provider, is none. */
  const asked = async <T>(work: Promise<unknown>, answer: z.ZodType<T>): Promise<T> => {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const patience = setTimeout(() => reject(new Error(`no whole answer within ${wholeMs} ms`)), wholeMs)
    try {
      return answer.parse(await Promise.race([work, late]))
    } catch (error) {
      throw new UnavailableError(
        'card_provider_unavailable',
        'the card provider did not answer',
        ownWords(error),
      )
    } finally {
      clearTimeout(patience)
    }
  }
  const disputesOf = async (paymentId: string): Promise<string[]> => {
    const list = stripe.disputes.list({ payment_intent: paymentId, limit: DISPUTES_MAX })
    const { data } = await asked(list, Disputes)
    return data.map(({ status }) => status)
  }

  return {
    async open({ reference, sku, title, cents, returnUrl, expiresMs }) {
      const { id, url } = await asked(
        stripe.checkout.sessions.create(
          {
            mode: 'payment',
            client_reference_id: reference,
            metadata: { sku },
            payment_intent_data: { metadata: { sku, reference } },
            line_items: [
              {
                quantity: 1,
                price_data: { currency: 'usd', unit_amount: cents, product_data: { name: title } },
              },
            ],
            success_url: returnUrl,
            cancel_url: returnUrl,
            expires_at: Math.floor(expiresMs / SECOND),
          },
          { idempotencyKey: `checkout-${reference}` },
        ),
        Opened,
      )
      return { sessionId: id, url }
    },

    async truth(sessionId) {
      const session = await asked(
        stripe.checkout.sessions.retrieve(sessionId, { expand: ['payment_intent.latest_charge'] }),
        Session,
      )
      const payment = session.payment_intent
      return truthOf(session, payment?.latest_charge?.disputed === true ? await disputesOf(payment.id) : [])
    },

    async sessionsOf(paymentId) {
      const list = stripe.checkout.sessions.list({ payment_intent: paymentId, limit: 10 })
      const { data } = await asked(list, Sessions)
      return data.flatMap(({ id, client_reference_id: reference }) =>
        reference === null ? [] : [{ reference, sessionId: id }],
      )
    },
  }
}

/** What went wrong, for the log: of what the provider says of it, its code where that is one plain word. */
function ownWords(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError) || error.statusCode === undefined) return error
  const { type, statusCode, code } = error
  const word = /^[a-z0-9_]{1,64}$/.test(code ?? '') ? ` ${code}` : ''
  return new Error(`${type}: ${statusCode}${word}`)
}

/** Its address becomes a link of our page and of whoever shows the answer: a script or a text of its own is no place to pay. */
function isPlaceToPay(url: string): boolean {
  return /^https?:\/\/[\x21-\x7e]+$/.test(url) && URL.canParse(url)
}

/** Calls to the provider and events from it; null when card checkout is not set up. */
export function openCard(config: CardConfig): { provider: CardProvider; readEvent: ReadCardEvent } | null {
  const provider = openStripe(config)
  const readEvent = openEventReader(config)
  return provider === null || readEvent === null ? null : { provider, readEvent }
}

const Event = z.object({ id: z.string().max(255), data: z.object({ object: z.unknown() }) })
/** The part of an event that says what it is about: a session has our reference, everything else a payment. */
const About = z.object({
  id: z.string().max(255),
  object: z.string(),
  client_reference_id: z.string().max(255).nullish(),
  payment_intent: z.union([z.string().max(255), z.object({ id: z.string().max(255) })]).nullish(),
})

function openEventReader(config: CardConfig): ReadCardEvent | null {
  const stripe = clientOf(config)
  if (stripe === null) return null
  const secret = secretFrom(config, 'STRIPE_WEBHOOK_SECRET_FILE')
  if (!secret.startsWith('whsec_'))
    throw new ConfigError(['STRIPE_WEBHOOK_SECRET_FILE: is not the secret of an endpoint, whsec_…'])
  return (raw, signature) => {
    try {
      const { id, data } = Event.parse(stripe.webhooks.constructEvent(raw, signature, secret, TOLERANCE_S))
      return { id, about: aboutOf(data.object) }
    } catch {
      return null
    }
  }
}

/** Null also for what has another shape, as a balance has: refused, it would be sent for days, until the endpoint is switched off. */
function aboutOf(told: unknown): CardEvent['about'] {
  const { data } = About.safeParse(told)
  if (data === undefined) return null
  const { id, object, client_reference_id: reference, payment_intent: payment } = data
  if (object === 'checkout.session') return reference ? { reference, sessionId: id } : null
  const paymentId = typeof payment === 'string' ? payment : payment?.id
  return paymentId === undefined ? null : { paymentId }
}

/** @param timeoutMs of one try. */
function clientOf(config: CardConfig, timeoutMs = TIMEOUT_MS): Stripe | null {
  if (config.STRIPE_SECRET_KEY_FILE === '') return null
  const key = secretFrom(config, 'STRIPE_SECRET_KEY_FILE')
  const kind = config.MODE === 'live' ? 'live' : 'test'
  if (!new RegExp(`^[sr]k_${kind}_`).test(key))
    throw new ConfigError([`STRIPE_SECRET_KEY_FILE: is not a ${kind} key`])
  const { hostname, port, protocol, origin } = new URL(config.STRIPE_API_URL)
  return new Stripe(key, {
    host: hostname,
    ...(port === '' ? {} : { port: Number(port) }),
    protocol: protocol === 'http:' ? 'http' : 'https',
    timeout: timeoutMs,
    maxNetworkRetries: RETRIES,
    telemetry: false,
    httpClient: stripeClient(origin),
  })
}

function secretFrom(
  config: CardConfig,
  name: 'STRIPE_SECRET_KEY_FILE' | 'STRIPE_WEBHOOK_SECRET_FILE',
): string {
  const text = readSecretFile(name, config[name]).toString().trim()
  if (text === '') throw new ConfigError([`${name}: is empty`])
  return text
}
