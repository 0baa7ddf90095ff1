import { UnavailableError } from '../../ops/errors.ts'
import { isRecord } from '../../ops/jsonText.ts'
import { nodesOf } from '../../ops/nodes.ts'
import { quantity } from './nodeReads.ts'
import { createRpc, isExecutionFailure, type Rpc, RpcError } from './rpc.ts'

/** @param addresses of one node, or of two that must agree. */
export function openNodes(addresses: string, options: Parameters<typeof createRpc>[1] = {}): Rpc {
  const [first, second] = nodesOf(addresses).map((address) => createRpc(address, options))
  return second === undefined ? first! : agreeing(first!, second)
}

/**
 * The chain as two nodes of different operators know it, so that no single one decides what was paid (CHN-04). The newest
 * block is the older of their newest ones, and what one of them has not come to is not there yet. Where they contradict
 * each other there is no answer: neither paid nor unpaid, neither there nor gone. What decides nothing is asked of the
 * first alone: gas, fees, nonces, and sending.
 */
export function agreeing(first: Rpc, second: Rpc): Rpc {
  const reached = new Map<Rpc, number>() //  the highest block that each has ever shown: what has been seen is not unseen

  function noteBlock(node: Rpc, block: unknown): number {
    const height = Math.max(reached.get(node) ?? NOWHERE, heightOf(block))
    reached.set(node, height)
    return height
  }

  /** Whether a node has not come to the block of what the other one has seen; to what is in no block nobody has. */
  async function isBefore(node: Rpc, seen: unknown): Promise<boolean> {
    const height = heightOf(seen)
    return height === NOWHERE || noteBlock(node, await node.call(BLOCK, ['latest', false])) < height
  }

  return {
    async call(method, params, maxBytes) {
      const decisive = DECISIVE[method]
      if (decisive === undefined) return first.call(method, params, maxBytes)
      const ask = (node: Rpc, asked = params) => node.call(method, asked, maxBytes)
      const [x, y] = await both(method, ask(first), ask(second))
      if (method === BLOCK) {
        noteBlock(first, x)
        noteBlock(second, y)
      }
      if (decisive(x) === decisive(y)) return x
      if (x === null || y === null) {
        const [seen, node] = x === null ? [y, first] : [x, second]
        if (await isBefore(node, seen)) return null
        if (decisive(await ask(node)) === decisive(seen)) return seen //  it has come to it meanwhile
      } else if (method === BLOCK && heightOf(x) !== NOWHERE && heightOf(y) !== NOWHERE) {
        const [older, node] = heightOf(x) < heightOf(y) ? [x, second] : [y, first]
        const same = await ask(node, [quantity(heightOf(older)), ...params.slice(1)])
        if (decisive(same) === decisive(older)) return older
      }
      throw contradiction(method)
    },
    async close() {
      await Promise.all([first.close(), second.close()])
    },
  }
}

const contradiction = (method: string): UnavailableError =>
  new UnavailableError('chain_unavailable', `${method}: the two nodes contradict each other`)

/** @throws what one of them failed with, which says nothing about the other. */
async function both(method: string, ...asked: readonly [Promise<unknown>, Promise<unknown>]) {
  const [x, y] = await Promise.allSettled(asked)
  if (x.status === 'fulfilled' && y.status === 'fulfilled') return [x.value, y.value] as const
  const reasons = [x, y].flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  const worst =
    reasons.find((reason) => !(reason instanceof RpcError)) ??
    reasons.find((reason) => !isExecutionFailure(reason)) ??
    reasons[0]
  //  called code that fails for one of them only
  if (reasons.length === 1 && worst instanceof RpcError && isExecutionFailure(worst))
    throw contradiction(method)
  throw worst
}

const BLOCK = 'eth_getBlockByNumber'
const NOWHERE = -1

/** Of a block, or of the block that holds a receipt or a transaction. */
function heightOf(answer: unknown): number {
  const height = isRecord(answer) ? Number(answer.number ?? answer.blockNumber ?? NOWHERE) : NOWHERE
  return Number.isSafeInteger(height) ? height : NOWHERE
}

/** What the answers to a question must have in common: all that is read of them, since those of one are what is read. */
const DECISIVE: Readonly<Record<string, (answer: unknown) => string>> = {
  eth_chainId: lower,
  eth_call: lower,
  [BLOCK]: fieldsOf('number', 'hash', 'timestamp', 'transactions'),
  eth_getTransactionReceipt: receipt,
  eth_getTransactionByHash: fieldsOf('hash', 'blockHash', 'from', 'to', 'value'),
  eth_getLogs: logsIn,
}

/** Nodes differ in letter case, in the order of fields, and in fields of their own. */
function lower(answer: unknown): string {
  return String(JSON.stringify(answer)).toLowerCase()
}

function fieldsOf(...names: readonly string[]): (answer: unknown) => string {
  return (answer) => lower(isRecord(answer) ? names.map((name) => answer[name]) : answer)
}

/** Also those that were given up: a log is named by its distance from the first one of its transaction. */
function receipt(answer: unknown): string {
  const logs = isRecord(answer) ? [answer.logs].flat() : []
  const own = fieldsOf('transactionHash', 'blockNumber', 'blockHash', 'status')(answer)
  return [own, ...logs.map((each) => `${log(each)} ${isGivenUp(each)}`)].join('\n')
}

/** In any order; those of a block that was given up are listed by some nodes only. */
function logsIn(answer: unknown): string {
  if (!Array.isArray(answer)) return lower(answer)
  const standing = answer.filter((each) => !isGivenUp(each))
  return standing.map(log).sort().join('\n')
}

const log = fieldsOf('blockNumber', 'blockHash', 'transactionHash', 'logIndex', 'address', 'topics', 'data')
const isGivenUp = (each: unknown): boolean => isRecord(each) && each.removed === true
