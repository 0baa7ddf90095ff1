import type { Terms } from '../payment/challenge.ts'
import { META_OF_HEADERS } from './call.ts'

const KEYS = META_OF_HEADERS.map(([header, key]) => `${header} is ${key}`).join(', ')

/** What a model is told about this server as a whole. */
export const instructionsOf = ({
  network,
  mode,
  publicUrl,
}: Pick<Terms, 'network' | 'mode' | 'publicUrl'>): string =>
  [
    `Small paid reads. Prices in USD, paid in USDC on ${network} over x402 version 2, scheme exact. Mode: ${mode}.`,
    'Call a paid tool once without payment: the error result is a PaymentRequired. Sign one of its accepts and call again with the PaymentPayload in _meta["x402/payment"]; the result then has the settlement in _meta["x402/payment-response"].',
    'When a result is lost, or says retryable, send the same payment again: it is charged once and gives the same answer. Do not sign a second one.',
    'Bad arguments, old data and refusals are not charged.',
    `An hour pass (tool hour-pass) pays for most reads: header X-Service-Pass of the connection, or _meta["service/pass"] of a call. Store credit: _meta["service/agent-id"] and _meta["service/credit-auth"].`,
    `Where an answer names a header, a call has it as a key of _meta: ${KEYS}.`,
    `The same reads by HTTP: ${publicUrl}/x402/services.json. A payment made here may be repeated there, and the other way round.`,
  ].join('\n')
