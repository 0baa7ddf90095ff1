import { randomBytes } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2.js'
import { bech32, bech32m, createBase58check } from '@scure/base'
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { keptJson } from '../keptJson.ts'
import { idOf, type Raw, scriptTo } from './raw.ts'

const base58check = createBase58check(sha256)
const TEST_VERSIONS = [0x6f, 0xc4]
const TEST_PREFIXES = ['bcrt', 'tb']

/** An address of a test network whose checksum is right: a wallet pays to no other text. */
export const Address = z.string().refine((text) => {
  const segwit = bech32.decodeUnsafe(text) ?? bech32m.decodeUnsafe(text)
  if (segwit) return TEST_PREFIXES.includes(segwit.prefix)
  try {
    return TEST_VERSIONS.includes(base58check.decode(text)[0]!)
  } catch {
    return false
  }
}, 'is no address of this network')

const Output = z.object({ address: z.string(), sats: z.int().min(1) })
export type Output = z.infer<typeof Output>
const Transaction = z.object({
  txid: z.string(),
  inputs: z.array(z.string()).min(1), //  what it spends, `<txid>:<output>`: a replacement spends the same
  from: z.string(),
  outputs: z.array(Output).min(1),
  locktime: z.int().default(0), //        a replacement has another, so that it differs also where it pays the same
  height: z.int().nullable(), //          null: in the mempool
})
export type Transaction = z.infer<typeof Transaction>
const State = z.object({
  blocks: z.array(z.object({ hash: z.string(), time: z.int() })),
  transactions: z.array(Transaction),
})

const MAX_TRANSACTIONS = 10_000

export type Network = {
  tip(): number
  block(height: number): { hash: string; time: number } | null
  find(txid: string): Transaction | null
  /** Adds to the mempool. @param replaces a mempool transaction that it pushes out (RBF). @returns its id. */
  pay(outputs: Output[], replaces?: string): Promise<string>
  mine(blocks: number): Promise<void>
  /** Whether a transaction still waits for a block. Nobody wants more than six blocks. */
  isWaiting(): boolean
  /** The newest blocks are replaced by as many others; what was in them waits again. */
  reorganise(blocks: number): Promise<void>
}

/** A regtest address that nobody has the key of. */
export const newAddress = (): string => bech32.encode('bcrt', [0, ...bech32.toWords(randomBytes(20))])

/** What a transaction's id is the hash of. */
export const rawOf = ({
  inputs,
  outputs,
  locktime,
}: Pick<Transaction, 'inputs' | 'outputs' | 'locktime'>): Raw => ({
  version: 2,
  locktime,
  vin: inputs.map((input) => ({
    txid: input.split(':')[0]!,
    vout: Number(input.split(':')[1]),
    scriptsig: '',
    sequence: 0xff_ff_ff_fd, //  signals that it may be replaced
  })),
  vout: outputs.map(({ address, sats }) => ({ scriptpubkey: scriptTo(address), value: sats })),
})

/**
 * A stand-in for a Bitcoin network behind an Esplora server: a mempool and blocks, without scripts and work. Only
 * what is read of it is real: ids, outputs, replacement, depth.
 */
export async function openNetwork({ path, clock }: { path: string | null; clock: Clock }): Promise<Network> {
  const kept = keptJson(path, State)
  const newBlock = () => ({
    hash: `00000000${randomBytes(28).toString('hex')}`,
    time: Math.floor(clock.nowMs() / 1_000),
  })
  const state = (await kept.load()) ?? { blocks: [newBlock()], transactions: [] }
  const save = () => kept.save(state)
  const tip = () => state.blocks.length - 1
  const find = (txid: string) => state.transactions.find((one) => one.txid === txid) ?? null
  return {
    tip,
    find,
    block: (height) => state.blocks[height] ?? null,
    async pay(outputs, replaces) {
      const old = replaces === undefined ? null : find(replaces)
      if (replaces !== undefined && (old === null || old.height !== null))
        throw new Error('only a transaction in the mempool can be replaced')
      const inputs = old?.inputs ?? [`${randomBytes(32).toString('hex')}:0`]
      const locktime = old === null ? 0 : old.locktime + 1
      const txid = idOf(rawOf({ inputs, outputs, locktime }))
      if (old !== null) state.transactions.splice(state.transactions.indexOf(old), 1)
      state.transactions.push({
        txid,
        inputs,
        from: old?.from ?? newAddress(),
        outputs,
        locktime,
        height: null,
      })
      state.transactions.splice(0, state.transactions.length - MAX_TRANSACTIONS)
      await save()
      return txid
    },
    isWaiting: () => state.transactions.some(({ height }) => height === null || tip() - height < 5),
    async mine(blocks) {
      for (let n = 0; n < blocks; n++) {
        state.blocks.push(newBlock())
        for (const one of state.transactions) one.height ??= tip()
      }
      await save()
    },
    async reorganise(blocks) {
      const from = Math.max(1, state.blocks.length - blocks)
      for (const one of state.transactions) if (one.height !== null && one.height >= from) one.height = null
      for (let height = from; height < state.blocks.length; height++) state.blocks[height] = newBlock()
      await save()
    },
  }
}
