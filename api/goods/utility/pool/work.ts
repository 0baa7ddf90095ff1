import { assert } from '../../../../ops/errors.ts'
import type { Problem } from '../../../errors.ts'
import type { Draft, GoodPorts } from '../../good.ts'
import { PURE_GOODS } from '../pure.ts'

/** One heavy answer to be worked out: of which good, and its parsed input. Both can be sent to a thread. */
export type Task = { sku: string; input: unknown }
export type Work = (task: Task) => Draft | Problem | Promise<Draft | Problem>

const NO_PORTS = new Proxy({} as GoodPorts, {
  get: () => assert(false, 'a pure good uses no ports'),
})

/** Works it out on the spot. As the default export it is also the entry of the pool's threads. */
export const work: Work = ({ sku, input }) => {
  const good = PURE_GOODS.find((one) => one.sku === sku)
  assert(good !== undefined, 'only pure goods are worked out here')
  return good.answer(input, NO_PORTS)
}

export default work
