import { UnavailableError } from '../../ops/errors.ts'
import { isRecord } from '../../ops/jsonText.ts'
import { nodesOf } from '../../ops/nodes.ts'
import { createRpc, isExecutionFailure, type Rpc, RpcError } from './rpc.ts'

/** @param addresses of one node, or of two that must agree. */
export function openNodes(addresses: string, options: Parameters<typeof createRpc>[1] = {}): Rpc {
  const [first, second] = nodesOf(addresses).map((address) => createRpc(address, options))
  return second === undefined ? first! : agreeing(first!, second)
}

/**
 * The chain as two nodes of different operators know it, so that no single one decides what was paid (CHN-04). The newest
 * block is the older of their newest ones, and what only one of them has is not there yet. Where they contradict each
 * other there is no answer, neither paid nor unpaid. What decides nothing is asked of the first alone: gas, fees, nonces,
 * and sending.
 */
export function agreeing(first: Rpc, second: Rpc): Rpc {
  return {
    async call(method, params, maxBytes) {
      const agree = AGREE[method]
      if (agree === undefined) return first.call(method, params, maxBytes)
      const ask = (node: Rpc) => node.call(method, params, maxBytes)
      const [x, y] = await Promise.allSettled([ask(first), ask(second)])
      const agreed =
        x.status === 'fulfilled' && y.status === 'fulfilled' ? agree(x.value, y.value) : failed(x, y)
      if (agreed === undefined)
        throw new UnavailableError('chain_unavailable', `${method}: the two nodes contradict each other`)
      return agreed
    },
    async close() {
      await Promise.all([first.close(), second.close()])
    },
  }
}

type Outcome = PromiseSettledResult<unknown>

/** @throws what a node failed with. @returns undefined: called code failed for one of them only. */
function failed(...outcomes: readonly Outcome[]): undefined {
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  const worst = reasons.find((reason) => !(reason instanceof RpcError)) ?? reasons[0]
  const contradicts = reasons.length === 1 && worst instanceof RpcError && isExecutionFailure(worst)
  if (!contradicts) throw worst
}

/** @returns what both say; undefined: they contradict each other. */
type Agree = (x: unknown, y: unknown) => unknown

const AGREE: Readonly<Record<string, Agree>> = {
  eth_chainId: same(lower),
  eth_call: same(lower),
  eth_getBlockByNumber: whereBoth(blocks),
  eth_getTransactionReceipt: whereBoth(same(receipt)),
  eth_getTransactionByHash: whereBoth(same(fieldsOf('hash', 'blockHash', 'from', 'to', 'value'))),
  eth_getLogs: same(logsIn),
}

function same(decisive: (answer: unknown) => string): Agree {
  return (x, y) => (decisive(x) === decisive(y) ? x : undefined)
}

/** What one of them has not got is not there yet. */
function whereBoth(agree: Agree): Agree {
  return (x, y) => (x === null || y === null ? null : agree(x, y))
}

/** Two newest blocks may differ in number, and then the older one is what both have; two of one number may not differ. */
function blocks(x: unknown, y: unknown): unknown {
  const [numberX, numberY] = [numberOf(x), numberOf(y)]
  if (numberX !== numberY) return numberX < numberY ? x : y
  return same(fieldsOf('hash', 'timestamp', 'transactions'))(x, y)
}

const numberOf = (block: unknown): number => Number(isRecord(block) ? block.number : Number.NaN)

/** Nodes differ in letter case, in the order of fields, and in fields of their own. */
function lower(answer: unknown): string {
  return String(JSON.stringify(answer)).toLowerCase()
}

function fieldsOf(...names: readonly string[]): (answer: unknown) => string {
  return (answer) => lower(isRecord(answer) ? names.map((name) => answer[name]) : answer)
}

function receipt(answer: unknown): string {
  const logs = isRecord(answer) ? logsIn(answer.logs) : ''
  return `${fieldsOf('transactionHash', 'blockHash', 'status')(answer)} ${logs}`
}

/** In any order; those of a block that was given up are listed by some nodes only. */
function logsIn(answer: unknown): string {
  if (!Array.isArray(answer)) return lower(answer)
  const log = fieldsOf('blockHash', 'transactionHash', 'logIndex', 'address', 'topics', 'data')
  const stands = (each: unknown) => !isRecord(each) || each.removed !== true
  return answer.filter(stands).map(log).sort().join('\n')
}
