import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

export type Answer = {
  status: number
  header(name: string): string | null
  headerNames: string[] // in lower case
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any
}

/** One GET. Without headers nothing is paid, so it is sent once more if it fails: the kept connection may be gone. */
export async function get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  const ask = () => fetch(url, { headers })
  const response = await (Object.keys(headers).length === 0 ? ask().catch(ask) : ask())
  const text = await response.text()
  return {
    status: response.status,
    header: (name) => response.headers.get(name),
    headerNames: [...response.headers.keys()],
    text,
    get json() {
      return JSON.parse(text)
    },
  }
}

/** One request exactly as given: path and headers are not normalised on the way. */
export function rawRequest(
  base: string,
  {
    path,
    method = 'GET',
    headers = {},
    body = '',
    localAddress,
  }: {
    path: string
    method?: string
    headers?: Record<string, string>
    body?: string
    /** The address the call comes from; any of 127.0.0.0/8. */
    localAddress?: string
  },
): Promise<Answer> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const options = { hostname, port, path, method, headers, localAddress, agent: false }
    const call = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          header: (name) => (response.headers[name] as string | undefined) ?? null,
          headerNames: Object.keys(response.headers),
          text,
          get json() {
            return JSON.parse(text)
          },
        }),
      )
    })
    call.on('error', reject)
    call.end(body)
  })
}

export type Offer = {
  scheme: string
  network: string
  amount: string
  asset: Hex
  payTo: Hex
  maxTimeoutSeconds: number
  extra: { name: string; version: string; redemption?: string }
}

/** The offer of a path, as its 402 states it. */
export async function offerOf(base: string, path: string): Promise<Offer> {
  const unpaid = await get(`${base}${path}`)
  if (unpaid.status !== 402) throw new Error(`expected 402, got ${unpaid.status}: ${unpaid.text}`)
  return JSON.parse(Buffer.from(unpaid.header('payment-required')!, 'base64').toString()).accepts[0]
}

export type Signed = {
  from: Hex
  to: Hex
  value: bigint
  validAfter: bigint
  validBefore: bigint
  nonce: Hex
}

export const freshNonce = (): Hex => `0x${randomBytes(32).toString('hex')}`
export const nowS = (): bigint => BigInt(Math.floor(Date.now() / 1000))

/** The terms that an honest buyer signs for an offer. */
export const termsFor = (offer: Offer, from: Hex): Signed => ({
  from,
  to: offer.payTo,
  value: BigInt(offer.amount),
  validAfter: 0n,
  validBefore: nowS() + BigInt(offer.maxTimeoutSeconds),
  nonce: freshNonce(),
})

export function signTransfer(key: Hex, offer: Offer, message: Signed, domain: object = {}): Promise<Hex> {
  return privateKeyToAccount(key).signTypedData({
    domain: {
      ...offer.extra,
      chainId: Number(offer.network.replace('eip155:', '')),
      verifyingContract: offer.asset,
      ...domain,
    },
    primaryType: 'TransferWithAuthorization',
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    message,
  })
}

export function payloadOf(offer: object, signed: Signed, signature: Hex) {
  return {
    x402Version: 2,
    accepted: offer,
    payload: {
      signature,
      authorization: {
        from: signed.from,
        to: signed.to,
        value: signed.value.toString(),
        validAfter: signed.validAfter.toString(),
        validBefore: signed.validBefore.toString(),
        nonce: signed.nonce,
      },
    },
  }
}

export const headerOf = (payload: unknown): string => Buffer.from(JSON.stringify(payload)).toString('base64')

/** A complete, good payment header. @param change overrides some of the signed terms. */
export async function payment(
  offer: Offer,
  buyer: { address: Hex; privateKey: Hex },
  change: Partial<Signed> = {},
  domain: object = {},
): Promise<{ header: string; signed: Signed; signature: Hex }> {
  const signed = { ...termsFor(offer, buyer.address), ...change }
  const signature = await signTransfer(buyer.privateKey, offer, signed, domain)
  return { header: headerOf(payloadOf(offer, signed, signature)), signed, signature }
}

export const paid = (header: string) => ({ 'payment-signature': header })
