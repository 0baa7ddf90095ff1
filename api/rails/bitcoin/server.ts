import type { z } from 'zod'
import { UnavailableError } from '../../../ops/errors.ts'
import { createHttpClient, HttpError } from '../../../ops/http.ts'
import { parseJsonOrNull } from '../../../ops/jsonText.ts'
import type { Log } from '../../../ops/log.ts'
import { SECOND } from '../../../ops/units.ts'
import { BitcoinTransaction, BlockHash, Height, NewestBlocks } from './wire.ts'

const TIMEOUT_MS = 5 * SECOND
/** A transaction as large as a block is about this much as JSON. */
const MAX_BYTES = 16 * 1024 * 1024
const MAINNET_GENESIS = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'

/** @throws UnavailableError for an outage and an answer of another shape, in live mode for another network. */
export type BitcoinServer = {
  /** null: neither in the chain nor in the mempool, as is one that was replaced. */
  transaction(txid: string): Promise<BitcoinTransaction | null>
  tipHeight(): Promise<number>
  /** Hash of a block in the best chain; null beyond its tip. */
  blockHash(height: number): Promise<string | null>
  /** What the newest blocks are stamped, from the tip on: ten of them, or some more. */
  newestTimesS(): Promise<number[]>
  close(): Promise<void>
}

/** An Esplora server (Blockstream's and mempool.space's HTTP interface). */
export function createBitcoinServer({
  url,
  mainnet,
  log,
}: {
  url: string
  mainnet: boolean
  log: Log
}): BitcoinServer {
  const http = createHttpClient({ timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES })
  const base = url.replace(/\/+$/, '')
  let checked = !mainnet

  async function text(path: string): Promise<string | null> {
    try {
      return (await http.readBytes({ url: base + path })).toString('utf8')
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) return null
      const code = error instanceof HttpError ? error.code : 'unknown'
      log.warn({ code }, 'the Bitcoin server gave no answer')
      throw new UnavailableError('chain_unavailable', `bitcoin: ${code}`, error)
    }
  }

  async function ask<T>(
    schema: z.ZodType<T>,
    path: string,
    parse: (text: string) => unknown,
  ): Promise<T | null> {
    if (!checked) await refuseOtherNetwork()
    const answer = await text(path)
    if (answer === null) return null
    const read = schema.safeParse(parse(answer))
    if (read.success) return read.data
    throw new UnavailableError('chain_unavailable', 'bitcoin: the answer has another shape')
  }

  async function refuseOtherNetwork(): Promise<void> {
    checked = (await text('/block-height/0'))?.trim() === MAINNET_GENESIS
    if (!checked) throw new UnavailableError('chain_unavailable', 'the Bitcoin server serves another network')
  }

  return {
    transaction: (txid) => ask(BitcoinTransaction, `/tx/${txid}`, parseJsonOrNull),
    async tipHeight() {
      const height = await ask(Height, '/blocks/tip/height', parseJsonOrNull)
      if (height === null) throw new UnavailableError('chain_unavailable', 'bitcoin: there is no tip')
      return height
    },
    async newestTimesS() {
      const blocks = await ask(NewestBlocks, '/blocks', parseJsonOrNull)
      if (blocks === null) throw new UnavailableError('chain_unavailable', 'bitcoin: there are no blocks')
      return blocks.map(({ timestamp }) => timestamp)
    },
    blockHash: (height) => ask(BlockHash, `/block-height/${height}`, (answer) => answer.trim()),
    close: () => http.close(),
  }
}
