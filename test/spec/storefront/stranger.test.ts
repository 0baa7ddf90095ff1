import { createPublicKey, verify } from 'node:crypto'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import canonicalize from 'canonicalize'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type World } from './world.ts'

let world: World
let base: string
beforeAll(async () => {
  world = await startWorld()
  base = world.base
})
afterAll(() => world?.stop())

// biome-ignore lint/suspicious/noExplicitAny: a stranger knows no shapes
type Json = any

/**
 * An agent that has only a base URL, a wallet and the stock client. Nothing of this service's code is used: every address
 * and name comes out of what it reads.
 */
async function stranger(baseUrl: string, payingFetch: typeof fetch, wish: RegExp) {
  const text = async (url: string) => (await fetch(url)).text()
  const json = async (url: string): Promise<Json> => JSON.parse(await text(url))

  const llms = await text(`${baseUrl}/llms.txt`)
  const links = new Map(
    [...llms.matchAll(/\[([^\]]+)\]\((http[^)]+)\)/g)].map(([, name, url]) => [name, url]),
  )
  const listing = await json(links.get('Services')!)
  const [good] = listing.services
    .filter(({ description }: Json) => wish.test(description))
    .sort((a: Json, b: Json) => a.priceUsdc - b.priceUsdc)
  const query = new URLSearchParams(
    good.parameters.filter((p: Json) => p.in === 'query').map((p: Json) => [p.name, p.example]),
  )
  const url = query.size === 0 ? good.url : `${good.url}?${query}`
  const answer = await payingFetch(url)
  const body: Json = await answer.json()

  const receipt = body.result?.paymentAttestation
  const oracle = await json(links.get('Receipt keys')!)
  const key = oracle.keys.find(({ keyId }: Json) => keyId === receipt.keyId)
  const signedText = `${receipt.format}|${canonicalize(receipt.payload)}`
  const offline = verify(
    null,
    Buffer.from(signedText),
    createPublicKey(key.publicKeyPem),
    Buffer.from(receipt.signature, 'base64'),
  )
  const online = await json(oracle.verify.get.replace('{attestationId}', receipt.attestationId))
  return { good, answer, body, receipt, offline, online }
}

const clientOf = (nth: number) =>
  x402Client.fromConfig({
    schemes: [
      {
        network: 'eip155:8453',
        client: new ExactEvmScheme(privateKeyToAccount(world.chain.buyers[nth]!.privateKey)),
      },
    ],
  })
const received = () => world.chain.balance(world.chain.receiver)

describe('an agent that has never heard of us, with a base URL, a wallet and the stock client', () => {
  test('finds a read by /llms.txt and the listing, buys it, and verifies its receipt by published keys and by the oracle', async () => {
    const before = await received()
    const { good, answer, body, receipt, offline, online } = await stranger(
      base,
      wrapFetchWithPayment(fetch, clientOf(0)),
      /exact yes prices/i,
    )
    expect(good.path).toBe('/x402/v1/spread')
    expect(answer.status).toBe(200)
    expect(body).toMatchObject({ ok: true, sku: good.sku, result: { spread: { found: true } } })
    expect((await received()) - before).toBe(BigInt(good.amount))
    expect(receipt.payload).toMatchObject({ sku: good.sku, amountAtomic: good.amount, payTo: good.payTo })
    expect(offline).toBe(true)
    expect(online).toMatchObject({ ok: true, valid: true, kind: 'payment_receipt' })
  })

  test('whose reply is lost sends the same payment again, as /skill.md says: the same answer, charged once', async () => {
    const skill = await (await fetch(`${base}/skill.md`)).text()
    expect(skill).toMatch(/same request with the same \$PAYMENT again/)
    const before = await received()
    let sent: Request | undefined
    let lost: string | undefined
    /** The network eats the reply to the first paid request. */
    const lossy: typeof fetch = async (input, init) => {
      const request = new Request(input, init)
      if (!request.headers.has('payment-signature')) return fetch(request)
      sent = request.clone()
      lost = await (await fetch(request)).text()
      throw new TypeError('fetch failed')
    }
    await expect(stranger(base, wrapFetchWithPayment(lossy, clientOf(1)), /broken json/i)).rejects.toThrow()
    const resumed = await fetch(sent!)
    expect(resumed.status).toBe(200)
    expect(await resumed.text()).toBe(lost)
    expect(JSON.parse(lost!).sku).toBe('SKU_AG_JSON_01')
    expect((await received()) - before).toBe(1_000n)
  })

  test('a changed receipt is refused by the key and by the oracle', async () => {
    const { receipt } = await stranger(base, wrapFetchWithPayment(fetch, clientOf(2)), /exact yes prices/i)
    const payload = { ...receipt.payload, amount: '1' }
    const { url, method } = { url: `${base}/api/receipt-oracle/verify`, method: 'POST' }
    const asked = await fetch(url, {
      method,
      body: JSON.stringify({ payload, signature: receipt.signature }),
    })
    expect(await asked.json()).toMatchObject({ ok: false, valid: false, reason: 'bad_signature' })
  })
})

describe('an agent with a base URL and nothing else, not even a wallet', () => {
  test('in a sandbox /skill.md leads from the price to the receipt, step by step', async () => {
    const skill = await (await fetch(`${base}/skill.md`)).text()
    const [, path, price] = /^\| (\S+) \| (\S+) \| q \| [^|]* \| JSON repair \|$/m.exec(skill)!
    const url = `${base}${path}?q=${encodeURIComponent("{'a': 1,}")}`
    const before = await received()

    const unpaid = await fetch(url)
    expect(unpaid.status).toBe(402)
    const decoded = (header: string | null): Json => JSON.parse(Buffer.from(header!, 'base64').toString())
    const { resource, accepts, extensions } = decoded(unpaid.headers.get('payment-required'))
    expect(Number(accepts[0].amount)).toBe(Number(price) * 1e6)

    const [, signer] = /POST {"accepted": accepts\[0\]} to (\S+),/.exec(skill)!
    const body = JSON.stringify({ accepted: accepts[0] })
    const headers = { 'content-type': 'application/json' }
    const { payload }: Json = await (await fetch(signer!, { method: 'POST', headers, body })).json()
    const payment = { x402Version: 2, resource, accepted: accepts[0], payload, extensions }
    const paying = { 'PAYMENT-SIGNATURE': Buffer.from(JSON.stringify(payment)).toString('base64') }

    const answer = await fetch(url, { headers: paying })
    const text = await answer.text()
    expect([answer.status, JSON.parse(text).result.json.value]).toEqual([200, { a: 1 }])
    expect(decoded(answer.headers.get('payment-response'))).toMatchObject({ success: true })
    expect(await (await fetch(url, { headers: paying })).text()).toBe(text)
    expect((await received()) - before).toBe(BigInt(accepts[0].amount))

    const [, verifyUrl] = /`curl "(\S+)\$ATTESTATION_ID"`/.exec(skill)!
    const { attestationId } = JSON.parse(text).result.paymentAttestation
    expect(await (await fetch(`${verifyUrl}${attestationId}`)).json()).toMatchObject({
      ok: true,
      valid: true,
    })
  })
})
