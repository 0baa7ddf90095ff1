import type { Clock } from '../../../ops/clock.ts'
import type { Good, GoodPorts } from '../good.ts'
import { createLookUp } from './dns/lookup.ts'
import { createPool } from './pool/pool.ts'
import { PURE_GOODS } from './pure.ts'

/** What the utility reads need of a process: a way to resolvers, and threads, which are ready unless there are to be 0. */
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
  if (threads > 0)
    await Promise.all(PURE_GOODS.map((good) => pool.warm({ sku: good.sku, input: exampleOf(good) })))
  const lookUp = createLookUp({ servers: resolvers, clock })
  return { ports: { lookUp, compute: pool.compute }, close: () => pool.close() }
}

const exampleOf = ({ input, parameters }: Good<unknown>): unknown =>
  input.parse(Object.fromEntries(parameters.map(({ name, example }) => [name, example])))
