import { describe, expect, test } from 'vitest'
import { createNamedBytes, NAMED_MAX_BYTES, USUAL_MAX_BYTES } from '../../../api/settlement/namedBytes.ts'
import { receiptOf } from '../../../api/settlement/nodeReads.ts'
import { type Rpc, TooMuchError } from '../../../api/settlement/rpc.ts'

const HASH = `0x${'11'.repeat(32)}` as const
const LARGE = 1_400 //  logs, just below a MiB
const AT_ONCE = 16

/** A node whose receipts have this many logs; it refuses to send more than the bound of the call. */
function node(logs: number): Rpc {
  const log = (index: number) => ({
    address: HASH,
    topics: [HASH, HASH, HASH],
    data: HASH,
    transactionHash: HASH,
    logIndex: `0x${index.toString(16)}`,
  })
  const answer = {
    transactionHash: HASH,
    blockNumber: '0x5',
    blockHash: HASH,
    status: '0x1',
    gasUsed: '0x1',
    logs: Array.from({ length: logs }, (_, at) => log(at)),
  }
  return {
    call: async (method, _, maxBytes = Number.POSITIVE_INFINITY) => {
      if (logs * 700 > maxBytes) throw new TooMuchError(`${method}: body_too_large`)
      return answer
    },
    close: async () => {},
  }
}
const [large, usual] = [node(LARGE), node(3)]

function world() {
  let nowMs = 1_000
  const bytes = createNamedBytes(() => nowMs)
  const name = (rpc: Rpc) =>
    receiptOf(rpc, HASH, NAMED_MAX_BYTES, bytes).then(
      (receipt) => receipt!.logs.length,
      (error) => (error as TooMuchError).code,
    )
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { name, pass }
}

describe('CLS-14 whoever names long transactions is in the way of others who do, and of nobody else', () => {
  test('so many at once are read, then two a second; usual ones always', async () => {
    const { name, pass } = world()
    for (let at = 0; at < AT_ONCE; at++) expect(await name(large)).toBe(LARGE)
    for (let at = 0; at < 2; at++) await name(large) //  two more fit, as each is a little shorter than it may be
    expect(await name(large)).toBe('chain_unavailable')
    for (let at = 0; at < 200; at++) expect(await name(usual)).toBe(3)
    pass(500)
    expect(await name(large)).toBe(LARGE)
    expect(await name(large)).toBe('chain_unavailable')
    pass(60_000)
    for (let at = 0; at < AT_ONCE; at++) expect(await name(large)).toBe(LARGE)
  })

  test('usual ones count nothing, however many', async () => {
    const { name } = world()
    for (let at = 0; at < 1_000; at++) await name(usual)
    for (let at = 0; at < AT_ONCE; at++) expect(await name(large)).toBe(LARGE)
  })

  test('what is under way counts as long: of many at once those beyond are read when they are usual', async () => {
    const { name } = world()
    const all = await Promise.all(Array.from({ length: 2 * AT_ONCE }, () => name(large)))
    expect(all.filter((came) => came === LARGE)).toHaveLength(AT_ONCE)
    const others = world()
    const few = await Promise.all(Array.from({ length: 2 * AT_ONCE }, () => others.name(usual)))
    expect(few.every((came) => came === 3)).toBe(true)
  })

  test('a transaction of ours is none of them', async () => {
    const { name } = world()
    for (let at = 0; at < 2 * AT_ONCE; at++) await name(large)
    expect(await name(large)).toBe('chain_unavailable')
    expect((await receiptOf(large, HASH))!.logs).toHaveLength(LARGE)
  })

  test('what is read of one at most, when there is room and when there is none', () => {
    const bytes = createNamedBytes(() => 0)
    const most = Array.from({ length: AT_ONCE + 1 }, () => bytes.take(NAMED_MAX_BYTES).maxBytes)
    expect(most).toEqual([...Array(AT_ONCE).fill(NAMED_MAX_BYTES), USUAL_MAX_BYTES])
    expect(bytes.take(1_000).maxBytes).toBe(1_000)
  })
})
