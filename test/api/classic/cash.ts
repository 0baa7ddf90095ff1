import { randomBytes } from 'node:crypto'
import { privateKeyToAccount } from 'viem/accounts'
import { isReceiver } from '../../../api/classic/attribute.ts'
import { payerText } from '../../../api/classic/payerSignature.ts'
import type { Rail, RailId, RailTransfer } from '../../../api/rails/rail.ts'
import { assert, UnavailableError } from '../../../ops/errors.ts'
import { DAY } from '../../../ops/units.ts'

const WALLET = privateKeyToAccount(`0x${'b1'.repeat(32)}`)
/** The sender, unless another is named. */
export const BUYER = WALLET.address.toLowerCase()
/** Adds the wallet's signature that the transfer is for this intent. */
export const signedFor = async <Body extends { intentId: string; txHash: string }>(body: Body) => ({
  ...body,
  payerSignature: await WALLET.signMessage({ message: payerText(body.intentId, body.txHash) }),
})

/** A rail without a chain: money moves when the test says so. One dollar rail with six decimals, one coin with eighteen. */
export type Cash = {
  rails: readonly Rail[]
  receiver: string
  /** Sends to the receiver; many at once are outputs of one transaction. @returns its hash. */
  send(rail: RailId, ...outputs: { atomic: bigint | string; from?: string | null; atMs?: number }[]): string
  /** Changes a transfer after it was sent: more confirmations, a settlement, gone. */
  amend(tx: string, change: Partial<RailTransfer>): void
  fail(tx: string): void
  /** Drops a transaction, as a reorganisation does. @returns a function that brings it back. */
  forget(tx: string): () => void
  /** Makes every look at the chain fail, or work again. */
  down(isDown: boolean): void
  /** Sets whether the chain's server has all blocks: it neither lags nor dropped its history. */
  whole(isWhole: boolean): void
  /** Sets the price of an ether; null: nobody quotes one. */
  ether(weiPerMicro?: bigint | null): void
  /** Sets what runs when a rail is asked whether its server has all blocks. */
  onWhole(at: () => void): void
  /** Sets what runs before every look for money; the look waits for it. */
  onLook(at: () => Promise<void>): void
}

const WEI_PER_MICRO = 400_000_000n //  2,500 USD an ether, at first
const DEPTHS = [
  { from: 0n, depth: 2 },
  { from: 50_000_000n, depth: 4 },
  { from: 1_000_000_000n, depth: 6 },
]
const CHAIN_IDS: Partial<Record<RailId, number>> = { usdc_base: 8453, usdc_polygon: 137, eth_base: 8453 }

export function createCash(nowMs: () => number): Cash {
  const receiver = `0x${'ee'.repeat(20)}`
  const mined = new Map<string, RailTransfer[] | 'failed'>()
  let isDown = false
  let etherPrice: bigint | null = WEI_PER_MICRO
  let isWhole = true
  let atWhole = (): void => {}
  let atLook = async (): Promise<void> => {}
  const look = <T>(value: T): T => {
    if (isDown) throw new UnavailableError('rail_unavailable', 'the test has cut the chain off')
    return value
  }
  const rail = (id: RailId, change: Partial<Rail>): Rail => {
    const one: Rail = {
      id,
      label: id,
      chain: id === 'usdc_polygon' ? 'polygon' : 'base',
      asset: 'USDC',
      receiverAddress: receiver,
      alternateReceivers: [],
      explorer: '',
      wallet: '',
      agentDefault: id === 'usdc_base',
      decimals: 6,
      discovers: true,
      quote: async (micro) => ({ atomic: micro, validUntilMs: nowMs() + 900_000, source: null }),
      byHash: async (tx, told = []) => {
        await atLook()
        const found = look(mined.get(tx))
        if (found === undefined) return 'unknown'
        return found === 'failed'
          ? found
          : found.filter(({ rail: on, to }) => on === id && (isReceiver(one, to) || told.includes(to)))
      },
      covers: async () => {
        atWhole()
        return look(isWhole)
      },
      since: (fromMs) => between(Math.max(fromMs, nowMs() - DAY)),
      lookThrough: async (fromMs) => {
        const endMs = fromMs + DAY
        if (endMs >= nowMs()) return { transfers: await between(fromMs), untilMs: nowMs() }
        return { transfers: await between(fromMs, endMs), untilMs: endMs }
      },
      confirmationsFor: (micro) => DEPTHS.findLast(({ from }) => micro >= from)!.depth,
      ...change,
    }
    async function between(fromMs: number, untilMs = Number.POSITIVE_INFINITY): Promise<RailTransfer[]> {
      await atLook()
      return look([...mined.values()])
        .filter((found) => found !== 'failed')
        .flat()
        .filter(({ rail: on, to }) => on === id && isReceiver(one, to))
        .filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs)
    }
    return one
  }
  return {
    receiver,
    rails: [
      rail('usdc_base', {}),
      rail('usdc_polygon', {}),
      rail('eth_base', {
        asset: 'ETH',
        decimals: 18,
        discovers: false,
        since: async () => assert(false, 'as the rail of a coin: it does not discover') as never,
        lookThrough: async () => assert(false, 'as the rail of a coin: it does not discover') as never,
        quote: async (micro) =>
          etherPrice === null
            ? { problem: 'price_unavailable' }
            : { atomic: micro * etherPrice, validUntilMs: nowMs() + 900_000, source: 'test' },
      }),
    ],
    send(id, ...outputs) {
      const tx = `0x${randomBytes(32).toString('hex')}`
      mined.set(
        tx,
        outputs.map(({ atomic, from = BUYER, atMs = nowMs() }, index) => ({
          key: `tx:${CHAIN_IDS[id]}:${tx}:log${index}`,
          rail: id,
          tx,
          index,
          from,
          to: receiver,
          atomic: BigInt(atomic),
          confirmations: 2,
          atMs,
          byAuthorization: false,
        })),
      )
      return tx
    },
    amend(tx, change) {
      const found = mined.get(tx)
      if (found === undefined || found === 'failed') throw new Error('no such transaction')
      mined.set(
        tx,
        found.map((transfer) => ({ ...transfer, ...change })),
      )
    },
    fail: (tx) => void mined.set(tx, 'failed'),
    forget: (tx) => {
      const was = mined.get(tx)!
      mined.delete(tx)
      return () => void mined.set(tx, was)
    },
    down: (cut) => {
      isDown = cut
    },
    whole: (whole) => {
      isWhole = whole
    },
    ether: (weiPerMicro = WEI_PER_MICRO) => {
      etherPrice = weiPerMicro
    },
    onWhole: (at) => {
      atWhole = at
    },
    onLook: (at) => {
      atLook = at
    },
  }
}
