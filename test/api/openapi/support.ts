import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { MediaObject, OperationObject, ResponseObject } from '../../../api/openapi/build.ts'
import type { OpenApi } from '../../../api/openapi/openApi.ts'

/** The document as a client meets it: after JSON. */
export const asSent = (document: OpenApi): OpenApi => JSON.parse(JSON.stringify(document))

/**
 * Validates values against schemas of the document, references included. Returns what is wrong, or null. If strict, as
 * clients may be, a keyword without the type it applies to, or a required name that is not described, is an error.
 */
export function schemaChecker(document: OpenApi, { strict = false } = {}) {
  //  a JSON-RPC id is a string or a number, and JSON Schema states both in one keyword
  const ajv = new Ajv2020({ strict, allowUnionTypes: true, allErrors: true })
  addFormats.default(ajv)
  if (strict) ajv.addVocabulary(Object.keys(document)) //  the document's own members around its schemas
  ajv.addSchema(document, 'openapi')
  const validators = new Map<string, ValidateFunction>() //  a form is asked about more than once
  return (schema: object, value: unknown): string | null => {
    const absolute = JSON.stringify(schema).replaceAll('"#/', '"openapi#/')
    const validate = validators.get(absolute) ?? ajv.compile(JSON.parse(absolute))
    validators.set(absolute, validate)
    return validate(value) ? null : ajv.errorsText(validate.errors)
  }
}

/** What a reference of the document points to, or the value itself. */
export function resolved<T>(document: OpenApi, value: T | { $ref: string }): T {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T
  return value.$ref
    .slice(2)
    .split('/')
    .reduce((at: unknown, name) => (at as Record<string, unknown>)?.[name], document) as T
}

export type Described = { method: string; path: string; operation: OperationObject }

export const operationsIn = ({ paths }: OpenApi): Described[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

/** Every form of every answer: its place, its media object, and its examples. */
export function formsIn(document: OpenApi): { at: string; media: MediaObject; examples: unknown[] }[] {
  const forms: { at: string; media: MediaObject }[] = []
  const add = (at: string, content: Record<string, MediaObject> = {}) => {
    for (const [type, media] of Object.entries(content)) forms.push({ at: `${at} ${type}`, media })
  }
  for (const { method, path, operation } of operationsIn(document)) {
    add(`${method} ${path} body`, operation.requestBody?.content)
    for (const [status, response] of Object.entries(operation.responses))
      add(`${method} ${path} ${status}`, resolved<ResponseObject>(document, response).content)
  }
  return forms.map(({ at, media }) => ({
    at,
    media,
    examples: [
      ...('example' in media ? [media.example] : []),
      ...Object.values(media.examples ?? {}).map(
        (example) => resolved<{ value: unknown }>(document, example as { $ref: string }).value,
      ),
    ],
  }))
}
