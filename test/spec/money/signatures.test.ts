import { type Hex, parseSignature, serializeSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  get,
  headerOf,
  type Offer,
  offerOf,
  paid,
  payloadOf,
  payment,
  signTransfer,
  termsFor,
} from '../../support/buyer.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { type Service, startService } from '../../support/service.ts'

const PING = '/x402/v1/ping'
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const word = (value: bigint): string => value.toString(16).padStart(64, '0')

let chain: TestChain
let service: Service
let base: string
let offer: Offer
let factory: Hex
beforeAll(async () => {
  chain = await startTestChain()
  factory = await chain.deployFactory()
  service = await startService({ chain, processes: 1, env: { EIP6492_FACTORIES: factory } })
  base = service.bases[0]!
  offer = await offerOf(base, PING)
})
afterAll(async () => {
  await service?.stop()
  await chain?.stop()
})

const send = (signed: Parameters<typeof payloadOf>[1], signature: Hex) =>
  get(`${base}${PING}`, paid(headerOf(payloadOf(offer, signed, signature))))

/** Nothing may move, and the process must live on. */
async function movesNothing(ask: () => ReturnType<typeof get>) {
  const before = await chain.balance(chain.receiver)
  const answer = await ask()
  expect(await chain.balance(chain.receiver)).toBe(before)
  expect([400, 402]).toContain(answer.status)
  expect((await get(`${base}${PING}`)).status).toBe(402)
  return answer
}

describe('SIG-01, SIG-02 other spellings of a good signature: normalised or refused, never delivered unpaid', () => {
  const forms: [string, (signature: Hex) => Hex][] = [
    [
      'high s with flipped v',
      (signature) => {
        const { r, s, v } = parseSignature(signature)
        return serializeSignature({ r, s: `0x${word(ORDER - BigInt(s))}`, v: v === 27n ? 28n : 27n })
      },
    ],
    ['v 0 or 1', (signature) => `${signature.slice(0, -2)}${signature.endsWith('1b') ? '00' : '01'}` as Hex],
    [
      'EIP-2098, 64 bytes',
      (signature) => {
        const { r, s, yParity } = parseSignature(signature)
        return `${r}${word(BigInt(s) | (BigInt(yParity) << 255n))}` as Hex
      },
    ],
    ['upper-case hex', (signature) => `0x${signature.slice(2).toUpperCase()}`],
  ]
  test.each(forms)('%s', async (_, spell) => {
    const { signed, signature } = await payment(offer, chain.buyers[0]!)
    const before = await chain.balance(chain.receiver)
    const answer = await send(signed, spell(signature))
    const moved = (await chain.balance(chain.receiver)) - before
    expect([answer.status, moved]).toEqual(answer.status === 200 ? [200, 10_000n] : [answer.status, 0n])
    expect([200, 400, 402]).toContain(answer.status)
  })
})

describe('SIG-02, SIG-03 signatures that are none', () => {
  test.each<[string, (signature: string) => string]>([
    ['v 29', (signature) => `${signature.slice(0, -2)}1d`],
    ['v 35', (signature) => `${signature.slice(0, -2)}23`],
    ['66 bytes', (signature) => `${signature}00`],
    ['63 bytes', (signature) => signature.slice(0, -4)], // 64 are EIP-2098 and may be good
    ['odd hex', (signature) => signature.slice(0, -1)],
    ['no 0x', (signature) => signature.slice(2)],
    ['empty', () => '0x'],
    ['r = 0', (signature) => `0x${word(0n)}${signature.slice(66)}`],
    ['s = 0', (signature) => `${signature.slice(0, 66)}${word(0n)}1b`],
    ['r = n', (signature) => `0x${word(ORDER)}${signature.slice(66)}`],
    ['all ff', () => `0x${'ff'.repeat(65)}`],
    ['all 00', () => `0x${'00'.repeat(65)}`],
  ])('%s', async (_, spoil) => {
    const { signed, signature } = await payment(offer, chain.buyers[0]!)
    await movesNothing(() => send(signed, spoil(signature) as Hex))
  })

  test('from the zero address with a signature that recovers to nothing', async () => {
    const { signed, signature } = await payment(offer, chain.buyers[0]!)
    await movesNothing(() =>
      send({ ...signed, from: `0x${'00'.repeat(20)}` }, `0x${word(0n)}${signature.slice(66)}` as Hex),
    )
  })

  test('another buyer’s signature', async () => {
    const [victim, thief] = chain.buyers
    const signed = termsFor(offer, victim!.address)
    const signature = await signTransfer(thief!.privateKey, offer, signed)
    const answer = await movesNothing(() => send(signed, signature))
    expect(answer.json.code).toBe('bad_signature')
  })

  test.each([
    ['chain', { chainId: 1 }],
    ['version', { version: '1' }],
    ['contract', { verifyingContract: `0x${'12'.repeat(20)}` }],
  ])('SIG-10 the right key, the wrong %s', async (_, domain) => {
    const buyer = chain.buyers[0]!
    const signed = termsFor(offer, buyer.address)
    await movesNothing(async () => send(signed, await signTransfer(buyer.privateKey, offer, signed, domain)))
  })
})

describe('SIG-04 deployed contract wallets', () => {
  const owner = () => privateKeyToAccount(chain.buyers[0]!.privateKey)
  const walletPayment = async (wallet: Hex) => {
    const signed = termsFor(offer, wallet)
    return { signed, signature: `${await signTransfer(chain.buyers[0]!.privateKey, offer, signed)}00` as Hex }
  }

  test('one that its owner signed for pays', async () => {
    const wallet = await chain.deploy1271(owner().address, 'always')
    await chain.mint(wallet, 1_000_000n)
    const { signed, signature } = await walletPayment(wallet)
    const before = await chain.balance(chain.receiver)
    const answer = await send(signed, signature)
    expect(answer.status).toBe(200)
    expect((await chain.balance(chain.receiver)) - before).toBe(10_000n)
  })

  test.each(['reverts', 'burns', 'megabyte'] as const)('one that %s delivers nothing', async (mode) => {
    const wallet = await chain.deploy1271(owner().address, mode)
    await chain.mint(wallet, 1_000_000n)
    const { signed, signature } = await walletPayment(wallet)
    await movesNothing(() => send(signed, signature))
  })

  test('one that says yes when asked and no when settled gets nothing', async () => {
    const wallet = await chain.deploy1271(owner().address, 'flips')
    await chain.mint(wallet, 1_000_000n)
    const { signed, signature } = await walletPayment(wallet)
    const before = await chain.balance(chain.receiver)
    const answer = await send(signed, signature)
    const moved = (await chain.balance(chain.receiver)) - before
    expect(answer.status === 200).toBe(moved === 10_000n)
    if (answer.status !== 200) expect(moved).toBe(0n)
  })
})

describe('SIG-05, SIG-06 wallets that are not deployed yet', () => {
  const salt: Hex = `0x${'07'.repeat(32)}`
  const inner = (signed: Parameters<typeof signTransfer>[2]) =>
    signTransfer(chain.buyers[0]!.privateKey, offer, signed)

  test('by a factory that is not allowed: refused, nothing is called', async () => {
    const stranger = await chain.deployFactory()
    const made = await chain.counterfactual(stranger, chain.buyers[0]!.address, salt)
    await chain.mint(made.wallet, 1_000_000n)
    const signed = termsFor(offer, made.wallet)
    const answer = await movesNothing(async () => send(signed, made.wrap(await inner(signed))))
    expect(answer.json.code).toBe('wallet_not_supported')
    expect(await chain.clients.reads.getCode({ address: made.wallet })).toBeUndefined()
  })

  test.each(['the token', 'our own settler'])('factory = %s: refused', async (which) => {
    const target = which === 'the token' ? chain.usdc : chain.accounts.settler.address
    const made = await chain.counterfactual(factory, chain.buyers[0]!.address, salt)
    const signed = termsFor(offer, made.wallet)
    const wrapped = made
      .wrap(await inner(signed))
      .replace(factory.slice(2).toLowerCase(), target.slice(2).toLowerCase()) as Hex
    const answer = await movesNothing(() => send(signed, wrapped))
    expect(answer.json.code).toBe('wallet_not_supported')
  })

  test.each(['01', '04', '0a'])('SIG-06 from = precompile 0x%s', async (last) => {
    const signed = termsFor(offer, `0x${'00'.repeat(19)}${last}`)
    const made = await chain.counterfactual(factory, chain.buyers[0]!.address, salt)
    await movesNothing(async () => send(signed, made.wrap(await inner(signed))))
    await movesNothing(async () => send(signed, await inner(signed)))
  })

  test('I5 its factory is listed no more: what it has bought stays its own, and it buys nothing new', async () => {
    const made = await chain.counterfactual(factory, chain.buyers[0]!.address, `0x${'09'.repeat(32)}`)
    await chain.mint(made.wallet, 1_000_000n)
    const [first, second] = [termsFor(offer, made.wallet), termsFor(offer, made.wallet)]
    const bought = made.wrap(await inner(first))
    const answer = await send(first, bought)
    expect(answer.status, answer.text).toBe(200)
    await service.restartApi(0, { EIP6492_FACTORIES: '' })
    const again = await send(first, bought)
    const refused = await movesNothing(async () => send(second, made.wrap(await inner(second))))
    expect([again.status, again.text]).toEqual([200, answer.text])
    expect(refused.json.code).toBe('wallet_not_supported')
  })
})
