import { isRecord } from '../../../../ops/jsonText.ts'
import { followLocal, isLocal, type JsonObject, member, pointerTo } from './pointer.ts'
import type { Finding } from './result.ts'

/** Where something is wrong, and what. */
export type Place = { code: Finding; pointer: string }

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']
const SUCCESS = /^2(\d\d|XX)$/

/**
 * Looks for one operation under `paths` with a 2xx response. Each reference is followed once, so cycles end and the work
 * is linear in the document. Nothing is fetched.
 * @returns the places that explain why there is none; empty when there is one.
 */
export function missingSuccess(document: JsonObject, pathItems: [string, unknown][]): Place[] {
  const followed = new Set<string>()
  const places: Place[] = []
  let failing: string | null = null
  for (const [path, item] of pathItems) {
    const pointer = pointerTo('paths', path)
    let current: unknown = item
    while (isRecord(current)) {
      const operations = operationsOf(current)
      if (operations.some(([, operation]) => hasSuccess(operation))) return []
      const [first] = operations
      if (first !== undefined) failing ??= current === item ? pointer + first[0] : pointer
      const ref = member(current, '$ref')
      if (typeof ref !== 'string' || followed.has(ref)) break
      followed.add(ref)
      current = isLocal(ref) ? followLocal(document, ref) : undefined
      if (!isRecord(current))
        places.push({
          code: isLocal(ref) ? 'ref_unresolved' : 'ref_not_followed',
          pointer: `${pointer}/$ref`,
        })
    }
  }
  const missing: Place =
    failing === null ? { code: 'no_operation', pointer: '/paths' } : { code: 'no_2xx', pointer: failing }
  return [missing, ...places]
}

/** The operations of a path item, each with its pointer: by method, and those OpenAPI 3.2 adds by name. */
function operationsOf(item: JsonObject): [string, JsonObject][] {
  const more = member(item, 'additionalOperations')
  const named = isRecord(more) ? Object.entries(more) : []
  return [
    ...METHODS.map((method): [string, unknown] => [pointerTo(method), member(item, method)]),
    ...named.map(([name, one]): [string, unknown] => [pointerTo('additionalOperations', name), one]),
  ].filter((one): one is [string, JsonObject] => isRecord(one[1]))
}

function hasSuccess(operation: JsonObject): boolean {
  const responses = member(operation, 'responses')
  return isRecord(responses) && Object.keys(responses).some((name) => SUCCESS.test(name))
}
