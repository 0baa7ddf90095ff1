import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, BaseError, type Hex, parseSignature, toFunctionSelector, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Account } from '../../../ops/sandbox/chain/accounts.ts'
import { CACHE_DIR, loadContracts } from '../../../ops/sandbox/chain/compile.ts'
import { TOKEN_ABI } from '../../../ops/sandbox/chain/tokenAbi.ts'
import { startTestChain, type TestChain, type WalletMode } from '../../support/chain.ts'

const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

let chain: TestChain
let buyer: Account
beforeAll(async () => {
  chain = await startTestChain()
  buyer = chain.buyers[0]!
})
afterAll(() => chain.stop())

type Terms = {
  from: Address
  to: Address
  value: bigint
  validAfter: bigint
  validBefore: bigint
  nonce: Hex
}
const terms = (change: Partial<Terms> = {}): Terms => ({
  from: buyer.address,
  to: chain.receiver,
  value: 10_000n,
  validAfter: 0n,
  validBefore: 2n ** 40n,
  nonce: toHex(randomBytes(32)),
  ...change,
})
const domain = () => ({ name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: chain.usdc })
const sign = (message: Terms, signer = buyer) =>
  privateKeyToAccount(signer.privateKey).signTypedData({
    domain: domain(),
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message,
  })
const words = ({ from, to, value, validAfter, validBefore, nonce }: Terms) =>
  [from, to, value, validAfter, validBefore, nonce] as const

/** Calls the bytes overload without sending it; 'ok', or the token's revert text. */
async function simulate(message: Terms, signature: Hex, gas?: bigint): Promise<string> {
  try {
    await chain.clients.reads.simulateContract({
      address: chain.usdc,
      abi: TOKEN_ABI,
      functionName: 'transferWithAuthorization',
      args: [...words(message), signature],
      account: chain.accounts.settler.address,
      gas,
    })
    return 'ok'
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    const reason = error.walk((cause) => cause instanceof Error && 'reason' in cause)
    return String((reason as { reason?: string } | null)?.reason ?? error.shortMessage)
  }
}

async function settle(message: Terms, signature: Hex): Promise<Hex> {
  const { wallet, reads } = chain.clients
  const account = privateKeyToAccount(chain.settlerKey)
  const hash = await wallet.writeContract({
    account,
    address: chain.usdc,
    abi: TOKEN_ABI,
    functionName: 'transferWithAuthorization',
    args: [...words(message), signature],
    gas: 5_000_000n,
  })
  const { status } = await reads.waitForTransactionReceipt({ hash })
  return status === 'success' ? hash : '0x'
}

describe('x402-v2 2.1, 5.5: the token looks like USDC on Base to a stock client', () => {
  test.each([
    ['name', 'USD Coin'],
    ['version', '2'],
    ['decimals', 6],
    ['symbol', 'USDC'],
  ] as const)('%s is %s', async (functionName, expected) => {
    const read = { address: chain.usdc, abi: TOKEN_ABI, functionName } as const
    expect(await chain.clients.reads.readContract(read)).toBe(expected)
  })

  test('the signed domain is name, version, chain 8453 and the USDC address', async () => {
    expect(chain.usdc).toBe('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')
    expect(await chain.clients.reads.getChainId()).toBe(8453)
    const message = terms()
    expect(await simulate(message, await sign(message))).toBe('ok')
  })

  test('our typed interface has the selectors that the compiler gives', async () => {
    const { Token } = await loadContracts(CACHE_DIR)
    const functions = (abi: readonly unknown[]) =>
      (abi as { type: string }[])
        .filter(({ type }) => type === 'function')
        .map((item) => toFunctionSelector(item as Parameters<typeof toFunctionSelector>[0]))
    const compiled = new Set(functions(Token.abi))
    const ours = functions(TOKEN_ABI)
    expect(ours.length).toBeGreaterThan(20)
    expect(ours.filter((selector) => !compiled.has(selector))).toEqual([])
  })

  test('chains of one process that start at once, where nothing is compiled yet, compile once for all', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'microdata-contracts-'))
    const all = await Promise.all([loadContracts(folder), loadContracts(folder), loadContracts(folder)])
    expect(new Set(all).size).toBe(1)
    expect(await readdir(folder)).toHaveLength(1)
    expect(await loadContracts(folder)).toEqual(all[0])
    await rm(folder, { recursive: true })
  })
})

describe('EIP-3009: one authorization moves its amount once', () => {
  test('money arrives, AuthorizationUsed and Transfer are logged, the nonce is spent', async () => {
    const { reads } = chain.clients
    const message = terms({ value: 1_234n })
    const [before, signature] = [await chain.balance(chain.receiver), await sign(message)]
    const hash = await settle(message, signature)
    expect(await chain.balance(chain.receiver)).toBe(before + 1_234n)
    const { logs } = await reads.getTransactionReceipt({ hash })
    expect(logs).toHaveLength(2)
    const state = { address: chain.usdc, abi: TOKEN_ABI, functionName: 'authorizationState' } as const
    expect(await reads.readContract({ ...state, args: [buyer.address, message.nonce] })).toBe(true)
    expect(await simulate(message, signature)).toBe('FiatTokenV2: authorization is used or canceled')
  })

  test('the (v, r, s) form does the same', async () => {
    const { wallet, reads } = chain.clients
    const message = terms()
    const { r, s, v } = parseSignature(await sign(message))
    const hash = await wallet.writeContract({
      account: privateKeyToAccount(chain.settlerKey),
      address: chain.usdc,
      abi: TOKEN_ABI,
      functionName: 'transferWithAuthorization',
      args: [...words(message), Number(v), r, s],
    })
    expect((await reads.waitForTransactionReceipt({ hash })).status).toBe('success')
  })

  test('cancelAuthorization spends the nonce without moving money', async () => {
    const { wallet, reads } = chain.clients
    const message = terms()
    const signature = await privateKeyToAccount(buyer.privateKey).signTypedData({
      domain: domain(),
      types: TYPES,
      primaryType: 'CancelAuthorization',
      message: { authorizer: buyer.address, nonce: message.nonce },
    })
    const before = await chain.balance(buyer.address)
    const hash = await wallet.writeContract({
      account: privateKeyToAccount(chain.settlerKey),
      address: chain.usdc,
      abi: TOKEN_ABI,
      functionName: 'cancelAuthorization',
      args: [buyer.address, message.nonce, signature],
    })
    expect((await reads.waitForTransactionReceipt({ hash })).status).toBe('success')
    expect(await chain.balance(buyer.address)).toBe(before)
    expect(await simulate(message, await sign(message))).toBe(
      'FiatTokenV2: authorization is used or canceled',
    )
  })
})

describe('x402-v2 2.1: good strictly between validAfter and validBefore', () => {
  test.each([
    ['validAfter one second before the block', -1n, 1_000n, 'ok'],
    ['validAfter equal to the block', 0n, 1_000n, 'FiatTokenV2: authorization is not yet valid'],
    ['validBefore one second after the block', -1_000n, 1n, 'ok'],
    ['validBefore equal to the block', -1_000n, 0n, 'FiatTokenV2: authorization is expired'],
  ])('%s', async (_, after, before, outcome) => {
    const { timestamp } = await chain.clients.reads.getBlock()
    //  eth_call on the newest block runs at that block's own time, which stands still while nobody mines
    const message = terms({ validAfter: timestamp + after, validBefore: timestamp + before })
    const signature = await sign(message)
    expect(await simulate(message, signature)).toBe(outcome)
  })
})

describe('SIG-01..03, SIG-10: only a canonical signature of the payer for this domain counts', () => {
  const change = (signature: Hex, to: (rsv: { r: bigint; s: bigint; v: number }) => Hex): Hex => {
    const { r, s, v } = parseSignature(signature)
    return to({ r: BigInt(r), s: BigInt(s), v: Number(v) })
  }
  const pack = (r: bigint, s: bigint, v: number): Hex =>
    `0x${r.toString(16).padStart(64, '0')}${s.toString(16).padStart(64, '0')}${v.toString(16).padStart(2, '0')}`

  test.each<[string, (signature: Hex) => Hex, string]>([
    ['as signed', (good) => good, 'ok'],
    [
      'high s with flipped v',
      (good) => change(good, ({ r, s, v }) => pack(r, ORDER - s, v === 27 ? 28 : 27)),
      "ECRecover: invalid signature 's' value",
    ],
    [
      'v 0 or 1',
      (good) => change(good, ({ r, s, v }) => pack(r, s, v - 27)),
      "ECRecover: invalid signature 'v' value",
    ],
    ['v 29', (good) => change(good, ({ r, s }) => pack(r, s, 29)), "ECRecover: invalid signature 'v' value"],
    ['r and s zero', () => pack(0n, 0n, 27), 'ECRecover: invalid signature'],
    ['all ff', () => `0x${'ff'.repeat(65)}`, "ECRecover: invalid signature 's' value"],
    ['64 bytes', (good) => good.slice(0, -2) as Hex, 'ECRecover: invalid signature length'],
    ['66 bytes', (good) => `${good}00`, 'ECRecover: invalid signature length'],
  ])('%s', async (_, alter, outcome) => {
    const message = terms()
    expect(await simulate(message, alter(await sign(message)))).toBe(outcome)
  })

  test('signed by somebody else', async () => {
    const message = terms()
    expect(await simulate(message, await sign(message, chain.buyers[1]))).toBe(
      'FiatTokenV2: invalid signature',
    )
  })

  test.each([
    ['chain', { chainId: 84532 }],
    ['name', { name: 'USDC' }],
    ['version', { version: '1' }],
  ])('signed for another %s', async (_, other) => {
    const message = terms()
    const signature = await privateKeyToAccount(buyer.privateKey).signTypedData({
      domain: { ...domain(), ...other },
      types: TYPES,
      primaryType: 'TransferWithAuthorization',
      message,
    })
    expect(await simulate(message, signature)).toBe('FiatTokenV2: invalid signature')
  })

  test('a compact EIP-2098 signature is not taken for one', async () => {
    const message = terms()
    const { r, s, yParity } = parseSignature(await sign(message))
    const folded: Hex = `${r}${(BigInt(s) | (BigInt(yParity ?? 0) << 255n)).toString(16).padStart(64, '0')}`
    expect(await simulate(message, folded)).toBe('ECRecover: invalid signature length')
  })
})

describe('SIG-09 and money: what the token itself refuses', () => {
  test('more than the balance, and exactly the balance', async () => {
    const balance = await chain.balance(buyer.address)
    const over = terms({ value: balance + 1n })
    expect(await simulate(over, await sign(over))).toBe('ERC20: transfer amount exceeds balance')
    const all = terms({ value: balance })
    expect(await simulate(all, await sign(all))).toBe('ok')
  })

  test('blacklisted payer, blacklisted payee, and after lifting', async () => {
    for (const account of [buyer.address, chain.receiver]) {
      const message = terms()
      const signature = await sign(message)
      await chain.administer('blacklist', account)
      expect(await simulate(message, signature)).toBe('Blacklistable: account is blacklisted')
      await chain.administer('unBlacklist', account)
      expect(await simulate(message, signature)).toBe('ok')
    }
  })

  test('paused, and after lifting', async () => {
    const message = terms()
    const signature = await sign(message)
    await chain.administer('pause')
    expect(await simulate(message, signature)).toBe('Pausable: paused')
    await chain.administer('unpause')
    expect(await simulate(message, signature)).toBe('ok')
  })
})

describe('SIG-04: smart wallets are asked, honest or not', () => {
  const CAPPED_GAS = 3_000_000n
  test.each<[WalletMode, string, boolean]>([
    ['owner', 'ok', true],
    ['always', 'ok', true],
    ['flips', 'ok', false], //  the simulation says yes, the chain says no
    ['burns', 'FiatTokenV2: invalid signature', false],
    ['reverts', 'FiatTokenV2: invalid signature', false],
  ])('%s: simulated %s, settles %s', async (mode, simulated, settles) => {
    const wallet = await chain.deploy1271(buyer.address, mode)
    await chain.mint(wallet, 50_000n)
    const message = terms({ from: wallet })
    const signature = await sign(message)
    const verdict = await simulate(message, signature, CAPPED_GAS)
    if (mode === 'burns') expect(verdict).not.toBe('ok')
    else expect(verdict).toBe(simulated)
    expect((await settle(message, signature)) !== '0x').toBe(settles)
    expect(await chain.balance(wallet)).toBe(settles ? 40_000n : 50_000n)
  })

  test('a megabyte of answer costs more than a capped call has', async () => {
    const wallet = await chain.deploy1271(buyer.address, 'megabyte')
    await chain.mint(wallet, 50_000n)
    const message = terms({ from: wallet })
    expect(await simulate(message, await sign(message), CAPPED_GAS)).not.toBe('ok')
    expect(await simulate(message, await sign(message), 20_000_000n)).toBe('ok')
  })

  test('the wrong signer of an honest wallet', async () => {
    const wallet = await chain.deploy1271(buyer.address)
    const message = terms({ from: wallet })
    expect(await simulate(message, await sign(message, chain.buyers[1]))).toBe(
      'FiatTokenV2: invalid signature',
    )
  })
})

describe('ERC-6492: a wallet can pay at an address that is known before it exists', () => {
  test('undeployed it cannot sign, deployed by its factory it can', async () => {
    const factory = await chain.deployFactory()
    const { wallet, factoryData, wrap } = await chain.counterfactual(
      factory,
      buyer.address,
      toHex(7, { size: 32 }),
    )
    await chain.mint(wallet, 20_000n)
    const message = terms({ from: wallet })
    const signature = await sign(message)
    expect(wrap(signature).endsWith('6492'.repeat(16))).toBe(true)
    expect(await simulate(message, signature)).toBe('FiatTokenV2: invalid signature')
    await chain.send(chain.accounts.settler, factory, factoryData)
    await chain.send(chain.accounts.settler, factory, factoryData) //  repeated: nothing happens
    expect(await simulate(message, signature)).toBe('ok')
  })
})

describe('Multicall3 stands at its address', () => {
  test('one failing call of several fails alone, or all when it must not', async () => {
    const { reads } = chain.clients
    const contract = { address: chain.usdc, abi: TOKEN_ABI } as const
    const answers = await reads.multicall({
      contracts: [
        { ...contract, functionName: 'balanceOf', args: [chain.buyers[4]!.address] },
        { ...contract, functionName: 'transfer', args: [chain.receiver, 1n] },
      ],
      allowFailure: true,
    })
    expect(answers.map(({ status }) => status)).toEqual(['success', 'failure'])
    expect(answers[0]?.result).toBe(1_000_000_000n)
  })
})
