import { expect, test } from 'vitest'
import type { Handler, HttpRequest, Reply } from '../../../api/http/exchange.ts'
import { createRouter } from '../../../api/http/router.ts'

const named =
  (body: string): Handler =>
  () => ({ status: 200, headers: [], body })
const route = createRouter([
  { method: 'GET', path: '/files/*', handler: named('any') },
  { method: 'GET', path: '/files/own', handler: named('own') },
  { method: 'POST', path: '/files/posted', handler: named('posted') },
  {
    method: 'GET',
    path: '/.well-known/api-catalog',
    handler: async () => named('catalog')({} as HttpRequest) as Reply,
  },
])
const ask = async (path: string, method = 'GET'): Promise<Reply> =>
  route({ method, path, header: () => '', headerCount: () => 0 } as unknown as HttpRequest)

test.each([
  ['GET', '/files/a.js', 200, 'any'],
  ['HEAD', '/files/a.js', 200, 'any'],
  ['GET', '/files/own', 200, 'own'],
  ['GET', '/files/posted', 405, null], //  it has a route of its own, which takes no GET
  ['POST', '/files/posted', 200, 'posted'],
  ['POST', '/files/a.js', 405, null],
  ['GET', '/files', 404, null],
  ['GET', '/files/a/b', 404, null],
  ['GET', '/other/a.js', 404, null],
  ['GET', 'files/a.js', 404, null],
])(
  'a path that ends in * is any one segment there without a route of its own: %s %s is %d',
  async (method, path, status, body) => {
    const reply = await ask(path, method)
    expect(reply.status).toBe(status)
    if (body !== null) expect(reply.body).toBe(body)
  },
)

test.each(['GET', 'HEAD'])(
  'RFC 9727: the API catalog says of itself to a %s that it is one',
  async (method) => {
    const { headers } = await ask('/.well-known/api-catalog', method)
    expect(headers).toContainEqual(['link', '</.well-known/api-catalog>; rel="api-catalog"'])
  },
)
