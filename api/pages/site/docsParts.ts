import type { MediaObject, OperationObject, ParameterObject, ResponseObject } from '../../openapi/build.ts'
import type { OpenApi } from '../../openapi/openApi.ts'
import type { JsonSchema } from '../../openapi/schemas.ts'

export type Operation = OperationObject
type Reference = { $ref: string }

const EXAMPLE_MAX_LINES = 40

export const isReference = (value: object): value is Reference => '$ref' in value

export const parameterRows = (parameters: readonly ParameterObject[]): string[][] =>
  parameters.map(({ name, in: place, required, description, example }) => [
    `\`${name}\`${required ? ' (required)' : ''}`,
    place,
    description,
    code(example),
  ])

/** The members of a JSON body. */
export function fieldRows(schema: JsonSchema, api: OpenApi): string[][] {
  const { properties = {}, required = [] } = resolved(schema, api) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, member]) => [
    `\`${name}\`${required.includes(name) ? ' (required)' : ''}`,
    typeOf(member),
    textOf(member.description),
  ])
}

/** An example of an answer as JSON text; null where the document has none. */
export function exampleOf(answer: ResponseObject | Reference | undefined): string | null {
  if (answer === undefined || isReference(answer)) return null
  const media: MediaObject | undefined = answer.content?.['application/json']
  const named = Object.values(media?.examples ?? {})[0] as { value?: unknown } | Reference | undefined
  const value = media?.example ?? (named && 'value' in named ? named.value : undefined)
  if (value === undefined) return null
  return jsonText(value)
}

export function jsonText(value: unknown): string {
  const lines = JSON.stringify(value, null, 2).split('\n')
  return lines.length <= EXAMPLE_MAX_LINES
    ? lines.join('\n')
    : `${lines.slice(0, EXAMPLE_MAX_LINES).join('\n')}\n…`
}

function resolved(schema: JsonSchema, { components }: OpenApi): JsonSchema {
  const reference = (schema as Partial<Reference>).$ref
  const name = reference?.slice(reference.lastIndexOf('/') + 1)
  return name === undefined ? schema : (components.schemas[name] ?? {})
}

function typeOf(schema: JsonSchema): string {
  const { type, enum: values, $ref } = schema as { type?: string | string[]; enum?: unknown[]; $ref?: string }
  if (values !== undefined) return values.map(code).join(' or ')
  if ($ref !== undefined) return code($ref.slice($ref.lastIndexOf('/') + 1))
  return Array.isArray(type) ? type.join(' or ') : (type ?? 'any')
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A value of the document between backticks, which it may not hold itself. */
const code = (value: unknown): string => {
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('`', "'")
  return text === '' ? '' : `\`${text}\``
}
