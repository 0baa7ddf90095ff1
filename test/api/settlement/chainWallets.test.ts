import { encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createRpc } from '../../../api/settlement/rpc.ts'
import { simulateLone } from '../../../api/settlement/simulate.ts'
import { TOKEN_ABI } from '../../../ops/sandbox/chain/tokenAbi.ts'
import type { TestChain, WalletMode } from '../../support/chain.ts'
import { chainWorld } from './chainWorld.ts'
import { pay } from './payer.ts'
import { lower, nonce, USDC } from './vectors.ts'

const world = chainWorld({ buyers: 40 })
describe('refuse: smart wallets', () => {
  const payFrom = async (wallet: Hex, value = 10_000n) => {
    await world.anvil.mint(wallet, 1_000_000n)
    return pay(world.buyer, world.anvil.receiver, { from: lower(wallet), value })
  }

  test.each<[WalletMode, string | null]>([
    ['owner', null],
    ['always', null],
    ['burns', 'wallet_not_supported'], //    SIG-04: all the gas it is given
    ['megabyte', 'wallet_not_supported'], // SIG-04: a megabyte behind the right answer
    ['reverts', 'bad_signature'],
  ])('a deployed wallet in mode %s: %s', async (mode, refusal) => {
    const payment = await payFrom(await world.anvil.deploy1271(lower(world.buyer.address), mode))
    expect(payment.signer).toBe('contract')
    const found = await world.chain.refuse(payment)
    expect(
      refusal === 'wallet_not_supported' ? ['wallet_not_supported', 'bad_signature'] : [refusal],
    ).toContain(found)
  })

  test('SIG-07: a key’s account that delegates to code is judged by that code, with a clear reason', async () => {
    const [delegated, alone] = [world.anvil.buyers[3]!, world.anvil.buyers[4]!]
    const strict = await world.anvil.deploy1271(lower(world.buyer.address))
    const lenient = await world.anvil.deploy1271(lower(alone.address))
    await delegate(delegated, strict)
    await delegate(alone, lenient)
    expect(await world.chain.refuse(await pay(delegated, world.anvil.receiver))).toBe('wallet_not_supported')
    expect(await world.chain.refuse(await pay(alone, world.anvil.receiver))).toBe(null)
  })

  test('SIG-04: a delegated account that burns the gas does not spoil its neighbours', async () => {
    const burner = world.anvil.buyers[5]!
    const wallet = await world.anvil.deploy1271(lower(world.buyer.address), 'burns')
    await world.anvil.clients.node.setCode({
      address: burner.address,
      bytecode: (await world.anvil.clients.reads.getCode({ address: wallet }))!,
    })
    await world.anvil.clients.node.setStorageAt({
      address: burner.address,
      index: 0,
      value: `0x${'03'.padStart(64, '0')}`,
    })
    const payments = await Promise.all(
      [burner, ...world.anvil.buyers.slice(6)].map((key) => pay(key, world.anvil.receiver)),
    )
    expect(payments[0]!.signer).toBe('ecdsa')
    const [first, ...others] = await Promise.all(payments.map((payment) => world.chain.refuse(payment)))
    expect(first).toBe('wallet_not_supported')
    expect(new Set(others)).toEqual(new Set([null]))
  })

  test('SIG-05: a wallet its factory would deploy, not yet and meanwhile deployed', async () => {
    const factory = lower(await world.anvil.deployFactory())
    const { wallet, wrap, factoryData } = await world.anvil.counterfactual(
      factory,
      lower(world.buyer.address),
      nonce(),
    )
    await world.anvil.mint(wallet, 1_000_000n)
    const options = { wrap, factories: new Set([factory]) }
    const payment = await pay(world.buyer, world.anvil.receiver, { from: lower(wallet) }, options)
    expect(payment.signer).toBe('undeployed')
    expect(await world.chain.refuse(payment)).toBeNull()
    expect(await world.anvil.clients.reads.getCode({ address: wallet })).toBeUndefined()
    await world.anvil.send(world.stranger, factory, factoryData)
    expect(await world.chain.refuse(payment)).toBeNull()
    const rpc = createRpc(world.anvil.rpcUrl)
    onTestFinished(() => rpc.close())
    const { lone } = await simulateLone(rpc, payment)
    expect(lone?.data).not.toContain(factory.slice(2)) //  no longer needed: not called from our key
    const wrong = await pay(world.stranger, world.anvil.receiver, { from: lower(wallet) }, options)
    expect(await world.chain.refuse(wrong)).toBe('bad_signature')
  })

  test.each<[string, () => Hex, string]>([
    ['the token', () => USDC, 'wallet_not_supported'],
    ['Multicall3', () => lower(world.anvil.multicall3), 'wallet_not_supported'],
    ['somebody’s account', () => lower(world.anvil.accounts.settler.address), 'bad_signature'],
  ])('SIG-05: %s is no factory, even if it were listed', async (_, factoryOf, refusal) => {
    const { wallet } = await world.anvil.counterfactual(
      await world.anvil.deployFactory(),
      lower(world.buyer.address),
      nonce(),
    )
    const steal = encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'transfer',
      args: [world.stranger.address, 1n],
    })
    const wrap = (signature: Hex): Hex => wrapWith(factoryOf(), steal, signature)
    const factories = new Set([factoryOf()])
    const payment = await pay(world.buyer, world.anvil.receiver, { from: lower(wallet) }, { wrap, factories })
    expect(payment.signer).toBe('undeployed')
    expect(await world.chain.refuse(payment)).toBe(refusal)
  })
})

/** EIP-7702: the account's code becomes that of the wallet. */
async function delegate(key: TestChain['buyers'][number], to: Hex): Promise<void> {
  const account = privateKeyToAccount(key.privateKey)
  const { wallet } = world.anvil.clients
  const authorizationList = [
    await wallet.signAuthorization({ account, contractAddress: to, executor: 'self' }),
  ]
  const hash = await wallet.sendTransaction({
    account,
    to: account.address,
    authorizationList,
    gas: 200_000n,
  })
  await world.anvil.clients.reads.waitForTransactionReceipt({ hash })
  const code = await world.anvil.clients.reads.getCode({ address: account.address })
  expect(code).toBe(`0xef0100${lower(to).slice(2)}`)
}

function wrapWith(factory: Hex, call: Hex, signature: Hex): Hex {
  const tail = (hex: Hex) =>
    (hex.length / 2 - 1).toString(16).padStart(64, '0') +
    hex.slice(2).padEnd(Math.ceil((hex.length - 2) / 64) * 64, '0')
  const words = [factory.slice(2), '60', (0x60 + tail(call).length / 2).toString(16)]
  return `0x${words.map((word) => word.padStart(64, '0')).join('')}${tail(call)}${tail(signature)}${'6492'.repeat(16)}`
}
