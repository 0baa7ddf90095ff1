import { describe, expect, test } from 'vitest'
import { readState } from '../../../api/settlement/fate.ts'
import { type Rpc, RpcError } from '../../../api/settlement/rpc.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { lower, nonce, USDC } from './vectors.ts'

const FIRST = 10
const USED = `0x${'0'.repeat(63)}1`
const word = (last: string) => `0x${last.padStart(64, '0')}`
const refused = new RpcError('eth_call', -32000, null, 'missing trie node')
const down = new UnavailableError('chain_unavailable', 'test')

/**
 * Reads from a node whose newest block changes with each question.
 * @param states what it says of the nonce, in order.
 */
async function read(...states: (string | Error)[]) {
  let head = FIRST
  const asked: number[] = []
  const rpc: Rpc = {
    async call(method, params) {
      if (method === 'eth_getBlockByNumber')
        return { number: `0x${(head++).toString(16)}`, hash: word('1'), timestamp: '0x1' }
      const state = states[asked.length]!
      asked.push(Number(params[1]))
      if (typeof state === 'string') return state
      throw state
    },
    close: async () => {},
  }
  const answer = await readState(rpc, USDC, lower(USDC), nonce()).catch((error: unknown) => error)
  return { asked, answer }
}

describe('CHN-04 the state of a nonce is that of the block that is told with it', () => {
  test('it is asked by the number of the newest block', async () => {
    const { asked, answer } = await read(USED)
    expect(asked).toEqual([FIRST])
    expect(answer).toMatchObject({ used: true, head: { number: BigInt(FIRST) } })
  })

  test('a node that has not got the state of that block is asked twice more, each time of a newer one', async () => {
    const { asked, answer } = await read(refused, refused, word('0'))
    expect(asked).toEqual([FIRST, FIRST + 1, FIRST + 2])
    expect(answer).toMatchObject({ used: false, head: { number: BigInt(FIRST + 2) } })
    expect(await read(refused, refused, refused, USED)).toMatchObject({ answer: refused })
  })

  test('one that does not answer is not asked again', async () => {
    expect(await read(down, USED)).toEqual({ asked: [FIRST], answer: down })
  })

  test.each([
    ['no word', '0x'],
    ['no boolean', word('2')],
    ['more than a word', `${USED}${'0'.repeat(64)}`],
  ])('%s says neither', async (_, state) => {
    expect((await read(state)).answer).toMatchObject({ code: 'chain_unavailable' })
  })
})
