import { z } from 'zod'
import { type Answer, type JsonServer, serveJson } from '../jsonServer.ts'
import { Address, type Network, rawOf, type Transaction } from './network.ts'

const Output = z.strictObject({ address: Address, sats: z.int().min(1) })
const Payment = z.strictObject({ outputs: z.array(Output).min(1).max(100), replaces: z.string().optional() })
const Count = z.strictObject({ blocks: z.int().min(1).max(1_000) })

const NOT_FOUND: Answer = { status: 404, text: 'Transaction not found' }

/**
 * Esplora's HTTP interface as far as it is read, and control: `POST /__sandbox/pay {outputs: [{address, sats}],
 * replaces?}` → `{tx}`, `POST /__sandbox/mine {blocks}`, `POST /__sandbox/reorganise {blocks}`.
 */
export function serveBitcoin({
  network,
  host = '127.0.0.1',
  port = 0,
}: {
  network: Network
  host?: string
  port?: number
}): Promise<JsonServer> {
  const control: Record<string, (json: unknown) => Promise<object>> = {
    '/__sandbox/pay': async (json) => {
      const { outputs, replaces } = Payment.parse(json)
      return { tx: await network.pay(outputs, replaces) }
    },
    '/__sandbox/mine': async (json) => {
      await network.mine(Count.parse(json).blocks)
      return { tip: network.tip() }
    },
    '/__sandbox/reorganise': async (json) => {
      await network.reorganise(Count.parse(json).blocks)
      return { tip: network.tip() }
    },
  }
  return serveJson({
    host,
    port,
    async answer({ method, path, json }) {
      const act = Object.hasOwn(control, path) ? control[path] : undefined
      if (method === 'POST' && act !== undefined) return { status: 200, json: await act(json) }
      return method === 'GET' ? read(network, path) : { status: 405, text: 'Method not allowed' }
    },
  })
}

function read(network: Network, path: string): Answer {
  if (path === '/blocks/tip/height') return { status: 200, text: String(network.tip()) }
  if (path === '/blocks') return { status: 200, json: newestBlocks(network) }
  const height = /^\/block-height\/(\d{1,9})$/.exec(path)
  if (height !== null) {
    const block = network.block(Number(height[1]))
    return block === null ? { status: 404, text: 'Block not found' } : { status: 200, text: block.hash }
  }
  const tx = /^\/tx\/([^/]+)$/.exec(path)
  if (tx === null) return { status: 404, text: 'endpoint does not exist' }
  if (!/^[0-9a-fA-F]{64}$/.test(tx[1]!)) return { status: 400, text: 'Invalid hex string' }
  const found = network.find(tx[1]!.toLowerCase())
  return found === null ? NOT_FOUND : { status: 200, json: asEsplora(network, found) }
}

/** The ten newest, from the tip on. */
function newestBlocks(network: Network): unknown {
  return Array.from({ length: Math.min(10, network.tip() + 1) }, (_, back) => {
    const height = network.tip() - back
    const { hash, time } = network.block(height)!
    return { id: hash, height, timestamp: time }
  })
}

function asEsplora(network: Network, transaction: Transaction): unknown {
  const { txid, from, outputs, height } = transaction
  const block = height === null ? null : network.block(height)
  const { version, locktime, vin, vout } = rawOf(transaction)
  return {
    txid,
    version,
    locktime,
    size: 222,
    weight: 561,
    fee: 1_410,
    vin: vin.map((input) => ({
      ...input,
      scriptsig_asm: '',
      is_coinbase: false,
      witness: [],
      prevout: { scriptpubkey_type: 'v0_p2wpkh', scriptpubkey_address: from, value: 100_000_000 },
    })),
    vout: vout.map((output, nth) => ({
      ...output,
      scriptpubkey_type: 'v0_p2wpkh',
      scriptpubkey_address: outputs[nth]!.address,
    })),
    status:
      block === null
        ? { confirmed: false }
        : { confirmed: true, block_height: height, block_hash: block.hash, block_time: block.time },
  }
}
