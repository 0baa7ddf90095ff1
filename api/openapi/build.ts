import { PROBLEMS, type ProblemCode } from '../errors.ts'
import { capital } from '../letterCase.ts'
import { headersWith } from './headers.ts'
import type { Answer, Operation, ParameterRecord } from './operation.ts'
import type { Refusals } from './problems.ts'
import { inlineSchema, type JsonSchema, type Schemas } from './schemas.ts'

/** One described parameter, as OpenAPI has it. */
export type ParameterObject = {
  in: ParameterRecord['in']
  name: string
  required: boolean
  description: string
  schema: JsonSchema
  example: unknown
}

export type MediaObject = { schema: JsonSchema; example?: unknown; examples?: Record<string, unknown> }
export type ResponseObject = {
  description: string
  headers?: Record<string, unknown>
  content?: Record<string, MediaObject>
}

/** One route under `paths`, as far as readers of the document need to know it. */
export type OperationObject = {
  operationId: string
  tags: [string]
  summary: string
  description?: string
  security: Record<string, []>[]
  parameters?: (ParameterObject | { $ref: string })[]
  requestBody?: { required: true; description: string; content: Record<string, MediaObject> }
  responses: Record<string, ResponseObject | { $ref: string }>
  [extension: `x-${string}`]: unknown
}

const mapValues = <In, Out>(record: Readonly<Record<string, In>>, to: (value: In, key: string) => Out) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, to(value, key)]))
/** The given members without those that are undefined. */
const defined = <T extends object>(members: T): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T

export const parameterObject = ({ schema, required = false, ...rest }: ParameterRecord): ParameterObject => ({
  ...rest,
  required,
  schema: schema === undefined ? { type: 'string' } : inlineSchema(schema),
})

/** Where parts that many operations share get their names. */
export type Named = { schemas: Schemas; refusals: Refusals }

/** A record as OpenAPI has it. */
export function operationObject(record: Operation, named: Named): OperationObject {
  const { id, tag, summary, description, parameters, body, token = [], extensions } = record
  return defined({
    ...extensions,
    operationId: id,
    tags: [tag] as [string],
    summary,
    description,
    security: token.map((name) => ({ [name]: [] as [] })),
    parameters: parameters?.map(parameterObject),
    requestBody: body && {
      required: true as const,
      description: body.limit,
      content: {
        'application/json': {
          schema: named.schemas.ref(body.schema, `${capital(id)}Body`),
          example: body.example,
        },
      },
    },
    responses: responseObjects(record, named),
  }) as OperationObject
}

/** Any caller may be told to slow down, or to come back later. */
const EVERYWHERE: readonly ProblemCode[] = ['rate_limited', 'restarting']
/** And any caller that sends a body. */
const WITH_BODY: readonly ProblemCode[] = ['no_room']

/** A status that is both an answer and a refusal keeps both forms. */
function responseObjects(
  { id, method, body, answers, problems: own = [] }: Operation,
  { schemas, refusals }: Named,
) {
  const problems = [...own, ...EVERYWHERE, ...(body === undefined ? [] : WITH_BODY)]
  //  an answer that can be revalidated has an ETag
  const tagged = (answer: Answer, status: string): Answer =>
    304 in answers && (status === '200' || status === '304')
      ? { ...answer, headers: [...(answer.headers ?? []), 'etag'] }
      : answer
  const answered = mapValues(answers as Record<string, Answer>, (answer, status) => {
    const name = `${capital(id)}${status === '200' ? '' : status}Answer`
    const answered = responseObject(name, tagged(answer, status), schemas)
    const also = refusals.forms(problems, Number(status), method)
    return answered.content === undefined
      ? answered
      : { ...answered, content: { ...answered.content, ...also } }
  })
  const refused = refusals.of(
    problems.filter((code) => !(PROBLEMS[code].status in answers)),
    method,
  )
  return { ...answered, ...refused, default: { $ref: '#/components/responses/Problem' } }
}

function responseObject(
  name: string,
  { description, content, headers = [] }: Answer,
  schemas: Schemas,
): ResponseObject {
  return defined({
    description,
    headers: headersWith(...headers),
    content:
      content &&
      mapValues(content, ({ schema, example, message }) =>
        defined({
          schema: schema === undefined ? { type: 'string' } : schemas.ref(schema, name),
          example,
          'x-message-schema': message && schemas.ref(message, `${name}Message`),
        }),
      ),
  }) as ResponseObject
}
