import { CLAIM_CODE_HEADER, CREDIT_AUTH_HEADER, SECRET_EXAMPLE } from '../entitlements/credit.ts'
import { PASS_HEADER } from '../entitlements/pass.ts'
import { PAYER_SIGNATURE_HEADER } from '../payment/payerProof.ts'
import { AGENT_ID, type ParameterRecord } from './operation.ts'
import type { JsonSchema } from './schemas.ts'

/** Headers a paid GET may carry; exactly one of those that pay. */
export const PAYMENT_PARAMETERS: readonly ParameterRecord[] = [
  {
    in: 'header',
    name: 'PAYMENT-SIGNATURE',
    description: 'Pays: base64 of an x402 v2 PaymentPayload, signed over an entry of accepts[] of the 402',
    example: 'eyJ4NDAyVmVyc2lvbiI6Mi4uLn0=',
  },
  {
    in: 'header',
    name: 'X-PAYMENT',
    description:
      'Pays: JSON {intentId, txHash, paymentRail} of a transfer that was made (legacy; answered at once with X-Service-Payer-Signature), or base64 of an x402 v1 payment',
    example: '{"intentId":"...","txHash":"0x...","paymentRail":"usdc_base"}',
  },
  {
    in: 'header',
    name: PASS_HEADER,
    description: 'Pays with one call of an hour pass, where the pass covers this read',
    example: 'pass_...',
  },
  {
    in: 'header',
    name: CREDIT_AUTH_HEADER,
    description: 'Pays with store credit: the secret of the account that x-agent-id names',
    example: SECRET_EXAMPLE,
  },
  {
    in: 'header',
    name: CLAIM_CODE_HEADER,
    description:
      'On the first spend of credit that was bought without its secret: the claimCode of that purchase',
    example: 'credit_...',
  },
  {
    in: 'header',
    name: 'Idempotency-Key',
    description:
      'With store credit or an hour pass: same key for the same purchase, also when you retry; 1 to 64 visible ASCII characters. Credit keeps its answer for a day, a pass for five minutes, and nothing more is taken. Without one, each call of a pass is another call; with credit, the same request again continues a spend that was not answered yet, at no charge, and after its answer it is another spend. An x402 payment needs none: resend the same payment',
    example: 'order-17',
  },
  {
    in: 'header',
    name: PAYER_SIGNATURE_HEADER,
    description:
      'EIP-191 signature by the payer: of prove.text where a refusal asks for it; with X-PAYMENT of "intent <intentId> paid by <txHash>"',
    example: '0x...',
  },
  AGENT_ID,
]

/** A header whose text is base64 of JSON. */
const encoded = (description: string, content: JsonSchema) => ({
  description,
  schema: {
    type: 'string',
    contentEncoding: 'base64',
    contentMediaType: 'application/json',
    contentSchema: content,
  },
})

/**
 * Headers of answers to a paid GET; `payment-response` also comes with what a classic purchase bought.
 * @param required the schema of what `payment-required` holds.
 * @param response the schema of what the others hold.
 */
export const paymentHeaders = (required: JsonSchema, response: JsonSchema) => ({
  'payment-required': encoded('Base64 of what to pay, x402 v2', required),
  'payment-response': encoded(
    'Base64 of how the payment settled; absent where a pass or store credit paid for a GET',
    response,
  ),
  'x-payment-response': encoded('The same, to a client of x402 v1', response),
})
