import { z } from 'zod'
import type { Good, Parameter } from '../../goods/good.ts'
import { exampleOf } from './examples.ts'

/** Key of the x402 extension that tells catalogues what goes in and what comes out. */
export const BAZAAR = 'bazaar'

type JsonSchema = Record<string, unknown>

/**
 * Describes the input by the good's own schema, and the output by an example and its names. Kept small: it travels in
 * every 402, and back in every payment.
 */
export function bazaarOf(good: Good<unknown>) {
  const queryParams = valuesOf(good.parameters)
  const example = { ok: true, sku: good.sku, result: exampleOf(good.sku) }
  return {
    info: {
      input: {
        type: 'http',
        method: 'GET',
        ...(good.parameters.length === 0 ? {} : { queryParams }),
        //  no headers: each of them identifies the caller, and all who copied ours would be the same buyer
      },
      output: { type: 'json', example },
    },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: {
            type: { type: 'string', const: 'http' },
            method: { type: 'string', enum: ['GET'] },
            queryParams: querySchema(good), //  even if it has no properties: catalogues expect it
            ...headersSchema(good),
          },
          required: ['type', 'method'],
          additionalProperties: false,
        },
        output: {
          type: 'object',
          properties: { type: { type: 'string' }, example: answerSchema(good.sku) },
          required: ['type'],
        },
      },
      required: ['input'],
    },
  }
}

/** An input that is answered: catalogues try it, and agents begin with it. */
const valuesOf = (parameters: readonly Parameter[]): Record<string, string> =>
  Object.fromEntries(
    parameters.filter(({ insteadOf }) => insteadOf === undefined).map(({ name, example }) => [name, example]),
  )

function querySchema({ input, parameters }: Good<unknown>): JsonSchema {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(({ name, description }) => [name, { ...asObject(properties[name]), description }]),
    ),
    ...(required.length === 0 ? {} : { required }),
  }
}

const asObject = (schema: unknown): JsonSchema =>
  typeof schema === 'object' ? (schema as JsonSchema) : { type: 'string' }

function headersSchema({ headers = [], payload }: Good<unknown>): JsonSchema {
  const described = [...headers, ...(payload === undefined ? [] : [payload])]
  if (described.length === 0) return {}
  const properties = described.map(({ name, description }) => [name, { type: 'string', description }])
  return { headers: { type: 'object', properties: Object.fromEntries(properties) } }
}

/** What every 200 of a good contains. */
export const answerSchema = (sku: string): JsonSchema => ({
  type: 'object',
  properties: {
    ok: { type: 'boolean' },
    sku: { type: 'string', const: sku },
    result: { type: 'object', required: Object.keys(exampleOf(sku)) },
  },
  required: ['ok', 'sku', 'result'],
})
