import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAccount } from '../../../api/settlement/account.ts'
import { batchCall, cutBatches, MAX_BATCH } from '../../../api/settlement/batch.ts'
import { bumpFees, MAX_FEE, offerFees, sensibleTip, tooDear } from '../../../api/settlement/fees.ts'
import { createNonceBook, nextNonce } from '../../../api/settlement/nonces.ts'
import type { SettleJob } from '../../../api/settlement/port.ts'
import type { Rpc } from '../../../api/settlement/rpc.ts'
import { readSendError } from '../../../api/settlement/sendOutcome.ts'
import { quietLog } from './chainWorld.ts'
import { authorization, nonce, signatureOf, USDC } from './vectors.ts'

const wei = fc.bigInt({ min: 0n, max: 10n ** 12n })

describe('fees', () => {
  test('a replacement offers at least an eighth more of both, and never less than a fresh offer', () => {
    fc.assert(
      fc.property(wei, wei, wei, wei, (maxFee, tip, baseFee, fresh) => {
        const next = bumpFees({ maxFee, tip }, baseFee, fresh)
        expect(next.maxFee * 8n >= maxFee * 9n && next.tip * 8n >= tip * 9n).toBe(true)
        expect(next.maxFee > maxFee && next.tip > tip).toBe(true)
        expect(next.maxFee >= offerFees(baseFee, fresh).maxFee && next.tip >= fresh).toBe(true)
      }),
    )
  })

  test('an offer covers a doubled base fee; the tip is never above the whole', () => {
    expect(offerFees(7n, 3n)).toEqual({ maxFee: 17n, tip: 3n })
  })

  test.each([
    [0n, 1n],
    [1n, 1n],
    [1_000_000_000n, 1_000_000_000n],
    [1_000_000_001n, 1_000_000_000n], // somebody else’s generosity is not ours
  ])('an advised tip of %d is offered as %d', (advised, tip) => expect(sensibleTip(advised)).toBe(tip))

  test.each([
    [MAX_FEE, false],
    [MAX_FEE + 1n, true],
  ])('%d wei is too dear: %s', (maxFee, dear) => expect(tooDear({ maxFee, tip: 1n })).toBe(dear))
})

describe('account nonces', () => {
  test.each<[number, number[], number]>([
    [5, [], 5],
    [5, [5, 6], 7],
    [5, [6, 7], 5], //  a hole before the others is filled first
    [5, [5, 7], 6],
    [5, [3, 4], 5], //  what is mined does not count
  ])('mined %d, taken %j: %d', (mined, taken, next) => {
    expect(nextNonce(mined, new Set(taken))).toBe(next)
  })

  describe('those that a former process left at the node', () => {
    const at = { block: 100, mined: 5, waiting: 8 }
    const open = async () => {
      Object.assign(at, { block: 100, mined: 5, waiting: 8 })
      const quantity = (value: number) => `0x${value.toString(16)}`
      const rpc = {
        call: async () => ({
          number: quantity(at.block),
          hash: nonce(),
          timestamp: '0x1',
          baseFeePerGas: '0x7',
        }),
      } as unknown as Rpc
      const wallet = { minedCount: async () => at.mined, waitingCount: async () => at.waiting }
      const account = createAccount({ rpc, wallet, log: quietLog })
      await account.adopt()
      return account
    }

    test('are taken until they are mined', async () => {
      const account = await open()
      expect([account.nextNonce([]), account.nextNonce([8]), account.hasGhosts()]).toEqual([8, 9, true])
      Object.assign(at, { block: 101, mined: 7 })
      await account.refresh()
      expect([account.nextNonce([]), account.hasGhosts()]).toEqual([8, true])
      Object.assign(at, { block: 102, mined: 8 })
      await account.refresh()
      expect([account.nextNonce([]), account.hasGhosts()]).toEqual([8, false])
    })

    test('are replaced when three blocks have gone by without them', async () => {
      const account = await open()
      at.block = 103
      await account.refresh()
      expect(account.nextNonce([])).toBe(8)
      at.block = 104
      await account.refresh()
      expect([account.nextNonce([]), account.hasGhosts()]).toEqual([5, false])
    })
  })

  test('a transaction is spent when its nonce is mined, and never when we do not know it', () => {
    const book = createNonceBook()
    const [ours, theirs] = [nonce(), nonce()]
    book.note(ours, 7)
    expect([7, 8].map((mined) => book.isSpent(ours, mined))).toEqual([false, true])
    expect(book.isSpent(theirs, 1_000)).toBe(false)
  })

  test('the book forgets the oldest, which only makes us more careful', () => {
    const book = createNonceBook()
    const first = nonce()
    book.note(first, 1)
    for (let index = 0; index < 20_000; index++) book.note(`0x${index.toString(16)}`, 1)
    expect([book.isSpent(first, 9), book.isSpent('0x5', 9)]).toEqual([false, true])
  })
})

describe('what nodes say to a transaction', () => {
  test.each([
    ['already known', 'known'], //                                                 geth
    ['transaction already imported', 'known'], //                                  anvil
    ['AlreadyKnown: already in the mempool', 'known'], //                          others
    ['nonce too low: next nonce 5, tx nonce 4', 'spent'],
    ['nonce too low', 'spent'],
    ['replacement transaction underpriced', 'underpriced'],
    ['transaction underpriced: tip needed 1, tip permitted 0', 'underpriced'],
    ['max fee per gas less than block base fee: address 0x…', 'underpriced'],
    ['insufficient funds for gas * price + value: balance 0, tx cost 1', 'no_gas'],
    ['Insufficient funds for gas * price + value', 'no_gas'],
    ['txpool is full', 'rejected'],
    ['exceeds block gas limit', 'rejected'],
    ['', 'rejected'],
  ])('%s: %s', (text, outcome) => expect(readSendError(text)).toBe(outcome))
})

describe('batches', () => {
  const jobs = (count: number): SettleJob[] =>
    Array.from({ length: count }, (_, index) => ({
      key: `k${index}`,
      createdMs: 0,
      txs: [],
      elsewhere: false,
      payment: {
        chainId: 8453,
        asset: USDC,
        signer: 'ecdsa',
        authorization: authorization(),
        signature: signatureOf(1n, 1n, 27),
      },
    }))

  test.each([
    [0, 8, []],
    [1, 8, [1]],
    [MAX_BATCH, 8, [MAX_BATCH]],
    [MAX_BATCH + 1, 8, [MAX_BATCH, 1]],
    [MAX_BATCH * 3, 2, [MAX_BATCH, MAX_BATCH]], // the rest waits
    [5, 0, []],
  ])('%d jobs with room for %d: %j', (count, room, sizes) => {
    const batches = cutBatches(jobs(count), room)
    expect(batches.map(({ length }) => length)).toEqual(sizes)
    expect(batches.flat().map(({ key }) => key)).toEqual(
      jobs(sizes.reduce((sum, size) => sum + size, 0)).map(({ key }) => key),
    )
  })

  test('a full batch stays below the gas that one transaction may have (EIP-7825)', () => {
    const { gas } = batchCall(jobs(MAX_BATCH))
    expect(gas <= 2n ** 24n && gas + 100_000n > 2n ** 24n - 200_000n).toBe(true)
  })
})
