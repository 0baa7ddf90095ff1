import type { Problem } from '../errors.ts'
import type { Good } from '../goods/good.ts'
import type { Query } from '../http/query.ts'

/** The good's input from the query; unknown parameters are ignored, as agents add tracking ones. */
export function readInput(good: Good<unknown>, query: Query): { input: unknown } | Problem {
  const known: Record<string, string> = {}
  for (const { name } of good.parameters) {
    const value = query.get(name)
    if (value !== undefined) known[name] = value
  }
  const parsed = good.input.safeParse(known)
  if (parsed.success) return { input: parsed.data }
  const issue = parsed.error.issues[0]
  return { problem: 'invalid_parameter', detail: `${issue?.path.join('.')}: ${issue?.message}` }
}
