import { open, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { PassThrough, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { SECOND } from '../../units.ts'
import { type QueryError, refuse } from './errors.ts'
import { findInsertHead, firstKeyword, type InsertHead } from './statement.ts'

/** A request's body, decompressed, a chunk at a time; null at its end. */
export type Body = {
  next(): Promise<Buffer | null>
  /**
   * Reads on without keeping anything, so that a client which still sends gets to read our refusal. Within a bound:
   * @returns false when the connection has to be closed instead.
   */
  discard(): Promise<boolean>
}

const DECODERS: Record<string, () => Transform> = {
  '': () => new PassThrough(),
  identity: () => new PassThrough(),
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

const DISCARD_BYTES = 64 * 1024 * 1024
const DISCARD_MS = 5 * SECOND

/** @param maxBytes bound after decompression: a bomb ends there. */
export function openBody(request: IncomingMessage, maxBytes: number): Body {
  const encoding = String(request.headers['content-encoding'] ?? '')
    .trim()
    .toLowerCase()
  const decoder = DECODERS[encoding]?.() ?? null
  let cut = false
  // Not `pipeline`: it destroys the connection with the decoder, and a broken body must still get its answer.
  if (decoder !== null) {
    request.pipe(decoder)
    request.once('close', () => {
      cut = !request.complete
      if (cut) decoder.destroy(new Error('connection closed'))
    })
    decoder.on('error', () => undefined) // reported by next()
  }
  const chunks = decoder?.[Symbol.asyncIterator]()
  let bytes = 0
  return {
    async next() {
      if (chunks === undefined)
        throw refuse(
          'NOT_IMPLEMENTED',
          `Unknown compression method ${JSON.stringify(encoding)} of the request body.`,
        )
      const chunk = await chunks.next().catch((error: Error) => {
        if (cut) throw refuse('ABORTED', 'The client closed the connection.')
        throw refuse('CANNOT_DECOMPRESS', `Cannot read the request body: ${error.message}.`)
      })
      if (chunk.done === true) return null
      const value = chunk.value as Buffer
      bytes += value.length
      if (bytes > maxBytes)
        throw refuse('QUERY_IS_TOO_LARGE', `Request body is larger than ${maxBytes} bytes.`)
      return value
    },
    async discard() {
      if (decoder !== null) request.unpipe(decoder)
      decoder?.destroy()
      return request.complete || (await discardRest(request))
    },
  }
}

function discardRest(request: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    let bytes = 0
    const end = () => {
      clearTimeout(timer)
      request.pause()
      resolve(request.complete)
    }
    const timer = setTimeout(end, DISCARD_MS)
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > DISCARD_BYTES) end()
    })
    request.once('end', end)
    request.once('close', end)
    request.resume()
  })
}

export type Text = {
  bytes: Buffer //             query parameter, line end, body so far
  insert: InsertHead | null // offsets into `bytes`; when set, the body may go on
  ended: boolean //            the body was read to its end
}

const MAX_QUERY_BYTES = 16 * 1024 * 1024
const MAX_HEAD_BYTES = 1024 * 1024
const CERTAIN_BYTES = 64 // so far past a head's end that no chunk boundary cut its last word in two

/** Reads a query: all of it, or up to the data of an INSERT, which may be of any size. */
export async function readText(urlQuery: string, body: Body): Promise<Text> {
  let bytes = Buffer.from(urlQuery === '' ? '' : `${urlQuery}\n`)
  let ended = false
  for (;;) {
    if (ended || bytes.length <= MAX_HEAD_BYTES) {
      const sql = bytes.toString('latin1')
      const insert = firstKeyword(sql) === 'INSERT' ? findInsertHead(sql) : null
      if (insert !== null && (ended || bytes.length >= insert.dataAt + CERTAIN_BYTES))
        return { bytes, insert, ended }
    }
    if (ended) return { bytes, insert: null, ended }
    if (bytes.length > MAX_QUERY_BYTES)
      throw refuse('QUERY_IS_TOO_LARGE', `Query is larger than ${MAX_QUERY_BYTES} bytes.`)
    const chunk = await body.next()
    if (chunk === null) ended = true
    else bytes = Buffer.concat([bytes, chunk])
  }
}

export type Budget = { leftBytes: number }

/** Data of an INSERT, in a file until it is removed. */
export type Spooled = { remove(): Promise<void> }

/** Writes the data of an INSERT to a file, as far as the budget of all of them allows. */
export async function spool(
  path: string,
  text: Text,
  dataAt: number,
  body: Body,
  budget: Budget,
): Promise<Spooled> {
  let bytes = 0
  const remove = async () => {
    budget.leftBytes += bytes
    await rm(path, { force: true })
  }
  const file = await open(path, 'wx', 0o600)
  try {
    let chunk: Buffer | null = text.bytes.subarray(dataAt)
    while (chunk !== null) {
      if (chunk.length > budget.leftBytes) throw noSpace()
      bytes += chunk.length
      budget.leftBytes -= chunk.length
      if (chunk.length > 0) await file.writev([chunk])
      chunk = text.ended ? null : await body.next()
    }
    return { remove }
  } catch (error) {
    await remove()
    const code = error instanceof Error && 'code' in error ? error.code : ''
    throw code === 'ENOSPC' || code === 'EDQUOT' ? noSpace() : error
  } finally {
    await file.close()
  }
}

const noSpace = (): QueryError => refuse('NOT_ENOUGH_SPACE', 'No space left for the data of this INSERT.')
