import { UnavailableError } from '../../ops/errors.ts'
import type { Payment } from './port.ts'
import type { Rpc } from './rpc.ts'
import { type SimulatedSender, simulateLone, simulateShared, type Verdict } from './simulate.ts'

/** Gas of one shared eth_call stays under 20 million, which every node grants. */
const GROUP = 150
const GROUPS_AT_ONCE = 4
const LONE_AT_ONCE = 8
/** What may wait in each lane; above it the caller is told that the chain is unavailable. */
const MAX_WAITING = 5_000
const MAX_LONE_WAITING = 500

type Waiting = {
  payment: Payment
  resolve(verdict: Verdict): void
  reject(error: unknown): void
}

export type Simulator = { simulate(payment: Payment): Promise<Verdict> }

/**
 * Gathers the calls of one turn of the event loop. Key-signed payments share an eth_call; those that run a
 * wallet's code go alone. While as many calls are under way as may be, later ones gather into larger groups.
 */
export function createSimulator({ rpc, sender }: { rpc: Rpc; sender?: SimulatedSender }): Simulator {
  const shared: Waiting[] = []
  const lone: Waiting[] = []
  const same = new Map<string, Promise<Verdict>>() //  copies of one payment ask once
  let groups = 0
  let alone = 0
  let scheduled = false

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      while (groups < GROUPS_AT_ONCE && shared.length > 0) void runGroup(takeGroup(shared))
      while (alone < LONE_AT_ONCE && lone.length > 0) void runLone(lone.shift()!)
    })
  }

  async function runGroup(group: Waiting[]): Promise<void> {
    groups++
    try {
      const payments = group.map(({ payment }) => payment)
      const verdicts = await simulateShared(rpc, payments, sender)
      group.forEach(({ resolve }, index) => {
        resolve(verdicts[index]!)
      })
    } catch (error) {
      for (const { reject } of group) reject(error)
    } finally {
      groups--
      schedule()
    }
  }

  async function runLone({ payment, resolve, reject }: Waiting): Promise<void> {
    alone++
    try {
      resolve(await simulateLone(rpc, payment, sender))
    } catch (error) {
      reject(error)
    } finally {
      alone--
      schedule()
    }
  }

  function enqueue(payment: Payment): Promise<Verdict> {
    const [lane, bound] = payment.signer === 'ecdsa' ? [shared, MAX_WAITING] : [lone, MAX_LONE_WAITING]
    if (lane.length >= bound)
      return Promise.reject(new UnavailableError('chain_unavailable', 'too many simulations are waiting'))
    schedule()
    return new Promise((resolve, reject) => lane.push({ payment, resolve, reject }))
  }

  return {
    simulate(payment) {
      const { from, to, value, validAfter, validBefore, nonce } = payment.authorization
      const key = [payment.asset, payment.signature, from, nonce, to, value, validAfter, validBefore].join()
      const running = same.get(key)
      if (running !== undefined) return running
      const verdict = enqueue(payment).finally(() => same.delete(key))
      same.set(key, verdict)
      return verdict
    },
  }
}

/**
 * The oldest, but never two of one (from, nonce): inside one call the second would fail because the first has
 * used it, although neither has. Different payments of one payer may meet: they share one balance.
 */
function takeGroup(waiting: Waiting[]): Waiting[] {
  const taken = new Set<string>()
  const group: Waiting[] = []
  const left: Waiting[] = []
  for (const one of waiting) {
    const { from, nonce } = one.payment.authorization
    const key = from + nonce
    if (group.length < GROUP && !taken.has(key)) {
      taken.add(key)
      group.push(one)
    } else left.push(one)
  }
  waiting.splice(0, waiting.length, ...left)
  return group
}
