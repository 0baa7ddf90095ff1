import { z } from 'zod'
import { assert } from '../../ops/errors.ts'

/** JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
export type JsonSchema = { [keyword: string]: unknown }

/** The widest integers of a binary64: stated for every integer, these bounds tell nothing. */
const LIMITS = new Set<unknown>([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])

const OPTIONS = {
  io: 'input',
  unrepresentable: 'any',
  override: ({ jsonSchema }: { jsonSchema: JsonSchema }) => tidy(jsonSchema),
} as const

/**
 * Changes a schema in place: drops what says nothing, and the pattern of a date-time, which `format` states shorter;
 * and rewrites what stricter validators would refuse.
 */
function tidy(schema: JsonSchema): void {
  for (const bound of ['minimum', 'maximum', 'exclusiveMaximum'])
    if (LIMITS.has(schema[bound])) delete schema[bound]
  if (schema.format === 'date-time' || schema.format === 'date') delete schema.pattern
  const names = schema.propertyNames as JsonSchema | undefined
  if (names !== undefined && Object.keys(names).join() === 'type') delete schema.propertyNames
  if (Array.isArray(names?.enum) && schema.required !== undefined) nameEach(schema, names.enum)
  //  an empty `prefixItems` is no valid schema; `items` and `maxItems` say the same
  if (Array.isArray(schema.prefixItems) && schema.prefixItems.length === 0) delete schema.prefixItems
}

/** Turns a record with a value for each of its names into an object with these properties and no others. */
function nameEach(schema: JsonSchema, names: readonly string[]): void {
  const { additionalProperties: value } = schema
  delete schema.propertyNames
  schema.properties = Object.fromEntries(names.map((name) => [name, value]))
  schema.additionalProperties = false
}

/** One schema by itself, for a parameter. */
export function inlineSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, OPTIONS) as JsonSchema
  return rest
}

/**
 * Collects zod schemas under names and makes one `components.schemas` of them, in which a named schema inside another is
 * a reference. A schema keeps the first name it gets; a name that is taken by another schema is an error.
 */
export function createSchemas(shared: Readonly<Record<string, z.ZodType>>) {
  const registry = z.registry<{ id: string }>()
  const names = new Map<z.ZodType, string>()
  const uri = (id: string): string => `#/components/schemas/${id}`
  const add = (name: string, schema: z.ZodType): string => {
    registry.add(schema, { id: name })
    names.set(schema, name)
    return name
  }
  for (const [name, schema] of Object.entries(shared)) add(name, schema)
  return {
    /** @param name for a schema that has none yet */
    ref(schema: z.ZodType, name?: string): JsonSchema {
      const known = names.get(schema) ?? name
      assert(known !== undefined, 'a schema that is referred to without a name has one')
      return { $ref: uri(names.has(schema) ? known : add(known, schema)) }
    },
    components(): Record<string, JsonSchema> {
      const { schemas } = z.toJSONSchema(registry, { ...OPTIONS, uri })
      return Object.fromEntries(
        Object.entries(schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [
          name,
          schema as JsonSchema,
        ]),
      )
    },
  }
}
export type Schemas = ReturnType<typeof createSchemas>
