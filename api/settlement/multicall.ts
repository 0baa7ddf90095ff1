import { type Address, decodeAbiParameters, type Hex, toFunctionSelector } from 'viem'
import { addressWord, bytesTail, word } from './tokenCalls.ts'

/** Same address on every public chain; the sandbox puts its own there. It holds nothing and is allowed nothing. */
export const MULTICALL3: Address = '0xca11bde05977b3631167028862be2a173976ca11'

export type Call = { target: Address; allowFailure: boolean; data: Hex }
export type CallResult = { success: boolean; returnData: Hex }

const AGGREGATE3 = toFunctionSelector('aggregate3((address,bool,bytes)[])')
const RESULTS = [
  {
    type: 'tuple[]',
    components: [
      { name: 'success', type: 'bool' },
      { name: 'returnData', type: 'bytes' },
    ],
  },
] as const

export function aggregate3(calls: readonly Call[]): Hex {
  const tuples = calls.map(
    ({ target, allowFailure, data }) =>
      addressWord(target) + word(allowFailure ? 1 : 0) + word(3 * 32) + bytesTail(data),
  )
  let offset = calls.length * 32
  const offsets = tuples.map((tuple) => {
    const at = word(offset)
    offset += tuple.length / 2
    return at
  })
  return `${AGGREGATE3}${word(32)}${word(calls.length)}${offsets.join('')}${tuples.join('')}`
}

/** @returns null when the answer is not that of Multicall3 to `count` calls. */
export function readResults(data: Hex, count: number): CallResult[] | null {
  try {
    const [results] = decodeAbiParameters(RESULTS, data)
    return results.length === count ? [...results] : null
  } catch {
    return null
  }
}
