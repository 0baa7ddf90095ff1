import { FeedCard } from '../../engine/contract/feed.ts'
import { Leg } from '../../engine/contract/gaps.ts'
import { RiskFlag } from '../../engine/contract/riskFlags.ts'
import { PaymentAttestation } from '../goods/attested.ts'
import { Card, Edge, EdgeRow, LegA, LegB, Precision } from '../goods/market/shapes.ts'
import { type Document, JSON_TYPE } from '../storefront/document.ts'
import type { Facts } from '../storefront/facts.ts'
import { PLACES } from '../storefront/places.ts'
import { SHARED_SHAPES } from '../storefront/shapes.ts'
import { type OperationObject, operationObject, parameterObject } from './build.ts'
import { NAMED_ANSWERS, RefundAnswer, SoldAnswer } from './envelope.ts'
import { exampleOf402 } from './examples/offer.ts'
import { examplePorts } from './examples/ports.ts'
import { HEADERS, headersWith } from './headers.ts'
import { infoOf, provenanceOf } from './info.ts'
import { TAGS } from './operation.ts'
import { operationsOf } from './operations/index.ts'
import { PageSection } from './operations/pages.ts'
import { PaymentExtensions, PaymentRequired, PaymentRequiredBody, PaymentResponse } from './payment.ts'
import { PAYMENT_PARAMETERS, paymentHeaders } from './paymentHeaders.ts'
import { createRefusals, PAGE, ProblemBody, ProblemCodes, problemExamples } from './problems.ts'
import { paymentRequiredResponse, saleObject } from './sales.ts'
import { createSchemas, type JsonSchema } from './schemas.ts'
import { securitySchemes } from './tokens.ts'

/** The document, as far as readers in this service need to know it. */
export type OpenApi = {
  openapi: '3.1.0'
  info: Record<string, unknown> & { title: string; version: string }
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, { get?: OperationObject; post?: OperationObject }>
  components: {
    schemas: Record<string, JsonSchema>
    examples: Record<string, { summary: string; value: unknown }>
    [kind: string]: Record<string, unknown>
  }
}

/** Named once, and referred to wherever they occur. */
const SHARED = {
  LegA,
  LegB,
  Edge,
  EdgeRow,
  GapCard: Card,
  MatchPrecision: Precision,
  PaymentAttestation,
  FeedCard,
  FeedCardLeg: Leg,
  RiskFlag,
  ProblemCode: ProblemCodes,
  Problem: ProblemBody,
  PaymentRequired,
  PaymentRequiredBody,
  PaymentResponse,
  PaymentExtensions,
  ...SHARED_SHAPES,
  PageSection,
  ...NAMED_ANSWERS,
  RefundAnswer,
  SoldAnswer,
}

const made = new WeakMap<Facts, OpenApi>()

/** OpenAPI 3.1 of every route, made from the records; once for the same facts, as it takes about 0.2 s of CPU. */
export function openApi(facts: Facts): OpenApi {
  const known = made.get(facts)
  if (known !== undefined) return known
  const document = describe(facts)
  made.set(facts, document)
  return document
}

function describe(facts: Facts): OpenApi {
  const schemas = createSchemas(SHARED)
  const refusals = createRefusals(schemas.ref(ProblemBody))
  const ports = examplePorts(facts)
  const paths: OpenApi['paths'] = {}
  const add = (path: string, method: 'get' | 'post', operation: OperationObject) => {
    paths[path] = { ...paths[path], [method]: operation }
  }
  for (const good of facts.goods) add(good.path, 'get', saleObject(good, { schemas, refusals, ports, facts }))
  for (const record of operationsOf(facts))
    add(record.path, record.method === 'GET' ? 'get' : 'post', operationObject(record, { schemas, refusals }))
  return {
    openapi: '3.1.0',
    info: infoOf(facts),
    ...provenanceOf(facts),
    servers: [{ url: facts.publicUrl, description: facts.mode }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.components(),
      responses: {
        PaymentRequired: paymentRequiredResponse(schemas),
        ...refusals.components(),
        Problem: {
          description: 'Any other refusal, in the same form; a page to a browser that follows a link',
          headers: headersWith('link'),
          content: {
            'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
            'text/html': PAGE,
          },
        },
      },
      headers: { ...HEADERS, ...paymentHeaders(schemas.ref(PaymentRequired), schemas.ref(PaymentResponse)) },
      parameters: Object.fromEntries(
        PAYMENT_PARAMETERS.map((record) => [record.name, parameterObject(record)]),
      ),
      examples: { ...problemExamples(), ...examples402(facts) },
      securitySchemes: securitySchemes(),
    },
  }
}

/** The 402 of the first good; those of the others differ only in path and amount. */
function examples402(facts: Facts): OpenApi['components']['examples'] {
  const [first] = facts.goods
  if (first === undefined) return {}
  const { required, body } = exampleOf402(first, facts)
  return {
    PaymentRequired: { summary: 'Header PAYMENT-REQUIRED, decoded', value: required },
    PaymentRequiredBody: { summary: 'Body of a 402', value: body },
  }
}

/** `GET /openapi.json` */
export const openApiDocument: Document = {
  path: PLACES.openapi.path,
  type: JSON_TYPE,
  text: (facts) => `${JSON.stringify(openApi(facts))}\n`,
}
