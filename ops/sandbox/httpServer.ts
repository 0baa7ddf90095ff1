import type { IncomingMessage, Server } from 'node:http'

/** Hanging and idle connections are cut: this is for the end of a process or a test. */
export function closeNow(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

/** The body as text; null: larger than that, and read to its end all the same, so that its sender hears the answer. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | null> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size <= maxBytes) parts.push(part)
  }
  return size > maxBytes ? null : Buffer.concat(parts).toString()
}
