import { describe, expect, test } from 'vitest'
import { BrokenRowError } from '../../../api/ledger/scripts.ts'
import { createBroadcasts } from '../../../api/settlement/broadcasts.ts'
import type { SettleJob } from '../../../api/settlement/port.ts'
import { nonce } from './vectors.ts'

const jobs = ['one', 'broken', 'two'].map((key) => ({ key }) as SettleJob)
const signed = () => ({ tx: nonce(), raw: '0x' as const, fees: { maxFee: 1n, tip: 1n } })

/** A ledger with one broken row, which takes none of those that are named with it. */
function world(failure: Error = new BrokenRowError('broken')) {
  const written: [keys: string[], which: string | undefined][] = []
  const broadcasts = createBroadcasts({
    async recordBroadcast(keys, _, which) {
      if (keys.includes('broken')) throw failure
      written.push([keys, which])
    },
  })
  return { broadcasts, written }
}

describe('DATA-08 a broken row', () => {
  test('keeps a new transaction from leaving', async () => {
    const { broadcasts, written } = world()
    await expect(broadcasts.first({ jobs, nonce: 1 }, signed())).rejects.toThrow(BrokenRowError)
    expect(written).toEqual([])
  })

  test('is passed over once one is out: the others hear of it', async () => {
    const { broadcasts, written } = world()
    await broadcasts.again({ jobs, nonce: 1 }, signed())
    expect(written).toEqual([
      [['one'], 'again'],
      [['two'], 'again'],
    ])
  })
})

test('an outage is passed over by neither', async () => {
  const { broadcasts } = world(new Error('away'))
  for (const write of [broadcasts.first, broadcasts.again])
    await expect(write({ jobs, nonce: 1 }, signed())).rejects.toThrow('away')
})

test('I5 what may be out is known with its nonce, even if the ledger did not answer', async () => {
  const { broadcasts } = world(new Error('away'))
  const out = signed()
  await broadcasts.first({ jobs, nonce: 7 }, out).catch(() => {})
  expect([7, 8].map((mined) => broadcasts.isSpent(out.tx, mined))).toEqual([false, true])
})
