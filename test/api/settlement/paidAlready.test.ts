import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { NAMED_MAX_BYTES } from '../../../api/settlement/namedBytes.ts'
import { paidAlready } from '../../../api/settlement/paidAlready.ts'
import type {
  AuthorizationFate,
  Payment,
  PaymentChain,
  UsedAuthorization,
} from '../../../api/settlement/port.ts'
import { TooMuchError } from '../../../api/settlement/rpc.ts'
import type { WalletMode } from '../../support/chain.ts'
import { somePayment } from '../../support/ledger.ts'
import { chainWorld } from './chainWorld.ts'
import { pay } from './payer.ts'
import { lower, nonce } from './vectors.ts'

const world = chainWorld({ buyers: 4 })
const GARBAGE: Hex = `0x${'5a'.repeat(64)}1b`
const unsigned = (payment: Payment): Payment => ({ ...payment, signature: GARBAGE, signer: 'contract' })

describe('SIG, I4: who signed is proven whatever the nonce is', () => {
  test('a key: as it was recovered; anything else over its account: nobody', async () => {
    const payment = await pay(world.buyer, world.anvil.receiver)
    await world.submit(payment)
    expect(await world.chain.isSigned(payment)).toBe(true)
    expect(await world.chain.isSigned(unsigned(payment))).toBe(false)
    const wrapped: Hex = `0x${'00'.repeat(200)}${'6492'.repeat(16)}`
    expect(await world.chain.isSigned({ ...payment, signature: wrapped, signer: 'undeployed' })).toBe(false)
  })

  test.each<[WalletMode, boolean]>([
    ['owner', true],
    ['always', true], //     its own affair
    ['burns', false],
    ['megabyte', false],
    ['reverts', false],
  ])('a wallet in mode %s that its owner signed for: %s', async (mode, isSigned) => {
    const wallet = lower(await world.anvil.deploy1271(lower(world.buyer.address), mode))
    const payment = await pay(world.buyer, world.anvil.receiver, { from: wallet })
    expect(payment.signer).toBe('contract')
    expect(await world.chain.isSigned(payment)).toBe(isSigned)
  })

  test('a wallet that its owner signed other terms for, or with bytes that nobody signed', async () => {
    const wallet = lower(await world.anvil.deploy1271(lower(world.buyer.address)))
    const payment = await pay(world.buyer, world.anvil.receiver, { from: wallet })
    const { authorization } = payment
    const validBefore = authorization.validBefore - 1n
    expect(await world.chain.isSigned(payment)).toBe(true)
    expect(await world.chain.isSigned({ ...payment, authorization: { ...authorization, validBefore } })).toBe(
      false,
    )
    expect(await world.chain.isSigned(unsigned(payment))).toBe(false)
  })

  test('SIG-05 a wallet that its factory has deployed meanwhile; not deployed, nobody can say', async () => {
    const factory = lower(await world.anvil.deployFactory())
    const { wallet, wrap, factoryData } = await world.anvil.counterfactual(
      factory,
      lower(world.buyer.address),
      nonce(),
    )
    const options = { wrap, factories: new Set([factory]) }
    const payment = await pay(world.buyer, world.anvil.receiver, { from: lower(wallet) }, options)
    expect(await world.chain.isSigned(payment)).toBe(false)
    await world.anvil.send(world.stranger, factory, factoryData)
    expect(await world.chain.isSigned(payment)).toBe(true)
  })
})

describe('RPL-13 a use of the nonce is this payment when it is over its terms, inside its window', () => {
  const { authorization, ...rest } = somePayment(7)
  const payment: Payment = {
    ...rest,
    authorization: { ...authorization, validAfter: 100n, validBefore: 200n },
  }
  const at = (blockS: number, over: Partial<UsedAuthorization> = {}): AuthorizationFate => ({
    kind: 'used',
    to: authorization.to,
    value: authorization.value,
    tx: '0xaa',
    logIndex: 3,
    blockIndex: 9,
    blockNumber: 5n,
    blockMs: blockS * 1_000,
    ...over,
  })
  const chain = (fate: AuthorizationFate, isSigned = true) => ({
    isSigned: async () => isSigned,
    fate: async () => fate,
  })

  test.each<[string, AuthorizationFate, boolean]>([
    ['in its first second', at(101), true],
    ['at validAfter, which the token refuses', at(100), false],
    ['in its last second', at(199), true],
    ['at validBefore, which the token refuses', at(200), false],
    ['to somebody else', at(150, { to: `0x${'99'.repeat(20)}` }), false],
    ['one micro-USDC less', at(150, { value: authorization.value - 1n }), false],
    ['one micro-USDC more', at(150, { value: authorization.value + 1n }), false],
    ['cancelled', { kind: 'cancelled', tx: '0xaa' }, false],
    ['hours before', { kind: 'earlier', blockNumber: 5n, blockMs: 150_000 }, false],
  ])('%s', async (_, fate, isPaid) => {
    const { kind: _kind, to: _to, value: _value, ...settled } = fate as UsedAuthorization
    expect(await paidAlready(payment, chain(fate), 0)).toEqual(isPaid ? settled : null)
  })

  test('I5 the chain shows no use of it yet: not known, which is no refusal', async () => {
    const unused: AuthorizationFate = { kind: 'unused', blockNumber: 5n, blockMs: 150_000 }
    await expect(paidAlready(payment, chain(unused), 0)).rejects.toMatchObject({ code: 'chain_unavailable' })
  })

  test('RPL-18 the transaction is read as far as one that anybody has named: he chose it', async () => {
    let most: number | undefined
    const asked = {
      ...chain(at(150)),
      fate: async (...of: Parameters<PaymentChain['fate']>) => {
        most = of[4]
        return at(150)
      },
    }
    await paidAlready(payment, asked, 0)
    expect(most).toBe(NAMED_MAX_BYTES)
  })

  test('RPL-18 what is too much to be read is not read again at once; other payments are', async () => {
    let reads = 0
    const huge = {
      ...chain(at(150)),
      fate: async () => {
        reads++
        throw new TooMuchError('body_too_large')
      },
    }
    const fresh = () => ({ ...payment, authorization: { ...payment.authorization, nonce: nonce() } })
    const [one, other] = [fresh(), fresh()]
    for (const of of [one, one, other, other])
      await expect(paidAlready(of, huge, 0)).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(reads).toBe(2)
  })

  test('without a proven signature nobody asks what became of it', async () => {
    const never = { isSigned: async () => false, fate: () => Promise.reject(new Error('asked')) }
    expect(await paidAlready(payment, never, 0)).toBeNull()
  })

  test('32 are asked about at once, the next is told to come again', async () => {
    let open = () => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const slow = { isSigned: () => opened.then(() => true), fate: async () => at(150) }
    const waiting = Array.from({ length: 32 }, () => paidAlready(payment, slow, 0))
    await expect(paidAlready(payment, slow, 0)).rejects.toMatchObject({ code: 'chain_unavailable' })
    open()
    expect((await Promise.all(waiting)).every((settled) => settled !== null)).toBe(true)
    expect(await paidAlready(payment, slow, 0)).not.toBeNull()
  })
})
