import fc from 'fast-check'
import {
  encodeErrorResult,
  encodeFunctionData,
  encodeFunctionResult,
  getAddress,
  parseAbi,
  size,
  toHex,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { aggregate3, readResults } from '../../../api/settlement/multicall.ts'
import { readRevert } from '../../../api/settlement/revert.ts'
import {
  authorizationState,
  transfer,
  transferByKey,
  transferByWallet,
} from '../../../api/settlement/tokenCalls.ts'
import { TOKEN_ABI } from '../../../ops/sandbox/chain/tokenAbi.ts'
import { authorization, lower, signatureOf, USDC } from './vectors.ts'

const MULTICALL_ABI = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
])
const bytes = (maxLength: number, minLength = 0) =>
  fc.uint8Array({ minLength, maxLength }).map((value) => toHex(value))
const call = fc.record({ target: bytes(20, 20), allowFailure: fc.boolean(), data: bytes(100) })

describe('call data is what viem encodes', () => {
  test('transferWithAuthorization for a key and for a wallet', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 2n ** 255n }),
        fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
        bytes(200, 1),
        (scalar, value, raw) => {
          const one = authorization({ value })
          const terms = [
            getAddress(one.from),
            getAddress(one.to),
            one.value,
            one.validAfter,
            one.validBefore,
            one.nonce,
          ] as const
          const signature = signatureOf(scalar, scalar + 1n, 28)
          expect(transferByKey(one, signature)).toBe(
            encodeFunctionData({
              abi: TOKEN_ABI,
              functionName: 'transferWithAuthorization',
              args: [...terms, 28, toHex(scalar, { size: 32 }), toHex(scalar + 1n, { size: 32 })],
            }),
          )
          expect(transferByWallet(one, raw)).toBe(
            encodeFunctionData({
              abi: TOKEN_ABI,
              functionName: 'transferWithAuthorization',
              args: [...terms, raw],
            }),
          )
        },
      ),
    )
  })

  test('authorizationState', () => {
    const { from, nonce } = authorization()
    expect(authorizationState(from, nonce)).toBe(
      encodeFunctionData({ abi: TOKEN_ABI, functionName: 'authorizationState', args: [from, nonce] }),
    )
  })

  test('transfer', () => {
    const { to, value } = authorization()
    expect(transfer(to, value)).toBe(
      encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args: [to, value] }),
    )
  })

  test('aggregate3 of any calls', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 6 }), (calls) => {
        expect(aggregate3(calls)).toBe(
          encodeFunctionData({
            abi: MULTICALL_ABI,
            functionName: 'aggregate3',
            args: [
              calls.map(({ target, allowFailure, data }) => ({
                target: getAddress(target),
                allowFailure,
                callData: data,
              })),
            ],
          }),
        )
      }),
    )
  })
})

describe('results of aggregate3', () => {
  const results = [
    { success: true, returnData: '0x' },
    { success: false, returnData: '0x1234' },
  ] as const
  const data = encodeFunctionResult({ abi: MULTICALL_ABI, functionName: 'aggregate3', result: [...results] })

  test('are read in order', () => expect(readResults(data, 2)).toEqual(results))

  test.each([
    ['one too few', data, 3],
    ['cut', data.slice(0, -64) as typeof data, 2],
    ['nothing stands there', '0x' as const, 2],
    ['garbage', toHex(new Uint8Array(200).fill(255)), 2],
  ])('are none when %s', (_, answer, count) => expect(readResults(answer, count)).toBeNull())
})

describe('SIG-09: what the token says when it refuses', () => {
  const says = (text: string) =>
    encodeErrorResult({ abi: parseAbi(['error Error(string)']), errorName: 'Error', args: [text] })

  test.each([
    ['ERC20: transfer amount exceeds balance', 'insufficient_funds'],
    ['FiatTokenV2: invalid signature', 'bad_signature'],
    ["ECRecover: invalid signature 's' value", 'bad_signature'],
    ["ECRecover: invalid signature 'v' value", 'bad_signature'],
    ['ECRecover: invalid signature length', 'bad_signature'],
    ['FiatTokenV2: authorization is used or canceled', 'nonce_used'],
    ['FiatTokenV2: authorization is expired', 'expired'],
    ['FiatTokenV2: authorization is not yet valid', 'not_yet_valid'],
    ['Blacklistable: account is blacklisted', 'blocked_party'],
    ['Pausable: paused', 'token_paused'],
    ['a text of a later version', 'transfer_failed'],
    ['', 'transfer_failed'],
  ])('%s: %s', (text, refusal) => expect(readRevert(says(text))).toBe(refusal))

  test.each([
    [
      'a panic',
      encodeErrorResult({ abi: parseAbi(['error Panic(uint256)']), errorName: 'Panic', args: [17n] }),
    ],
    ['a custom error', '0x12345678' as const],
    ['a cut text', says('Pausable: paused').slice(0, 20) as `0x${string}`],
  ])('%s: transfer_failed', (_, data) => expect(readRevert(data)).toBe('transfer_failed'))

  test('silence is no reason', () => expect(readRevert('0x')).toBeNull())
})

test('a batch of one adds few bytes: 9 words of terms and 7 of packing', () => {
  const one = transferByKey(authorization(), signatureOf(1n, 1n, 27))
  expect(size(one)).toBe(4 + 9 * 32)
  expect(size(aggregate3([{ target: lower(USDC), allowFailure: true, data: one }]))).toBe(
    4 + 3 * 32 + 4 * 32 + 10 * 32,
  )
})
