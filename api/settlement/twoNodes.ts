import { UnavailableError } from '../../ops/errors.ts'
import { isRecord } from '../../ops/jsonText.ts'
import { nodesOf } from '../../ops/nodes.ts'
import { quantity } from './nodeReads.ts'
import { createRpc, isExecutionFailure, type Rpc, RpcError } from './rpc.ts'

/** One node, or two as one. `sender`: the one that transactions are given to, for what it alone knows of them. */
export type Nodes = Rpc & { sender: Rpc }

type Options = Parameters<typeof createRpc>[1] & {
  onContradiction?: ((method: string) => void) | undefined
}

/** @param addresses of one node, or of two that must agree. */
export function openNodes(addresses: string, { onContradiction, ...options }: Options = {}): Nodes {
  const [first, second] = nodesOf(addresses).map((address) => createRpc(address, options))
  return second === undefined ? { ...first!, sender: first! } : agreeing(first!, second, onContradiction)
}

/** With newest blocks further apart than one of Ethereum, the older of two nodes is not just a moment behind. */
const MOST_APART_S = 15

/**
 * The chain as two nodes of different operators know it, so that no single one decides what was paid (CHN-04). The newest
 * block is the older of their newest ones, and what one of them has not come to is not there yet. Where they contradict
 * each other there is no answer: neither paid nor unpaid, neither there nor gone. What decides nothing is asked of the
 * first alone: gas, fees, sending, and what waits there.
 */
export function agreeing(first: Rpc, second: Rpc, onContradiction = (_method: string) => {}): Nodes {
  let shown = NOWHERE //  the highest block that both have ever shown: neither can say later that it has not come so far

  function noted(agreed: unknown): unknown {
    shown = Math.max(shown, heightOf(agreed))
    return agreed
  }

  /** Whether a node has not come to the block of what the other one has seen; to what is in no block nobody has. */
  async function isBefore(node: Rpc, seen: unknown): Promise<boolean> {
    const height = heightOf(seen)
    if (height === NOWHERE) return true
    return height > shown && heightOf(await node.call(BLOCK, NEWEST)) < height
  }

  function contradiction(method: string): UnavailableError {
    onContradiction(method)
    return new UnavailableError('chain_unavailable', `${method}: the two nodes contradict each other`)
  }

  /** Of two blocks the older one, if both have it. */
  async function olderOf(x: unknown, y: unknown, rest: readonly unknown[]): Promise<unknown> {
    const [older, node] = heightOf(x) < heightOf(y) ? [x, second] : [y, first]
    if (heightOf(older) !== NOWHERE) {
      const same = await node.call(BLOCK, [quantity(heightOf(older)), ...rest])
      if (block(same) === block(older)) return noted(older)
    }
    throw contradiction(BLOCK)
  }

  /**
   * The number of the newest block that both have, to repeat a question there that they answered differently at the
   * newest block of each: one of them is mostly a moment behind.
   */
  async function newestOfBoth(method: string): Promise<string> {
    const [x, y] = await both(first.call(BLOCK, NEWEST), second.call(BLOCK, NEWEST))
    if (!(Math.abs(secondsOf(x) - secondsOf(y)) <= MOST_APART_S)) throw contradiction(method)
    return quantity(heightOf(await olderOf(x, y, NEWEST.slice(1))))
  }

  async function ask(method: string, params: readonly unknown[], decisive: Decisive, maxBytes?: number) {
    const said = (answer: unknown) => (answer instanceof RpcError ? 'failed' : decisive(answer))
    const of = (node: Rpc, asked = params) => node.call(method, asked, maxBytes)
    const [x, y] = await both(of(first), of(second))
    if (said(x) === said(y)) return result(x)
    if (params[1] === 'latest') {
      const there = [params[0], await newestOfBoth(method)]
      const [x, y] = await both(of(first, there), of(second, there))
      if (said(x) === said(y)) return result(x)
    } else if (x === null || y === null) {
      const [seen, node] = x === null ? [y, first] : [x, second]
      if (await isBefore(node, seen)) return null
      if (said(await of(node)) === said(seen)) return seen //  it has come to it meanwhile
    } else if (method === BLOCK && !isHeight(params[0])) return await olderOf(x, y, params.slice(1))
    throw contradiction(method)
  }

  return {
    sender: first,
    async call(method, params, maxBytes) {
      const decisive = DECISIVE[method]
      if (decisive === undefined || params[1] === 'pending') return first.call(method, params, maxBytes)
      return noted(await ask(method, params, decisive, maxBytes))
    },
    async close() {
      await Promise.all([first.close(), second.close()])
    },
  }
}

/**
 * What both answered. Code that failed when it was called is an answer, too.
 * @throws what one of them failed with otherwise, which says nothing about the other.
 */
async function both(...asked: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
  const outcomes = await Promise.allSettled(asked.map((one) => one.catch(failureOfCode)))
  const reasons = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (reasons.length > 0) throw reasons.find((reason) => !(reason instanceof RpcError)) ?? reasons[0]
  return outcomes.map((one) => (one as PromiseFulfilledResult<unknown>).value)
}

function failureOfCode(error: unknown): RpcError {
  if (error instanceof RpcError && isExecutionFailure(error)) return error
  throw error
}

function result(answer: unknown): unknown {
  if (answer instanceof RpcError) throw answer
  return answer
}

type Decisive = (answer: unknown) => string

const BLOCK = 'eth_getBlockByNumber'
const NEWEST = ['latest', false] as const
const NOWHERE = -1

/** Of a block, or of the block that holds a receipt or a transaction. */
function heightOf(answer: unknown): number {
  const height = isRecord(answer) ? Number(answer.number ?? answer.blockNumber ?? NOWHERE) : NOWHERE
  return Number.isSafeInteger(height) ? height : NOWHERE
}

/** A block by its number is that one or none; by a name, nodes may mean another one each. */
const isHeight = (block: unknown): boolean => String(block).startsWith('0x')

const secondsOf = (block: unknown): number => (isRecord(block) ? Number(block.timestamp) : Number.NaN)

const block = fieldsOf('number', 'hash', 'timestamp', 'transactions')

/**
 * What the answers to a question must have in common: all that is read of them, since those of one are what is read; but
 * not what only gas is priced by.
 */
const DECISIVE: Readonly<Record<string, Decisive>> = {
  eth_chainId: lower,
  eth_call: lower,
  eth_getTransactionCount: lower,
  [BLOCK]: block,
  eth_getTransactionReceipt: receipt,
  eth_getTransactionByHash: fieldsOf('hash', 'blockNumber', 'blockHash', 'from', 'to', 'value'),
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
