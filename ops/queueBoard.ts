import type { RequestListener } from 'node:http'
import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { HonoAdapter } from '@bull-board/hono'
import { getRequestListener } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import type { Queue } from 'bullmq'
import { Hono } from 'hono'

/** The board's page would load a font from another site: nobody else is to learn that an operator looks. */
const HEADERS = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

/**
 * A read-only bull-board: what runs when, and what failed with which words. Jobs carry no data (ops/queue.ts), so it
 * shows nothing of a buyer. Heavy: imported when somebody first looks.
 */
export function createQueueBoard(queues: readonly Queue[], path: `/${string}`): RequestListener {
  const pages = new HonoAdapter(serveStatic)
  pages.setBasePath(path)
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter: pages,
    options: { uiConfig: { boardTitle: 'Queues' } },
  })
  const app = new Hono()
  app.use(async (context, next) => {
    await next()
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value)
  })
  app.route(path, pages.registerPlugin())
  return getRequestListener(app.fetch)
}
