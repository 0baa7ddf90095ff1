import { App, type HttpResponse, us_socket_local_port } from 'uWebSockets.js'
import { createInstantChain } from '../support/instantChain.ts'

/**
 * Everything outside a selling process, answering at once: a facilitator that agrees to everything, and a
 * chain node that has each settlement in a block already. Prints `port N` when it listens.
 */
const MAX_BODY_BYTES = 256 * 1024
const chain = createInstantChain()

type Ask = {
  paymentPayload: {
    accepted: { asset: string; network: string }
    payload: { authorization: { from: string; to: string; value: string; nonce: string } }
  }
}

const answers: Record<string, (body: string) => unknown> = {
  '/facilitator/verify': (body) => {
    const { authorization } = (JSON.parse(body) as Ask).paymentPayload.payload
    return { isValid: true, payer: authorization.from }
  },
  '/facilitator/settle': (body) => {
    const { accepted, payload } = (JSON.parse(body) as Ask).paymentPayload
    const transaction = chain.settle({ ...payload.authorization, asset: accepted.asset })
    return { success: true, transaction, network: accepted.network, payer: payload.authorization.from }
  },
  '/facilitator/supported': () => ({
    kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }],
    extensions: [],
    signers: {},
  }),
  '/rpc': (body) => chain.answer(JSON.parse(body)),
}

App()
  .any('/*', (response, request) => {
    const answer = answers[request.getUrl()]
    response.onAborted(() => {})
    if (answer === undefined) return void response.writeStatus('404 Not Found').end('{}')
    readBody(response, (body) => {
      const text = JSON.stringify(answer(body))
      response.cork(() => response.writeHeader('content-type', 'application/json').end(text))
    })
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (!socket) process.exit(1)
    process.stdout.write(`port ${us_socket_local_port(socket)}\n`)
  })
process.on('SIGTERM', () => process.exit(0))

function readBody(response: HttpResponse, use: (body: string) => void): void {
  let text = ''
  response.onData((chunk, isLast) => {
    text += Buffer.from(chunk).toString('utf8')
    if (text.length > MAX_BODY_BYTES) throw new Error('a request of more than 256 KiB')
    if (isLast) use(text)
  })
}
