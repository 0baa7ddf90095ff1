import { createHash } from 'node:crypto'
import { constantReply } from '../http/constantReply.ts'
import type { Route } from '../http/router.ts'

/** A file of a page. Its path names its content, so it is kept for ever and never asked for again. */
export type Asset = { path: string; etag: string; type: string; body: Buffer }

const TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const

const FOR_EVER = 'public, max-age=31536000, immutable'

export function asset(name: string, kind: keyof typeof TYPES, text: string): Asset {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return {
    path: `/assets/${name}-${hash}.${kind}`,
    etag: `"${hash}"`,
    type: TYPES[kind],
    body: Buffer.from(text),
  }
}

export const assetRoute = ({ path, etag, type, body }: Asset): Route => {
  const answer = constantReply({ type, etag, cacheControl: FOR_EVER }, body)
  return { method: 'GET', path, handler: (request) => answer(request.header('if-none-match')) }
}
