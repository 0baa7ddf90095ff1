import { expect, test } from 'vitest'
import { ClientGone, type Handler } from '../../../api/http/exchange.ts'
import { serveHttp } from '../../../api/http/server.ts'
import type { Log } from '../../../ops/log.ts'
import { exchangeRaw, headOf, openRaw } from '../../support/rawHttp.ts'

test('HTTP-05 a client who leaves in the middle of his body is no failure of ours: nothing is logged', async () => {
  const logged: object[] = []
  const log = { error: (fields: object) => logged.push(fields) } as unknown as Log
  let entered = () => {}
  let ended = (_: unknown) => {}
  const isEntered = new Promise<void>((resolve) => {
    entered = resolve
  })
  const isEnded = new Promise((resolve) => {
    ended = resolve
  })
  const handler: Handler = async (request) => {
    if (request.path === '/broken') throw new Error('broken')
    const body = request.body(1_000)
    entered()
    await body.catch(ended)
    await body
    throw new Error('never here')
  }
  const server = await serveHttp({ host: '127.0.0.1', port: 0, handler, log })
  const base = `http://127.0.0.1:${server.port}`
  const { socket } = await openRaw(base)
  socket.write(`${headOf('/', { 'content-length': '10' })}abc`)
  await isEntered
  socket.resetAndDestroy()
  expect(await isEnded).toBeInstanceOf(ClientGone)
  await exchangeRaw(base, headOf('/broken'))
  expect(logged).toMatchObject([{ reason: expect.stringContaining('broken') }])
  await server.close()
})
