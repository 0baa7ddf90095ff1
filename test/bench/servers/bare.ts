import { App, us_socket_local_port } from 'uWebSockets.js'

/**
 * Bare uWebSockets.js that sends one fixed answer: the upper bound of what any server on it can do.
 * REPLY is JSON {status, headers, body}. Prints `port N` when it listens.
 */
const reply = JSON.parse(process.env.REPLY ?? '') as {
  status: string
  headers: [string, string][]
  body: string
}
App()
  .any('/*', (response) => {
    response.cork(() => {
      response.writeStatus(reply.status)
      for (const [name, value] of reply.headers) response.writeHeader(name, value)
      response.end(reply.body)
    })
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (!socket) process.exit(1)
    process.stdout.write(`port ${us_socket_local_port(socket)}\n`)
  })
process.on('SIGTERM', () => process.exit(0))
