import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Answer = {
  status?: number
  headers?: Record<string, string>
  body?: string | Buffer //        sent as it is
  json?: unknown
  cut?: boolean //                 the connection breaks in the middle of the body
  hang?: boolean //                no answer at all
}

/** A real HTTP server of 127.0.0.1 whose every answer the test decides. */
export async function serveAnswers(
  answer: (path: string, url: URL, body: string, request: IncomingMessage) => Answer | Promise<Answer>,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const url = new URL(request.url ?? '/', 'http://x')
    const {
      status = 200,
      headers = {},
      body,
      json,
      cut,
      hang,
    } = await answer(url.pathname, url, Buffer.concat(chunks).toString(), request)
    if (hang === true) return
    const bytes = Buffer.from(body ?? JSON.stringify(json) ?? '')
    if (cut === true) {
      response.writeHead(status, { ...headers, 'content-length': String(bytes.length) })
      response.write(bytes.subarray(0, bytes.length >> 1))
      setTimeout(() => response.destroy(), 20)
      return
    }
    response.writeHead(status, headers).end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
