import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { whileBlocksCome } from '../../ops/sandbox/chain/setup.ts'
import type { TestChain } from './chain.ts'
import { sleep } from './process.ts'

/** How the facilitator behaves; faults.md 3.4 and 5. All but the last group settle honestly on the test chain. */
export const PERSONAS = [
  'honest', //             the reference implementation
  'slow', //               honest, after `slowMs`
  'drops_settle_reply', // settles, then cuts the connection (FAC-02, FAC-03)
  'pending', //            settles, says 500 settlement_pending with the hash; a repeat says success (FAC-05)
  'fails_but_mines', //    says success:false without a hash, settles `slowMs` later (FAC-06)
  'always_yes', //         verifies anything (FAC-10)
  'reverts', //            verifies honestly, its transactions fail (SIG-08)
  'always_no', //          refuses anything (FAC-11)
  'elsewhere', //          honest, but /supported names another network only (FAC-15)
  // --- no chain behind these
  'stub', //               instant yes with a made-up hash, for load
  'lies_success', //       settled, it says, in a transaction that does not exist (FAC-07)
  'empty_success', //      settled, without a hash (FAC-07)
  'wrong_payer', //        answers about somebody else (FAC-09)
  'wrong_amount', //       settled less (FAC-09)
  'wrong_network', //      settled elsewhere (FAC-09)
  'blocks_us', //          refuses to pay our receiver (SIG-09)
  'secret_reason', //      refuses with a text that holds an address with a key (x402-v2 0, item 11)
  'html', //               200 with a page (FAC-13)
  'cut_json', //           200 with half an object (FAC-13)
  'huge', //               200 with 8 MB (FAC-13)
  'gzip_bomb', //          200, 64 MB in 64 KB (FAC-13)
  'redirect', //           307 to /stolen (FAC-12)
  'busy', //               429 with Retry-After (FAC-14)
  'broken', //             503 with a body that says success (FAC-14)
  'flaps', //              503 to every other request, and to some of the others when it has done them (FAC-14)
  'resets', //             cuts the connection before doing anything
  'resets_once', //        the same, and is honest from then on (FAC-18)
] as const
export type Persona = (typeof PERSONAS)[number]

export type TestFacilitator = {
  url: string
  persona: Persona //  may be changed at any time: a request is answered by the one it met
  slowMs: number
  listed: object | null //  what EXTENSION-RESPONSES says
  /** Requests by path; `stolen` counts what followed the redirect. */
  counts: { verify: number; settle: number; supported: number; stolen: number }
  settles: string[] //     bodies of the settlements that it flapped at, as they came
  /** Headers and body of the newest request. */
  last: { headers: IncomingMessage['headers']; body: unknown } | null
  close(): Promise<void>
}

type Ask = { x402Version: number; paymentPayload: PaymentPayload; paymentRequirements: PaymentRequirements }
type Answer = { status: number; body: unknown }

/** A facilitator over HTTP on the test chain; it settles one payment at a time, from one account. */
export async function startFacilitator(chain: TestChain): Promise<TestFacilitator> {
  const honest = referenceFacilitator(chain)
  const settled = new Map<string, unknown>() //  by nonce: the answer to a repeat
  let queue: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = queue.then(work, work)
    queue = next.catch(() => {})
    return next
  }
  const verify = ({ paymentPayload, paymentRequirements }: Ask) =>
    honest.verify(paymentPayload, paymentRequirements)
  const settle = (ask: Ask) =>
    inTurn(async () => {
      const known = settled.get(nonceOf(ask))
      if (known !== undefined) return known as Awaited<ReturnType<typeof honest.settle>>
      const result = await honest.settle(ask.paymentPayload, ask.paymentRequirements)
      if (result.success) settled.set(nonceOf(ask), result)
      return result
    })

  const facilitator: TestFacilitator = {
    url: '',
    persona: 'honest',
    slowMs: 1_000,
    listed: null,
    settles: [],
    last: null,
    counts: { verify: 0, settle: 0, supported: 0, stolen: 0 },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await queue
    },
  }

  function supported(persona: Persona) {
    const support = honest.getSupported()
    if (persona !== 'elsewhere') return support
    return { ...support, kinds: support.kinds.map((kind) => ({ ...kind, network: 'eip155:84532' })) }
  }

  async function answerVerify(ask: Ask, persona: Persona): Promise<Answer> {
    switch (persona) {
      case 'always_yes':
      case 'stub':
      case 'lies_success':
      case 'empty_success':
      case 'wrong_amount':
      case 'wrong_network':
        return ok({ isValid: true, payer: payerOf(ask) })
      case 'wrong_payer':
        return ok({ isValid: true, payer: `0x${'99'.repeat(20)}` })
      case 'always_no':
        return ok({ isValid: false, invalidReason: 'invalid_exact_evm_signature', payer: payerOf(ask) })
      case 'blocks_us':
        return ok({ isValid: false, invalidReason: 'invalid_exact_evm_payload_to_address_kyt' })
      case 'secret_reason':
        return ok({ isValid: false, invalidReason: SECRET, invalidMessage: SECRET, payer: payerOf(ask) })
      default:
        return ok(await verify(ask))
    }
  }

  async function answerSettle(ask: Ask, persona: Persona): Promise<Answer | 'cut'> {
    const success = (over: object = {}) =>
      ok({ success: true, transaction: anyTx(), network: networkOf(ask), payer: payerOf(ask), ...over })
    switch (persona) {
      case 'drops_settle_reply':
        await settle(ask)
        return 'cut'
      case 'pending': {
        const repeated = settled.has(nonceOf(ask))
        const { transaction, success, payer } = await settle(ask)
        if (repeated || !success) return ok({ success, transaction, network: networkOf(ask), payer })
        const errorReason = 'settlement_pending'
        return { status: 500, body: { success: false, errorReason, transaction, network: networkOf(ask) } }
      }
      case 'fails_but_mines':
        void sleep(facilitator.slowMs).then(() => settle(ask).catch(() => {}))
        return ok({
          success: false,
          errorReason: 'unexpected_settle_error',
          transaction: '',
          network: networkOf(ask),
        })
      case 'reverts':
        return ok({
          success: false,
          errorReason: 'invalid_exact_evm_transaction_failed',
          transaction: '',
          network: networkOf(ask),
        })
      case 'always_no':
        return ok({
          success: false,
          errorReason: 'invalid_exact_evm_signature',
          transaction: '',
          network: networkOf(ask),
        })
      case 'stub':
      case 'lies_success':
        return success()
      case 'empty_success':
        return success({ transaction: '' })
      case 'wrong_payer':
        return success({ payer: `0x${'99'.repeat(20)}` })
      case 'wrong_amount':
        return success({ amount: '1' })
      case 'wrong_network':
        return success({ network: 'eip155:84532' })
      case 'secret_reason':
        return ok({ success: false, errorReason: SECRET, errorMessage: SECRET, transaction: '', network: '' })
      default:
        return ok(await settle(ask))
    }
  }

  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').split('/').pop() as keyof TestFacilitator['counts']
    const text = await readBody(request)
    if (path in facilitator.counts) facilitator.counts[path]++
    facilitator.last = { headers: request.headers, body: text === '' ? null : JSON.parse(text) }
    if (facilitator.listed !== null)
      response.setHeader(
        'extension-responses',
        Buffer.from(JSON.stringify(facilitator.listed)).toString('base64'),
      )
    if (path === 'stolen')
      return reply(response, ok({ isValid: true, success: true, transaction: anyTx(), network: '' }))
    const { persona } = facilitator
    if (persona === 'resets_once') facilitator.persona = 'honest'
    if (persona === 'flaps' && path === 'settle') facilitator.settles.push(text)
    const turn = persona === 'flaps' ? facilitator.counts[path] % 4 : null
    if (misbehave(turn === 1 || turn === 3 ? 'broken' : persona, response)) return
    if (persona === 'slow') await sleep(facilitator.slowMs)
    try {
      if (path === 'supported') return reply(response, ok(supported(persona)))
      const ask = JSON.parse(text) as Ask
      const answer = path === 'verify' ? await answerVerify(ask, persona) : await answerSettle(ask, persona)
      if (turn === 2) misbehave('broken', response)
      else if (answer === 'cut') response.destroy()
      else reply(response, answer)
    } catch (error) {
      reply(response, { status: 500, body: { error: String(error) } })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  facilitator.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/facilitator`
  return facilitator
}

function referenceFacilitator({ rpcUrl, accounts }: TestChain): x402Facilitator {
  const account = privateKeyToAccount(accounts.settler.privateKey)
  const client = createWalletClient({
    account,
    chain: base,
    pollingInterval: 50,
    transport: whileBlocksCome(http(rpcUrl, { retryCount: 0 })),
  }).extend(publicActions)
  const signer = toFacilitatorEvmSigner({ ...client, address: account.address } as never, {
    confirmationTimeoutMs: 20_000,
  })
  return new x402Facilitator().register('eip155:8453', new ExactEvmScheme(signer))
}

/** Answers that do not depend on the request. @returns whether it answered. */
function misbehave(persona: Persona, response: ServerResponse): boolean {
  const json = { 'content-type': 'application/json' }
  switch (persona) {
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>"success":true</html>')
      return true
    case 'cut_json':
      response.writeHead(200, json).end('{"success":true,"isValid":tr')
      return true
    case 'huge':
      response.writeHead(200, json).end(`{"isValid":true,"success":true,"pad":"${'x'.repeat(8_000_000)}"}`)
      return true
    case 'gzip_bomb':
      response
        .writeHead(200, { ...json, 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(64_000_000, 32)))
      return true
    case 'redirect':
      response.writeHead(307, { location: '/stolen' }).end()
      return true
    case 'busy':
      response.writeHead(429, { ...json, 'retry-after': '1' }).end('{"error":"too many"}')
      return true
    case 'broken':
      response
        .writeHead(503, json)
        .end(JSON.stringify({ isValid: true, success: true, transaction: anyTx(), network: '' }))
      return true
    case 'resets':
    case 'resets_once':
      response.destroy()
      return true
    default:
      return false
  }
}

/** What leaks from a careless facilitator; a test looks for it in everything that leaves us. */
export const SECRET = 'HTTP request failed. URL: https://rpc.example/v2/planted-s3cret Request body: 0x02f8'

const ok = (body: unknown): Answer => ({ status: 200, body })
const anyTx = (): Hex => `0x${randomBytes(32).toString('hex')}`
const authorizationOf = ({ paymentPayload }: Ask) =>
  (paymentPayload.payload as { authorization: { from: string; nonce: string } }).authorization
const nonceOf = (ask: Ask): string => authorizationOf(ask).nonce
const payerOf = (ask: Ask): string => authorizationOf(ask).from
const networkOf = ({ paymentRequirements }: Ask): string => paymentRequirements.network

function reply(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
