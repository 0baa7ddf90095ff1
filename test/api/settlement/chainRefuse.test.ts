import { describe, expect, test } from 'vitest'
import { createPaymentChain } from '../../../api/settlement/chain.ts'
import { refuseToken } from '../../../api/settlement/describeToken.ts'
import { tokenDomain } from '../../../api/settlement/typedData.ts'
import { chainWorld, quietLog } from './chainWorld.ts'
import { cancelCall, pay } from './payer.ts'
import { startRpcProxy } from './rpcProxy.ts'
import { DOMAIN, lower, nonce, TERMS, USDC } from './vectors.ts'

const world = chainWorld({ buyers: 40 })
describe('refuse: would the transfer succeed now', () => {
  test('a good payment passes and nothing moves', async () => {
    const before = await world.anvil.balance(world.anvil.receiver)
    expect(await world.chain.refuse(await pay(world.buyer, world.anvil.receiver))).toBeNull()
    expect(await world.anvil.balance(world.anvil.receiver)).toBe(before)
  })

  test.each<[string, Parameters<typeof pay>[2], string]>([
    ['more than the balance', { value: 10n ** 15n }, 'insufficient_funds'],
    ['expired in 1970', { validBefore: 1n }, 'expired'],
    ['valid next year', { validAfter: BigInt(Math.floor(Date.now() / 1000)) + 31_536_000n }, 'not_yet_valid'],
  ])('%s: %s', async (_, over, refusal) => {
    expect(await world.chain.refuse(await pay(world.buyer, world.anvil.receiver, over))).toBe(refusal)
  })

  test('a used and a cancelled nonce: nonce_used', async () => {
    const [used, cancelled] = [
      await pay(world.buyer, world.anvil.receiver),
      await pay(world.buyer, world.anvil.receiver),
    ]
    await world.submit(used)
    await world.anvil.send(
      world.stranger,
      world.anvil.usdc,
      await cancelCall(world.buyer, cancelled.authorization.nonce),
    )
    expect(await world.chain.refuse(used)).toBe('nonce_used')
    expect(await world.chain.refuse(cancelled)).toBe('nonce_used')
  })

  test('SIG-10: a signature by another key or for other terms: bad_signature', async () => {
    const good = await pay(world.buyer, world.anvil.receiver)
    const bent = { ...good, signer: 'contract', authorization: { ...good.authorization, value: 1n } } as const
    expect(await world.chain.refuse(bent)).toBe('bad_signature')
  })

  test('SIG-09: a blocked payer, and a paused token', async () => {
    const blocked = world.anvil.buyers[2]!
    await world.anvil.administer('blacklist', blocked.address)
    expect(await world.chain.refuse(await pay(blocked, world.anvil.receiver))).toBe('blocked_party')
    await world.anvil.administer('pause')
    expect(await world.chain.refuse(await pay(world.buyer, world.anvil.receiver))).toBe('token_paused')
    await world.anvil.administer('unpause')
    expect(await world.chain.refuse(await pay(world.buyer, world.anvil.receiver))).toBeNull()
  })
})

describe('SIG-09 refuseReceiver: whether the token lets us be paid at all', () => {
  const refused = () => world.chain.refuseReceiver(USDC, world.anvil.receiver)

  test('it does; and what is wrong with one payer is none of it', async () => {
    await world.anvil.administer('blacklist', world.anvil.buyers[3]!.address)
    expect(await refused()).toBeNull()
  })

  test('our account is blocked; everything is paused; and each lifted again', async () => {
    await world.anvil.administer('blacklist', world.anvil.receiver)
    expect(await refused()).toBe('blocked_party')
    await world.anvil.administer('unBlacklist', world.anvil.receiver)
    expect(await refused()).toBeNull()
    await world.anvil.administer('pause')
    expect(await refused()).toBe('token_paused')
    await world.anvil.administer('unpause')
    expect(await refused()).toBeNull()
  })
})

describe('refuse: many at once', () => {
  test('each gets its own answer, whoever its neighbours are', async () => {
    const payments = await Promise.all(
      world.anvil.buyers
        .slice(5)
        .map((key, index) => pay(key, world.anvil.receiver, { value: index % 3 === 0 ? 10n ** 15n : 1n })),
    )
    const answers = await Promise.all(payments.map((payment) => world.chain.refuse(payment)))
    expect(answers).toEqual(payments.map((_, index) => (index % 3 === 0 ? 'insufficient_funds' : null)))
  })

  test('RPL-02: 64 copies of one payment all pass, and ask once: none is used by another', async () => {
    const counted = await startRpcProxy(world.anvil.rpcUrl)
    const through = createPaymentChain({ rpcUrl: counted.url, log: quietLog })
    const payment = await pay(world.buyer, world.anvil.receiver)
    const copies = Array.from({ length: 64 }, () => through.refuse({ ...payment }))
    expect(new Set(await Promise.all(copies))).toEqual(new Set([null]))
    expect(counted.count()).toBe(2)
    await through.close()
    await counted.close()
  })

  test('RPL-11: two payments with one nonce both pass: the claim decides, not the order of the question', async () => {
    const one = nonce()
    const twins = [
      await pay(world.buyer, world.anvil.receiver, { nonce: one }),
      await pay(world.buyer, world.anvil.receiver, { nonce: one, value: 2n }),
    ]
    expect(await Promise.all(twins.map((payment) => world.chain.refuse(payment)))).toEqual([null, null])
  })

  test('one call carries a group, not one call a payment', async () => {
    const counted = await startRpcProxy(world.anvil.rpcUrl)
    const through = createPaymentChain({ rpcUrl: counted.url, log: quietLog })
    const payments = await Promise.all(
      world.anvil.buyers.slice(5).map((key) => pay(key, world.anvil.receiver)),
    )
    await Promise.all(payments.map((payment) => through.refuse(payment)))
    expect(counted.count()).toBe(2) //  which payers have code, and the simulation
    await through.close()
    await counted.close()
  })
})

describe('x402-v2 6, item 12: the token is the one we are configured for', () => {
  test('the test chain agrees', async () => {
    expect(refuseToken(await world.chain.describeToken(USDC), DOMAIN)).toEqual([])
  })

  test.each([
    ['name', { name: 'USDC' }],
    ['version', { version: '1' }],
    ['chain', { chainId: 84532 }],
  ])('another %s is named', async (_, over) => {
    const problems = refuseToken(await world.chain.describeToken(USDC), tokenDomain({ ...TERMS, ...over }))
    expect(problems.length).toBe(2) //  the field itself, and the domain separator
  })

  test('an address without the token', async () => {
    const [empty, other] = [lower(`0x${'0c'.repeat(20)}`), lower(world.anvil.multicall3)]
    expect(refuseToken(await world.chain.describeToken(empty), DOMAIN).join()).toMatch(/no code/)
    expect(refuseToken(await world.chain.describeToken(other), DOMAIN).join()).toMatch(/name\(\) is null/)
  })
})
