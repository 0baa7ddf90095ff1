import { refuse } from './errors.ts'
import { ANALYST_LIMITS, type UserName } from './users.ts'

/** Request parameters that belong to HTTP and never reach the engine as settings. */
const HTTP_PARAMETERS = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'user',
  'password',
  'quota_key',
  'stacktrace',
  'role',
  'session_id',
  'session_timeout',
  'session_check',
  'close_session',
  'compress',
  'decompress',
  'buffer_size',
  'wait_end_of_query', // always: an answer starts when it is complete
  // Settings of the server's HTTP layer, and `log_comment`, by which we find a running query again.
  'enable_http_compression',
  'http_zlib_compression_level',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
  'http_wait_end_of_query',
  'http_response_buffer_size',
  'http_write_exception_in_output_format',
  'http_response_headers',
  'add_http_cors_header',
  'cancel_http_readonly_queries_on_client_close',
  'log_comment',
])

/** What the analyst may set: how an answer looks, and lower limits than its own. */
const ANALYST_SETTINGS =
  /^(output_format_\w+|format_csv_delimiter|format_csv_null_representation|date_time_output_format|extremes|join_use_nulls|union_default_mode|session_timezone|max_block_size|use_query_cache)$/

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/

export type Setting = [name: string, value: string]

/**
 * The engine settings of a request, later ones win. The engine says whether a name exists (code 115).
 * @throws QueryError for a malformed name, and for what the analyst may not change.
 */
export function engineSettings(query: URLSearchParams, user: UserName): Setting[] {
  const settings = new Map<string, string>()
  for (const [name, value] of query) {
    if (HTTP_PARAMETERS.has(name) || name.startsWith('param_')) continue
    if (!NAME.test(name)) throw refuse('UNKNOWN_SETTING', `Unknown setting '${name.slice(0, 128)}'`)
    if (user === 'analyst') refuseForAnalyst(name, value)
    settings.set(name, value)
  }
  return [...settings]
}

function refuseForAnalyst(name: string, value: string): void {
  const limit = ANALYST_LIMITS[name]
  if (typeof limit === 'number' && limit > 0) {
    const asked = Number(value)
    if (asked > 0 && asked <= limit) return
    throw refuse('READONLY', `Setting ${name} must be between 1 and ${limit} for user analyst.`)
  }
  if (name === 'readonly' && (value === '1' || value === '2')) return
  if (!ANALYST_SETTINGS.test(name))
    throw refuse('READONLY', `Cannot modify '${name}' setting in readonly mode.`)
}

/** A string literal. Backslash first: both it and the quote can end a literal early. */
export const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

export const quoteName = (name: string): string =>
  `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
