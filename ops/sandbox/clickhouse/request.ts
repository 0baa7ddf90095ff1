import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Body } from './body.ts'
import { refuse } from './errors.ts'

export type HttpQuery = {
  params: URLSearchParams //  of the URL and, after them, of a multipart form
  queryId: string
  database: string //         '' for none
  defaultFormat: string
}

const PRINTABLE = /^[\x20-\x7e]{1,256}$/

/** What a request says besides its query text. @throws QueryError for what this server does not do. */
export function readHttpQuery(request: IncomingMessage, params: URLSearchParams): HttpQuery {
  if (params.has('session_id'))
    throw refuse('NOT_IMPLEMENTED', 'Sessions (session_id) are not supported: every query stands alone.')
  if (isOn(params.get('compress')) || isOn(params.get('decompress')))
    throw refuse(
      'NOT_IMPLEMENTED',
      'compress and decompress (native blocks) are not supported: use Accept-Encoding and Content-Encoding.',
    )
  if (params.has('role')) throw refuse('NOT_IMPLEMENTED', 'Roles are not supported: a user has exactly one.')
  const queryId = params.get('query_id') || randomUUID()
  if (!PRINTABLE.test(queryId))
    throw refuse('BAD_REQUEST_PARAMETER', 'query_id must be 1 to 256 printable ASCII characters.')
  return {
    params,
    queryId,
    database: params.get('database') ?? header(request, 'x-clickhouse-database') ?? '',
    defaultFormat: params.get('default_format') ?? header(request, 'x-clickhouse-format') ?? 'TabSeparated',
  }
}

export const isOn = (value: string | null): boolean => value === '1' || value === 'true'

const header = (request: IncomingMessage, name: string): string | null => {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : null
}

const MAX_FORM_BYTES = 16 * 1024 * 1024

/** Adds the fields of a `multipart/form-data` body (the query and its parameters). Files are external tables: refused. */
export async function readForm(contentType: string, body: Body, params: URLSearchParams): Promise<void> {
  const chunks: Buffer[] = []
  let bytes = 0
  for (let chunk = await body.next(); chunk !== null; chunk = await body.next()) {
    bytes += chunk.length
    if (bytes > MAX_FORM_BYTES)
      throw refuse('QUERY_IS_TOO_LARGE', `Multipart form is larger than ${MAX_FORM_BYTES} bytes.`)
    chunks.push(chunk)
  }
  const form = await new Response(Buffer.concat(chunks), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => {
      throw refuse('BAD_REQUEST_PARAMETER', 'The multipart form cannot be read.')
    })
  for (const [name, value] of form) {
    if (typeof value !== 'string')
      throw refuse('NOT_IMPLEMENTED', 'External tables in a multipart form are not supported.')
    params.append(name, value)
  }
}
