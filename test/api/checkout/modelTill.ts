import type { CardEvent, CardProvider } from '../../../api/checkout/provider.ts'
import { Session, truthOf } from '../../../api/checkout/truth.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { sessionObject } from '../../../ops/sandbox/cardpay/objects.ts'

/** A payment at the model. Other than the sandbox's, its dispute may be an inquiry, and another one may follow. */
type Paid = { refunded: boolean; dispute: string | null }
/** @property status slow: the session is complete, its money may come, even after a session has ended. */
export type ModelSale = {
  sessionId: string
  reference: string
  status: 'open' | 'slow' | 'complete' | 'expired'
  cents: number
  paid: Paid | null
}

const TAKEN = new Set(['needs_response', 'lost'])
/** Whether the money is with us. */
export const stands = ({ paid }: ModelSale): boolean =>
  paid !== null && !paid.refunded && !TAKEN.has(paid.dispute ?? '')

const isOpen = ({ status }: ModelSale) => status === 'open'
const isDisputed = ({ paid }: ModelSale) => paid?.dispute === 'needs_response'
const PAID: Partial<ModelSale> = { paid: { refunded: false, dispute: null } }
/** A change of what is paid. */
const now = (change: Partial<Paid>) => (sale: ModelSale) => ({ paid: { ...sale.paid!, ...change } })

/** What may happen to a sale: when it can, and what it changes. */
const DEEDS = {
  pay: { when: isOpen, does: () => ({ status: 'complete', ...PAID }) },
  'pay slowly': { when: isOpen, does: () => ({ status: 'slow' }) },
  expire: { when: isOpen, does: () => ({ status: 'expired' }) },
  'money comes': { when: (sale) => sale.paid === null && !isOpen(sale), does: () => PAID },
  'refund a part': { when: stands, does: () => ({}) },
  refund: { when: stands, does: now({ refunded: true }) },
  'refund fails': { when: ({ paid }) => paid?.refunded === true, does: now({ refunded: false }) },
  inquire: { when: stands, does: now({ dispute: 'warning_needs_response' }) },
  dispute: { when: stands, does: now({ dispute: 'needs_response' }) },
  win: { when: isDisputed, does: now({ dispute: 'won' }) },
  lose: { when: isDisputed, does: now({ dispute: 'lost' }) },
} satisfies Record<string, { when(sale: ModelSale): boolean; does(sale: ModelSale): Partial<ModelSale> }>
export type Deed = keyof typeof DEEDS
/** What moves money comes more often than what does not. */
const NAMES: readonly Deed[] = [...(Object.keys(DEEDS) as Deed[]), 'refund', 'dispute']

/** An answer of another shape, after the provider has changed its API. */
export class Garbled extends Error {}

/** The card provider without a wire. What it says is read by the same code as the real one's answers. */
export function createModelTill() {
  const sales: ModelSale[] = []
  const events: CardEvent[] = [] // all that ever were
  const state = {
    says: 'truth' as 'truth' | 'nothing' | 'nonsense',
    slip: 'none' as 'none' | 'next' | 'made',
  }

  const answering = <Answer>(answer: () => Answer): Promise<Answer> => {
    if (state.says === 'nothing')
      return Promise.reject(new UnavailableError('card_provider_unavailable', 'the provider is down'))
    return state.says === 'nonsense' ? Promise.reject(new Garbled()) : Promise.resolve(answer())
  }
  const objectOf = ({ sessionId, reference, status, cents, paid }: ModelSale) => {
    const payment = paid && {
      ...{ id: `pi_${sessionId}`, chargeId: `ch_${sessionId}`, created: 1_790_000_000 },
      ...{
        refunded: paid.refunded,
        dispute: paid.dispute === null ? null : { id: 'du', status: 'won' as const },
      },
    }
    const what = { reference, cents, status: status === 'slow' ? ('complete' as const) : status, payment }
    const dates = { created: 1_789_999_940, expiresAt: 0 }
    return sessionObject(
      { id: sessionId, ...what, ...dates, metadata: {}, title: '', successUrl: '', cancelUrl: '' },
      '',
      true,
    )
  }
  const saleOf = (sessionId: string) => sales.find((sale) => sale.sessionId === sessionId)!
  const provider: CardProvider = {
    open: ({ reference, cents }) =>
      answering(() => {
        const sessionId = `cs_${sales.length}`
        sales.push({ sessionId, reference, status: 'open', cents, paid: null })
        return { sessionId, url: `https://till.example/${sessionId}` }
      }),
    truth: (sessionId) =>
      answering(() => {
        const sale = saleOf(sessionId)
        const dispute = sale.paid?.dispute
        const truth = truthOf(Session.parse(objectOf(sale)), dispute == null ? [] : [dispute])
        if (state.slip !== 'next') return truth
        state.slip = 'made'
        return { ...truth, cents: null }
      }),
    sessionsOf: (paymentId) =>
      answering(() => sales.filter(({ sessionId }) => paymentId === `pi_${sessionId}`)),
  }

  return {
    provider,
    sales,
    events,
    saysNow(what: typeof state.says) {
      state.says = what
    },
    /** Its next answer leaves out the sum. Only once: after several the next look may be a day away. */
    slipsOnce() {
      if (state.slip === 'none') state.slip = 'next'
    },
    /** One of the things that can happen to it now happens, and an event tells of it. @returns which. */
    act(sale: ModelSale, which: Deed | number): Deed | null {
      const possible = NAMES.filter((name) => DEEDS[name].when(sale))
      const deed = typeof which === 'string' ? which : possible[which % possible.length]
      if (deed === undefined) return null
      const { sessionId, reference } = sale
      const about = sale.paid === null ? { sessionId, reference } : { paymentId: `pi_${sessionId}` }
      Object.assign(sale, DEEDS[deed].does(sale))
      events.push({ id: `evt_${events.length}`, about })
      return deed
    },
  }
}
export type ModelTill = ReturnType<typeof createModelTill>
