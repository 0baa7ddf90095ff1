import { type Address, encodeAbiParameters, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { classify } from '../../../api/settlement/classify.ts'
import { readFactories } from '../../../api/settlement/erc6492.ts'
import { MULTICALL3 } from '../../../api/settlement/multicall.ts'
import type { Authorization } from '../../../api/settlement/port.ts'
import { MAX_SIGNATURE_BYTES } from '../../../api/settlement/signature.ts'
import {
  account,
  authorization,
  DOMAIN,
  FACTORY,
  lower,
  N,
  signatureOf,
  TERMS,
  typedDataOf,
  USDC,
} from './vectors.ts'

const known = { domain: DOMAIN, factories: new Set([FACTORY]) }
const MAGIC = '6492'.repeat(16)
const wrap = (factory: Address, call: Hex, inner: Hex): Hex =>
  `${encodeAbiParameters([{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }], [factory, call, inner])}${MAGIC}`

async function signed(over: Partial<Authorization> = {}, terms = TERMS) {
  const payer = account()
  const one = authorization({ from: lower(payer.address), ...over })
  return { one, signature: await payer.signTypedData(typedDataOf(one, terms)) }
}

describe('who must confirm a signature', () => {
  test('the key of from: nobody else', async () => {
    const { one, signature } = await signed()
    expect(classify(one, signature, known)).toEqual({ signer: 'ecdsa', signature })
  })

  test('SIG-01, RPL-10: its high-s twin is the same payment', async () => {
    const { one, signature } = await signed()
    const s = BigInt(`0x${signature.slice(66, 130)}`)
    const twin = signatureOf(BigInt(signature.slice(0, 66)), N - s, signature.endsWith('1b') ? 28 : 27)
    expect(twin).not.toBe(signature)
    expect(classify(one, twin, known)).toEqual({ signer: 'ecdsa', signature })
  })

  test.each<[string, Partial<Authorization>]>([
    ['to', { to: `0x${'0c'.repeat(20)}` }],
    ['value', { value: 10_001n }],
    ['validAfter', { validAfter: 1n }],
    ['validBefore', { validBefore: 2_000_000_001n }],
    ['nonce', { nonce: `0x${'01'.repeat(32)}` }],
    ['from', { from: `0x${'0d'.repeat(20)}` }],
  ])(
    'a changed %s is not signed by the key any more: only a wallet there could confirm it',
    async (_, over) => {
      const { one, signature } = await signed()
      expect(classify({ ...one, ...over }, signature, known)).toEqual({ signer: 'contract', signature })
    },
  )

  test.each([
    ['chain', { ...TERMS, chainId: 84532 }],
    ['name', { ...TERMS, name: 'USDC' }],
    ['version', { ...TERMS, version: '1' }],
    ['token', { ...TERMS, asset: lower(`0x${'36'.repeat(20)}`) }],
  ])('SIG-10: signed for another %s', async (_, terms) => {
    const { one, signature } = await signed({}, terms)
    expect(classify(one, signature, known)).toEqual({ signer: 'contract', signature })
  })

  test.each<[string, string]>([
    ['66 bytes', `0x${'11'.repeat(66)}`],
    ['v 29', signatureOf(1n, 1n, 29)],
    ['r 0', signatureOf(0n, 1n, 27)],
    ['a Safe’s approved hash: r an owner, s 0, v 1', signatureOf(0xabcn, 0n, 1)],
    ['a passkey wallet’s kilobyte', `0x${'07'.repeat(1_024)}`],
    ['the longest', `0x${'07'.repeat(MAX_SIGNATURE_BYTES)}`],
  ])('any other bytes are for a wallet to judge: %s', (_, signature) => {
    expect(classify(authorization(), signature, known)).toEqual({ signer: 'contract', signature })
  })

  test.each<[string, string]>([
    ['empty', '0x'],
    ['odd', '0x123'],
    ['no 0x', '11'.repeat(65)],
    ['not hex', `0x${'zz'.repeat(65)}`],
    ['too long', `0x${'07'.repeat(MAX_SIGNATURE_BYTES + 1)}`],
  ])('SIG-02: no signature at all: %s', (_, signature) => {
    expect(classify(authorization(), signature, known)).toEqual({ refusal: 'bad_signature' })
  })

  test.each<[Address]>([
    [`0x${'00'.repeat(20)}`], //  SIG-03: recovery of garbage gives the zero address
    [`0x${'00'.repeat(19)}01`],
    [`0x${'00'.repeat(19)}04`], // SIG-06: identity, which echoes the magic value
    [`0x${'00'.repeat(19)}0a`],
    [`0x${'00'.repeat(19)}ff`],
    [`0x${'00'.repeat(18)}0100`], // the passkey precompile of Base
    [`0x${'00'.repeat(18)}ffff`],
  ])('SIG-03, SIG-06: %s is nobody', (from) => {
    expect(classify(authorization({ from }), signatureOf(1n, 1n, 27), known)).toEqual({
      refusal: 'wallet_not_supported',
    })
  })
})

describe('SIG-05: a wallet that is not deployed yet', () => {
  test('passes with a factory of the list, bytes as sent', () => {
    const signature = wrap(FACTORY, '0x1234', '0xabcd')
    expect(classify(authorization(), signature, known)).toEqual({ signer: 'undeployed', signature })
  })

  test.each<[string, Address, Hex]>([
    ['an unknown factory', `0x${'fb'.repeat(20)}`, '0x1234'],
    ['the token, with a transfer', USDC, '0xa9059cbb'],
    ['Multicall3', MULTICALL3, '0x'],
    ['the zero address', `0x${'00'.repeat(20)}`, '0x'],
  ])('is told apart with %s', (_, factory, call) => {
    const signature = wrap(factory, call, '0xabcd')
    expect(classify(authorization(), signature, known)).toEqual({
      signer: 'undeployed',
      signature,
      unlisted: true,
    })
  })

  test('is refused with an identity precompile as payer, whatever the factory', () => {
    const from: Address = `0x${'00'.repeat(19)}04`
    expect(classify(authorization({ from }), wrap(FACTORY, '0x', '0xabcd'), known)).toEqual({
      refusal: 'wallet_not_supported',
    })
  })

  test.each<[string, Hex]>([
    ['only the suffix', `0x${MAGIC}`],
    ['garbage before the suffix', `0x${'ff'.repeat(96)}${MAGIC}`],
    ['an offset beyond the end', wrap(FACTORY, '0x12', '0xab').replace('60', 'ff') as Hex],
    ['no inner signature', wrap(FACTORY, '0x12', '0x')],
  ])('%s is not confirmed by anybody', (_, signature) => {
    const outcome = classify(authorization(), signature, known)
    expect('refusal' in outcome || outcome.signer === 'contract').toBe(true)
  })

  test('a key that wraps its own signature pays as a key, and nothing is deployed', async () => {
    const { one, signature } = await signed()
    expect(classify(one, wrap(FACTORY, '0x1234', signature), known)).toEqual({ signer: 'ecdsa', signature })
  })
})

describe('EIP6492_FACTORIES', () => {
  test('is a comma list, case and blanks do not matter', () => {
    expect(readFactories(` ${FACTORY.toUpperCase().replace('0X', '0x')} ,, `, [])).toEqual(new Set([FACTORY]))
    expect(readFactories('', [USDC])).toEqual(new Set())
  })

  test.each([
    ['the token', USDC],
    ['Multicall3', MULTICALL3],
    ['a precompile', `0x${'00'.repeat(19)}04`],
    ['not an address', '0x1234'],
  ])('cannot list %s', (_, entry) => {
    expect(() => readFactories(`${FACTORY},${entry}`, [USDC, MULTICALL3])).toThrow(/EIP6492_FACTORIES/)
  })
})
