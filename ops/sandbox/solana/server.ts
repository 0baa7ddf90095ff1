import { base58 } from '@scure/base'
import { z } from 'zod'
import { type Answer, type JsonServer, serveJson } from '../jsonServer.ts'
import type { Cluster } from './cluster.ts'

const Call = z.object({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()).default([]) })
const Base58 = (bytes: number) =>
  z.string().refine((text) => {
    try {
      return base58.decode(text).length === bytes
    } catch {
      return false
    }
  })
export const Address = Base58(32)
const Signature = Base58(64)
const Commitment = z.enum(['processed', 'confirmed', 'finalized']).default('finalized')
const TransactionParams = z.tuple([
  Signature,
  z.looseObject({
    commitment: Commitment,
    encoding: z.literal('json'),
    maxSupportedTransactionVersion: z.int().optional(), //  when absent, a node refuses whatever has a version
  }),
])
const SignaturesParams = z.tuple([
  Address,
  z.looseObject({
    commitment: Commitment,
    limit: z.int().min(1).max(1_000).default(1_000),
    before: Signature.optional(),
  }),
])
const Payment = z.strictObject({ to: Address, lamports: z.int().min(1), from: Address.optional() })

/** Not the genesis hash of mainnet: a client that insists on that one does not take our money for real. */
const GENESIS = base58.encode(Buffer.alloc(32, 7))

type Method = (cluster: Cluster, params: unknown[]) => unknown

const METHODS: Record<string, Method> = {
  getHealth: () => 'ok',
  getGenesisHash: () => GENESIS,
  getSlot: (cluster) => cluster.slot(),
  getTransaction(cluster, params) {
    const [signature, options] = TransactionParams.parse(params)
    const found = cluster.find(signature, options.commitment === 'finalized')
    if (found?.version === 0 && options.maxSupportedTransactionVersion === undefined)
      throw new Error('version')
    return found
  },
  getSignaturesForAddress(cluster, params) {
    const [address, { commitment, limit, before }] = SignaturesParams.parse(params)
    const all = cluster.naming(address, commitment === 'finalized').map((one) => ({
      signature: one.transaction.signatures[0]!,
      slot: one.slot,
      blockTime: one.blockTime,
      err: one.meta.err,
      memo: null,
      confirmationStatus: 'finalized',
    }))
    const start = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1
    return all.slice(start, start + limit)
  },
}

/** JSON-RPC as a Solana node speaks it, and `POST /__sandbox/pay {to, lamports, from?}` → `{tx}`. */
export function serveSolana({
  cluster,
  host = '127.0.0.1',
  port = 0,
}: {
  cluster: Cluster
  host?: string
  port?: number
}): Promise<JsonServer> {
  return serveJson({
    host,
    port,
    async answer({ method, path, json }) {
      if (method === 'POST' && path === '/__sandbox/pay') {
        const { to, lamports, from } = Payment.parse(json)
        return { status: 200, json: { tx: await cluster.pay(to, lamports, from) } }
      }
      if (method !== 'POST' || path !== '/') return { status: 404, json: { error: 'not found' } }
      return call(cluster, json)
    },
  })
}

function call(cluster: Cluster, json: unknown): Answer {
  const { id, method, params } = Call.parse(json)
  const reply = (rest: object): Answer => ({ status: 200, json: { jsonrpc: '2.0', id, ...rest } })
  const run = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined
  if (run === undefined) return reply({ error: { code: -32601, message: 'Method not found' } })
  try {
    return reply({ result: run(cluster, params) })
  } catch {
    return reply({ error: { code: -32602, message: 'Invalid params' } })
  }
}
