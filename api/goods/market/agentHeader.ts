import type { Parameter } from '../good.ts'

/** Accepted, checked for its form by the gate, and without effect on the answer. */
export const AGENT_HEADER: readonly Parameter[] = [
  {
    name: 'x-agent-id',
    required: false,
    description: 'Optional stable agent identifier',
    example: 'agent-7f3c',
  },
]
