import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import canonicalize from 'canonicalize'

/** What the seller does with one paid request; the last one of a script is repeated. */
export type Reaction =
  | 'sell'
  | 'cut' //  takes the payment and drops the connection
  | 'hang' // takes the payment and says nothing
  | { status: number; code?: string; detail?: string; headers?: Record<string, string>; body?: string }

export type Seller = {
  base: string
  sku: string
  payments: string[] //   PAYMENT-SIGNATURE headers as they came, in order
  unpaid: number
  keyPem: string
  stop(): Promise<void>
}

export type SellerOptions = {
  script?: Reaction[]
  amountAtomic?: string
  sku?: string
  unpaid?: Reaction //                                  instead of the 402
  forge?(attestation: Attested): Attested //            what it does to its receipt before sending it
  result?: Record<string, unknown>
  offer?: object //                                     changes to the only entry of accepts[]
  required?: object //                                  changes to PAYMENT-REQUIRED
}

type Payload = Record<string, unknown>
export type Attested = { payload: Payload; signature: string; [name: string]: unknown }

export const SELLER_TX = `0x${'ab'.repeat(32)}`
export const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const PAY_TO = '0x00000000000000000000000000000000000000ee'
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The receipt of one sale, signed as the service does it. */
export function attest(key: KeyObject, payload: Payload): Attested {
  const bytes = Buffer.from(`service-receipt-v1|${canonicalize(payload)}`)
  return {
    attestationId: 'att-1',
    format: 'service-receipt-v1',
    algorithm: 'ed25519',
    keyId: 'key-1',
    payload,
    signature: sign(null, bytes, key).toString('base64'),
  }
}

/**
 * A seller that speaks the protocol, signs real receipts and settles nothing: for what a buyer has to
 * survive and a good service never does. Purchases from the real one are in purchase.test.ts.
 */
export async function startSeller(options: SellerOptions = {}): Promise<Seller> {
  const { script = ['sell'], amountAtomic = '1000', sku = 'SKU_AG_SPREAD_01' } = options
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const seller: Seller = {
    base: '',
    sku,
    payments: [],
    unpaid: 0,
    keyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const offer = {
    scheme: 'exact',
    network: 'eip155:8453',
    amount: amountAtomic,
    asset: USDC,
    payTo: PAY_TO,
    maxTimeoutSeconds: 300,
    extra: { name: 'USD Coin', version: '2' },
    ...options.offer,
  }

  const react = (reaction: Exclude<Reaction, 'sell'>, request: IncomingMessage, response: ServerResponse) => {
    if (reaction === 'cut') return request.socket.destroy()
    if (reaction === 'hang') return
    const { status, code, detail, headers = {}, body } = reaction
    response.writeHead(status, { 'content-type': 'application/problem+json', ...headers })
    response.end(body ?? JSON.stringify({ ok: false, code, detail }))
  }

  const sell = (header: string, path: string, response: ServerResponse) => {
    const { from } = JSON.parse(Buffer.from(header, 'base64').toString()).payload.authorization
    const result = options.result ?? { spread: { gapCents: 7, topic: 'Fed' } }
    const signed = attest(privateKey, {
      merchant: seller.base,
      sku,
      path,
      amountAtomic,
      asset: USDC,
      network: offer.network,
      payer: from,
      payTo: PAY_TO,
      transaction: SELLER_TX,
      responseHash: sha256(canonicalize(result)!),
    })
    const settled = { success: true, transaction: SELLER_TX, network: offer.network, payer: from }
    response.writeHead(200, { 'content-type': 'application/json', 'payment-response': base64(settled) })
    const paymentAttestation = options.forge?.(signed) ?? signed
    response.end(JSON.stringify({ ok: true, sku, result: { ...result, paymentAttestation } }))
  }

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://seller')
    if (pathname === '/.well-known/receipt-oracle.json') {
      const oracle = {
        format: 'service-receipt-v1',
        algorithm: 'ed25519',
        keyId: 'key-1',
        publicKeyPem: seller.keyPem,
      }
      return response.end(JSON.stringify(oracle))
    }
    if (!pathname.startsWith('/x402/v1/')) return response.writeHead(404).end('{}')
    const payment = request.headers['payment-signature']
    if (typeof payment === 'string') {
      const reaction = script[Math.min(seller.payments.length, script.length - 1)]!
      seller.payments.push(payment)
      return reaction === 'sell' ? sell(payment, pathname, response) : react(reaction, request, response)
    }
    seller.unpaid++
    if (options.unpaid !== undefined && options.unpaid !== 'sell')
      return react(options.unpaid, request, response)
    const required = {
      x402Version: 2,
      error: 'Payment required',
      resource: { url: `${seller.base}${pathname}` },
      accepts: [offer],
      ...options.required,
    }
    response.writeHead(402, { 'content-type': 'application/json', 'payment-required': base64(required) })
    response.end(JSON.stringify({ ...required, sku, mode: 'sandbox' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  seller.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return seller
}
