import { createHash } from 'node:crypto'
import { constantReply } from '../http/constantReply.ts'
import { NO_STORE, problemReply } from '../http/respond.ts'
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

const VERSIONED = /^(\/assets\/[a-z]+-)[0-9a-f]{12}(\.[a-z]+)$/

/**
 * While one version of us replaces another on the same port, a page of one may ask the other for its style. It gets the
 * style of whoever is asked, for this time only, because that path names another content.
 */
export const otherVersionsRoute = (assets: readonly Asset[]): Route => ({
  method: 'GET',
  path: '/assets/*',
  handler: ({ path }) => {
    const [, start = '', end = ''] = VERSIONED.exec(path) ?? []
    const ours = assets.find((each) => start !== '' && each.path.startsWith(start) && each.path.endsWith(end))
    if (ours === undefined) return problemReply({ problem: 'not_found' })
    const headers = [['content-type', ours.type], NO_STORE, ['x-content-type-options', 'nosniff']] as const
    return { status: 200, headers, body: ours.body }
  },
})
