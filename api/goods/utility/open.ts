import type { Clock } from '../../../ops/clock.ts'
import type { Good, GoodPorts } from '../good.ts'
import { createLookUp } from './dns/lookup.ts'
import { createPool } from './pool/pool.ts'
import { PURE_GOODS } from './pure.ts'

/**
 * What the utility reads need of a process: a way to resolvers, and threads. Unless there are to be 0, these are ready,
 * and so is the process itself: the first text of all would hold its event loop for a tenth of a second.
 */
export async function openUtility({
  resolvers,
  threads,
  clock,
}: {
  resolvers: readonly string[]
  threads: number
  clock: Clock
}): Promise<{ ports: Pick<GoodPorts, 'lookUp' | 'compute'>; close(): Promise<void> }> {
  const pool = createPool({ threads })
  const examples = threads > 0 ? PURE_GOODS.map((good) => ({ sku: good.sku, input: exampleOf(good) })) : []
  await Promise.all(examples.flatMap((task) => [pool.warm(task), pool.compute(task)]))
  const lookUp = createLookUp({ servers: resolvers, clock })
  return { ports: { lookUp, compute: pool.compute }, close: () => pool.close() }
}

const exampleOf = ({ input, parameters }: Good<unknown>): unknown =>
  input.parse(Object.fromEntries(parameters.map(({ name, example }) => [name, example])))
