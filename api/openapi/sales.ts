import { assert } from '../../ops/errors.ts'
import { formatUsdc, MICRO_PER_USDC } from '../../ops/units.ts'
import { catalogRecord } from '../catalog/catalog.ts'
import { PROBLEMS, type ProblemCode } from '../errors.ts'
import { type Good, type GoodPorts, isCoveredByPass } from '../goods/good.ts'
import { camelCase } from '../letterCase.ts'
import { toTheCent } from '../pages/live/format.ts'
import { CLAIM_PROBLEMS } from '../problems/claims.ts'
import { ENTITLEMENT_PROBLEMS } from '../problems/entitlements.ts'
import { PAYMENT_PROBLEMS } from '../problems/payment.ts'
import { parametersOf } from '../storefront/entry.ts'
import type { Facts } from '../storefront/facts.ts'
import { nameOf } from '../storefront/prose.ts'
import { type Named, type OperationObject, operationObject, type ResponseObject } from './build.ts'
import { ANSWERS, RefundAnswer } from './envelope.ts'
import { exampleAttestation, exampleResult } from './examples/results.ts'
import { CREDIT_FIGURES, headersWith } from './headers.ts'
import { type Operation, type ParameterRecord, TAGS, type Tag } from './operation.ts'
import { PaymentRequiredBody } from './payment.ts'
import { PAYMENT_PARAMETERS } from './paymentHeaders.ts'
import { PAGE } from './problems.ts'
import type { Schemas } from './schemas.ts'

const PERMITS: readonly string[] = ['permit_missing', 'permit_refused'] satisfies ProblemCode[]

/** The problems that any paid GET may answer with. */
const PAID_PROBLEMS: readonly ProblemCode[] = [
  ...(Object.keys(PAYMENT_PROBLEMS) as ProblemCode[]),
  ...(Object.keys(ENTITLEMENT_PROBLEMS) as ProblemCode[]).filter((code) => !PERMITS.includes(code)),
  ...(Object.keys(CLAIM_PROBLEMS) as ProblemCode[]),
  'malformed_payment',
  'unsupported_payment',
  'two_payments',
  'malformed_request',
  'undeliverable',
  'ledger_unavailable',
  'ledger_full',
  'chain_unavailable',
  'facilitator_unavailable',
]

/** A 402 of a paid GET carries the offer besides the problem, so these are described separately. */
const PAID_402_CODES = PAID_PROBLEMS.filter((code) => PROBLEMS[code].status === 402)

/** `components.responses.PaymentRequired`: the 402 of every paid GET. */
export const paymentRequiredResponse = (schemas: Schemas): ResponseObject => ({
  description: `Payment required, or why this payment does not count: ${PAID_402_CODES.join(', ')}. Nothing is charged. Comes before parameters are looked at`,
  headers: headersWith('payment-required', 'payment-response', 'x-payment-response', ...CREDIT_FIGURES),
  content: {
    'application/json': {
      schema: schemas.ref(PaymentRequiredBody),
      examples: { payment_required: { $ref: '#/components/examples/PaymentRequiredBody' } },
    },
    'text/html': PAGE,
  },
})

/** The part of a paid GET that any operation has. */
function saleRecord(good: Good<unknown>): Operation {
  const { collection } = catalogRecord(good.sku) ?? {}
  const parameters = parameterRecords(good)
  return {
    method: 'GET',
    path: good.path,
    id: idOf(good),
    tag: collection !== undefined && collection in TAGS ? (collection as Tag) : 'receipts',
    summary: `${good.title}: ${toTheCent(formatUsdc(good.priceMicroUsdc))} USD`,
    description: good.description,
    parameters,
    answers: {},
    problems: [
      ...PAID_PROBLEMS.filter((code) => PROBLEMS[code].status !== 402),
      ...(parameters.length === 0 ? [] : (['invalid_parameter'] as const)),
      ...(good.refusals ?? []),
    ],
  }
}

/** The headers any paid GET may carry, except those that the good describes itself. */
function paymentParameters({ headers = [] }: Good<unknown>): { $ref: string }[] {
  const own = new Set(headers.map(({ name }) => name.toLowerCase()))
  return PAYMENT_PARAMETERS.filter(({ name }) => !own.has(name.toLowerCase())).map(({ name }) => ({
    $ref: `#/components/parameters/${name}`,
  }))
}

/** `/x402/v1/bot-fuel-day` → `botFuelDay` */
const idOf = (good: Good<unknown>): string => camelCase(nameOf(good).split('-'))

/** The parameters as every surface lists them; those of the query with the schema that the good checks them against. */
function parameterRecords(good: Good<unknown>): ParameterRecord[] {
  const { input } = good
  const shape = 'shape' in input ? (input.shape as Record<string, ParameterRecord['schema']>) : {}
  return parametersOf(good).map(({ insteadOf: _, ...parameter }) => {
    const schema = parameter.in === 'query' ? shape[parameter.name] : undefined
    return schema === undefined ? parameter : { ...parameter, schema }
  })
}

/** USD with six decimals, as `x-payment-info` wants it. */
const usdOf = (micro: bigint): string =>
  `${micro / MICRO_PER_USDC}.${(micro % MICRO_PER_USDC).toString().padStart(6, '0')}`

/** What a sale says besides an ordinary operation: the price that is charged, and the list price. */
const saleExtensions = (good: Good<unknown>) => ({
  'x-payment-info': {
    price: { mode: 'fixed', currency: 'USD', amount: usdOf(good.priceMicroUsdc) },
    protocols: [{ x402: {} }],
  },
  'x-list-price': { currency: 'USD', amount: usdOf(good.listPriceMicroUsdc) },
  ...(good.maxSpendMicroUsdc === undefined
    ? {}
    : { 'x-default-spend-cap': { currency: 'USD', amount: usdOf(good.maxSpendMicroUsdc) } }),
  'x-sku': good.sku,
  'x-covered-by-hour-pass': isCoveredByPass(good),
})

/** One paid GET: its answer, its 402 and its price. @param ports the world that its example is computed in */
export function saleObject(
  good: Good<unknown>,
  { ports, facts, ...named }: Named & { ports: GoodPorts; facts: Facts },
): OperationObject {
  const { schemas } = named
  const { responses, parameters = [], ...described } = operationObject(saleRecord(good), named)
  const answer = ANSWERS.get(good.sku)
  assert(answer !== undefined, `${good.sku} is in the list of goods`)
  return {
    ...described,
    parameters: [...parameters, ...paymentParameters(good)],
    ...saleExtensions(good),
    responses: {
      200: {
        description:
          'Paid. Sent again with the same payment the answer is the same, byte for byte, for a day',
        headers: headersWith('payment-response', 'x-payment-response', ...CREDIT_FIGURES),
        content: {
          'application/json': {
            schema: { oneOf: [schemas.ref(answer), schemas.ref(RefundAnswer)] },
            example: exampleAnswer(good, ports, facts),
          },
        },
      },
      ...responses,
      402: { $ref: '#/components/responses/PaymentRequired' },
    },
  }
}

/** A whole 200, bought by x402. */
function exampleAnswer(good: Good<unknown>, ports: GoodPorts, facts: Facts) {
  const result = exampleResult(good, ports, facts)
  const version = (result.snapshot as { version: number } | undefined)?.version ?? null
  return {
    ok: true,
    protocol: 'x402-v2',
    sku: good.sku,
    mode: facts.mode,
    result: { ...result, paymentAttestation: exampleAttestation(good, version, facts) },
  }
}
