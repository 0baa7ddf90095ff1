import { parseUsdc } from './units.ts'

/**
 * Blocks that must hold a payment, its own included, before its purchase is delivered. 'finalized': as the node says.
 */
export type Depth = number | 'finalized'

/** In ascending order; below the first amount a payment counts from its own block on. */
export type FinalityPolicy = readonly { fromMicroUsdc: bigint; depth: Depth }[]

const STEP = /^(\d{1,9}(?:\.\d{1,6})?):(\d{1,3}|finalized)$/
const AT_INCLUSION: Depth = 1

/** @param text `usdc:blocks` in ascending order, e.g. `1:3,1000:finalized`; empty: always at inclusion. @throws naming the key */
export function parseFinality(text: string): FinalityPolicy {
  const steps = text === '' ? [] : text.split(',').map(parseStep)
  for (const [index, step] of steps.entries())
    if (index > 0 && step.fromMicroUsdc <= steps[index - 1]!.fromMicroUsdc) throw refused()
  return steps
}

export function depthFor(policy: FinalityPolicy, amountMicroUsdc: bigint): Depth {
  return policy.findLast((step) => step.fromMicroUsdc <= amountMicroUsdc)?.depth ?? AT_INCLUSION
}

function parseStep(text: string): FinalityPolicy[number] {
  const [, usdc = '', depth = ''] = STEP.exec(text) ?? []
  const fromMicroUsdc = parseUsdc(usdc)
  const isDepth = depth === 'finalized' || Number(depth) >= 1
  if (fromMicroUsdc === null || !isDepth) throw refused()
  return { fromMicroUsdc, depth: depth === 'finalized' ? depth : Number(depth) }
}

const refused = () =>
  new Error('FINALITY: must be usdc:blocks in ascending order, e.g. 1:3,1000:finalized (blocks 1 to 999)')
