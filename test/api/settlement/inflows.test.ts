import { describe, expect, test } from 'vitest'
import { readInflows } from '../../../api/settlement/inflows.ts'
import { createLogPlaces } from '../../../api/settlement/logPlaces.ts'
import { createSpan } from '../../../api/settlement/logRanges.ts'
import { addressOf, createFakeChain, TOKEN, US } from '../rails/fakeChain.ts'

const PAYER = 0x77
const ALSO_US = addressOf(0x43)
const FIRST = 1_000
/** How many blocks the first question covers. */
const PART = 64

function world() {
  const fake = createFakeChain()
  const ports = { places: createLogPlaces(), span: createSpan() }
  const read = (from: number, until: number, enough?: number) =>
    fake.network.read('inflows', async (rpc) => {
      const asked = { asset: TOKEN, receivers: [US, ALSO_US], from: BigInt(from), until: BigInt(until) }
      const found = await readInflows(rpc, ports, enough === undefined ? asked : { ...asked, enough })
      return { until: Number(found.until), values: found.inflows.map(({ value }) => Number(value)) }
    })
  const pay = (value: number, to = US) =>
    ({ kind: 'transfer', from: PAYER, to, value: BigInt(value) }) as const
  return { fake, read, pay }
}

describe('I1, CHN-04 all that arrived in a range of blocks, without a gap', () => {
  test('oldest first, to whichever receiver, in whatever order the node lists it', async () => {
    const { fake, read, pay } = world()
    fake.mine(FIRST, [pay(1)])
    fake.mine(FIRST + 1, [pay(2), pay(9, addressOf(0x99)), pay(3, ALSO_US)])
    fake.mine(FIRST + 2, [pay(4)])
    fake.mine(FIRST + 3, [pay(5)])
    fake.listBackwards()
    expect(await read(FIRST, FIRST + 2)).toEqual({ until: FIRST + 2, values: [1, 2, 3, 4] })
  })

  test('where there are enough it ends with the part that is read, whole, and one goes on behind that', async () => {
    const { fake, read, pay } = world()
    fake.mine(FIRST, [pay(1)])
    fake.mine(FIRST + PART - 1, [pay(2), pay(3)])
    fake.mine(FIRST + PART, [pay(4)])
    const last = FIRST + 5 * PART
    expect(await read(FIRST, last, 3)).toEqual({ until: FIRST + PART - 1, values: [1, 2, 3] })
    expect(await read(FIRST + PART, last, 3)).toEqual({ until: last, values: [4] })
  })

  test('nothing arrived: all of it was read all the same; a range without blocks is none', async () => {
    const { read } = world()
    expect(await read(FIRST, FIRST + 200, 3)).toEqual({ until: FIRST + 200, values: [] })
    expect(await read(FIRST, FIRST - 1)).toEqual({ until: FIRST - 1, values: [] })
  })

  test('transactions of more than one question for their receipts keep their places', async () => {
    const { fake, read, pay } = world()
    for (let value = 1; value <= 20; value++) fake.mine(FIRST, [{ kind: 'other' }, pay(value), pay(value)])
    const found = await fake.network.read('inflows', (rpc) =>
      readInflows(
        rpc,
        { places: createLogPlaces(), span: createSpan() },
        { asset: TOKEN, receivers: [US], from: BigInt(FIRST), until: BigInt(FIRST) },
      ),
    )
    expect(found.inflows.map(({ logIndex, blockIndex }) => [logIndex, blockIndex])).toEqual(
      Array.from({ length: 40 }, (_, nth) => [1 + (nth % 2), 3 * Math.floor(nth / 2) + 1 + (nth % 2)]),
    )
    expect(fake.receipts()).toBe(20)
    expect((await read(FIRST, FIRST)).values).toHaveLength(40)
  })
})
