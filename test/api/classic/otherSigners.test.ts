import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { base58 } from '@scure/base'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeIntent } from '../../../api/classic/intent.ts'
import { readIntent } from '../../../api/classic/money.ts'
import { payerText } from '../../../api/classic/payerSignature.ts'
import { buyerDigest } from '../../../api/entitlements/credit.ts'
import { transfer } from '../../../ops/sandbox/solana/transaction.ts'
import { MINUTE } from '../../../ops/units.ts'
import { payerOf, type RailWorld, startRailWorld } from '../../support/railWorld.ts'
import { classicWorld } from './world.ts'

let rails: RailWorld
beforeAll(async () => {
  rails = await startRailWorld()
})
const world = classicWorld({
  rails: () => (['sol', 'btc'] as const).map((id) => rails.rails().find(id)!),
})
afterAll(() => rails?.stop())

const PACK = { sku: 'SKU_AG_HOUR_PASS_01' }
type Wallet = { address: string; privateKey: KeyObject }
function newWallet(): Wallet {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const x = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')
  return { address: base58.encode(x), privateKey }
}
const signed = (by: Wallet, intentId: string, txHash: string) =>
  base58.encode(sign(null, Buffer.from(payerText(intentId, txHash)), by.privateKey))
const open = (buyerId: string, paymentRail = 'sol') => world.open({ ...PACK, buyerId, paymentRail })
const send = (by: Wallet, to: string, lamports: bigint) =>
  rails.cluster.add(
    transfer({
      from: by.address,
      to,
      lamports: Number(lamports),
      nowMs: Date.now(),
      slot: rails.cluster.slot(),
    }),
  )

describe('CLS-07, CLS-08 another amount of SOL counts with an ed25519 signature of the account that sent it', () => {
  const mine = newWallet()
  const others = newWallet()

  test('the detail asks for what Solana wallets can make', async () => {
    const { intentId, amountAtomic, receiverAddress } = await open('sol-asks')
    const txHash = await send(mine, receiverAddress, BigInt(amountAtomic) / 2n)
    const said = await world.post('/fulfill', { intentId, buyerId: 'sol-asks', txHash })
    expect([said.status, said.json.code]).toEqual([409, 'transfer_mismatch'])
    expect(said.json.detail).toMatch(
      /payerSignature: ed25519, in base58, by the sending account over the text "intent /,
    )
    expect(said.json.detail).not.toContain('EIP-191')
  })

  test('more than asked for: delivered, the surplus is store credit', async () => {
    const buyerId = 'sol-more'
    const { intentId, amountAtomic, receiverAddress } = await open(buyerId)
    const txHash = await send(mine, receiverAddress, 2n * BigInt(amountAtomic))
    const payerSignature = signed(mine, intentId, txHash)
    const said = await world.post('/fulfill', { intentId, buyerId, txHash, payerSignature })
    expect(said.status, said.text).toBe(200)
    expect(said.json.result.purchase.overpaid.creditUsdc).toBeGreaterThan(0)
    expect(said.json.result.paymentAttestation.payload.payer).toBe(mine.address)
  })

  test('less than asked for: what is missing completes it, found by the same request', async () => {
    const buyerId = 'sol-less'
    const { intentId, amountAtomic, receiverAddress } = await open(buyerId)
    const txHash = await send(mine, receiverAddress, BigInt(amountAtomic) / 3n)
    const asked = { intentId, buyerId, txHash, payerSignature: signed(mine, intentId, txHash) }
    const short = await world.post('/fulfill', asked)
    expect([short.status, short.json.code]).toEqual([402, 'underpaid'])
    await send(mine, receiverAddress, BigInt(short.json.settlement.missing[0].amountAtomic))
    expect((await world.post('/fulfill', asked)).status).toBe(200)
  })

  test.each<[string, (intentId: string, txHash: string) => string]>([
    ['of another account', (intentId, txHash) => signed(others, intentId, txHash)],
    ['over another intent', (_, txHash) => signed(mine, 'pi_another', txHash)],
    ['over another transaction', (intentId) => signed(mine, intentId, 'another')],
    ['cut short', (intentId, txHash) => signed(mine, intentId, txHash).slice(0, -2)],
    ['that is no base58', () => '0OIl'],
    ['by EIP-191', () => `0x${'11'.repeat(65)}`],
  ])('a signature %s counts nothing', async (_, made) => {
    const buyerId = 'sol-wrong'
    const { intentId, amountAtomic, receiverAddress } = await open(buyerId)
    const txHash = await send(mine, receiverAddress, 3n * BigInt(amountAtomic))
    const asked = { intentId, buyerId, txHash, payerSignature: made(intentId, txHash) }
    expect((await world.post('/fulfill', asked)).json.code).toBe('transfer_mismatch')
    const payerSignature = signed(mine, intentId, txHash)
    expect((await world.post('/fulfill', { ...asked, payerSignature })).status).toBe(200)
  })
})

test('another amount of BTC: a person helps, and no signature is asked for', async () => {
  const buyerId = 'btc-twice'
  const { intentId, amountAtomic, receiverAddress } = await open(buyerId, 'btc')
  const txHash = await payerOf(rails, 'btc').pay(receiverAddress, 2n * BigInt(amountAtomic))
  const said = await world.post('/fulfill', { intentId, buyerId, txHash })
  expect([said.status, said.json.code]).toEqual([409, 'transfer_mismatch'])
  expect(said.json.detail).toContain('a person has to look into it')
  expect(said.text).not.toMatch(/payerSignature|EIP-191|two hours/)
  expect(said.json.next).toContain('/.well-known/security.txt')
})

test('CLS-03 another amount of BTC that was shown is nobody’s who then opens intents until one is over it', async () => {
  const buyerId = 'btc-less'
  const mine = await open(buyerId, 'btc')
  const atomic = 2n * BigInt(mine.amountAtomic) + 1n // nobody is asked for more than the price
  const txHash = await payerOf(rails, 'btc').pay(mine.receiverAddress, atomic)
  expect((await world.post('/fulfill', { intentId: mine.intentId, buyerId, txHash })).status).toBe(409)

  const thief = { buyerId: 'btc-thief', intentId: 'pi_btc-thief', paymentRail: 'btc', txHash }
  const { intent } = (await readIntent(world.nameOf(mine.intentId), world.ports))!
  const own = {
    ...intent,
    buyerDigest: buyerDigest(world.secret, thief.buyerId),
    opener: thief.buyerId,
    createdMs: world.nowMs,
    graceUntilMs: world.nowMs + 45 * MINUTE,
    quotes: intent.quotes.map((quote) => ({ ...quote, atomic })),
  }
  const amounts = [{ amount: `btc:${atomic}`, untilMs: world.nowMs + 90 * MINUTE, kinds: 1_000 }]
  const at = { graceUntilMs: own.graceUntilMs, buyer: thief.buyerId, amounts }
  expect(await world.intents.open(world.nameOf(thief.intentId), encodeIntent(own), at)).toBe('opened')
  const said = await world.post('/fulfill', thief)
  expect([said.status, said.json.code, said.json.detail]).toEqual([
    409,
    'transfer_mismatch',
    expect.stringContaining('older than the intent'),
  ])
})
