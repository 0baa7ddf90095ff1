import { refuse } from './errors.ts'
import type { Setting } from './settings.ts'

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/
const MAX_PARAMS = 1_000

/**
 * `param_<name>=<value>` of a request, to be bound by the engine to `{name:Type}`. A value is never part of the
 * query: it travels as the literal of `SET param_<name>` on a connection that lives for this request only,
 * and is then parsed by the placeholder's type (tab-separated escapes, as over HTTP everywhere).
 */
export function queryParams(query: URLSearchParams): Setting[] {
  const params = new Map<string, string>()
  for (const [key, value] of query) {
    if (!key.startsWith('param_')) continue
    if (!NAME.test(key.slice('param_'.length)))
      throw refuse(
        'BAD_REQUEST_PARAMETER',
        `Query parameter name ${JSON.stringify(key.slice(0, 64))} is not valid.`,
      )
    params.set(key, value)
  }
  if (params.size > MAX_PARAMS)
    throw refuse('BAD_REQUEST_PARAMETER', `More than ${MAX_PARAMS} query parameters.`)
  return [...params]
}
