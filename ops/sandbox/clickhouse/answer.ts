import { createReadStream } from 'node:fs'
import { readFile, rm, stat, statfs } from 'node:fs/promises'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { PassThrough, Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliCompress, createDeflate, createGzip, createZstdCompress } from 'node:zlib'
import type { Engine, Format, Ran } from './engine.ts'
import { errorText, httpStatus, type QueryError } from './errors.ts'

export type Answer = {
  ran: Ran
  file: string | null //  where the answer is, when not in `ran.bytes`
  format: Format
  inserted: boolean
}

const IN_MEMORY_BYTES = 64 * 1024

const ENCODERS: Record<string, () => Transform> = {
  gzip: () => createGzip({ level: 3 }),
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: () => createZstdCompress(),
  deflate: () => createDeflate({ level: 3 }),
}

/** The codec to answer in; null for none. `accept` is the Accept-Encoding header. */
export function chooseEncoding(accept: string | undefined): string | null {
  const offered = (accept ?? '')
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim().split(/\s*;\s*/))
    .filter(([, quality]) => quality === undefined || Number(quality.replace('q=', '')) > 0)
    .map(([name]) => name)
  return Object.keys(ENCODERS).find((name) => offered.includes(name)) ?? null
}

/** Headers that every answer of the query path carries. */
export const commonHeaders = (engine: Engine, queryId: string): OutgoingHttpHeaders => ({
  'X-ClickHouse-Server-Display-Name': 'sandbox',
  ...(queryId === '' || !/^[\x20-\x7e]+$/.test(queryId) ? {} : { 'X-ClickHouse-Query-Id': queryId }),
  'X-ClickHouse-Timezone': engine.timezone,
})

/** All numbers are strings, as ClickHouse sends them. The engine counts answers, not what was read for them. */
function summary({ ran, inserted }: Answer): string {
  const rows = String(ran.rows)
  const bytes = String(ran.bytesCounted)
  return JSON.stringify({
    read_rows: rows,
    read_bytes: bytes,
    written_rows: inserted ? rows : '0',
    written_bytes: inserted ? bytes : '0',
    total_rows_to_read: '0',
    result_rows: rows,
    result_bytes: bytes,
    elapsed_ns: String(ran.elapsedNs),
  })
}

/** Sends a complete answer: small ones from memory, others from their file as fast as the client reads. */
export async function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  headers: OutgoingHttpHeaders,
  encoding: string | null,
): Promise<void> {
  const fileSize = answer.file === null ? 0 : await sizeOf(answer.file)
  const size = fileSize === 0 ? answer.ran.bytes.length : fileSize
  response.writeHead(200, {
    ...headers,
    'Content-Type': answer.format.contentType,
    'X-ClickHouse-Format': answer.format.name,
    'X-ClickHouse-Summary': summary(answer),
    ...(encoding === null
      ? { 'Content-Length': size }
      : { 'Content-Encoding': encoding, Vary: 'Accept-Encoding' }),
  })
  const source =
    answer.file === null || fileSize === 0
      ? Readable.from([Buffer.from(answer.ran.bytes)])
      : fileSize <= IN_MEMORY_BYTES
        ? Readable.from([await readFile(answer.file)])
        : createReadStream(answer.file, { highWaterMark: 256 * 1024 })
  await pipeline(source, encoding === null ? new PassThrough() : ENCODERS[encoding]!(), response)
}

/** 0 when the engine had nothing to write and made no file. */
export const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

export const freeSpace = (folder: string): Promise<number> =>
  statfs(folder).then(({ bavail, bsize }) => bavail * bsize)

export const removeFile = (path: string): Promise<void> => rm(path, { force: true }).catch(() => undefined)

export function sendError(
  response: ServerResponse,
  error: QueryError,
  version: string,
  headers: OutgoingHttpHeaders,
): void {
  const status = httpStatus(error.number)
  const text = errorText(error, version)
  response.writeHead(status, {
    ...headers,
    'Content-Type': 'text/plain; charset=UTF-8',
    'Content-Length': Buffer.byteLength(text),
    'X-ClickHouse-Exception-Code': error.number,
    ...(status === 401 ? { 'WWW-Authenticate': 'Basic realm="ClickHouse server HTTP API"' } : {}),
  })
  response.end(text)
}
