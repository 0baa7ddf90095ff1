import type { Problem } from '../errors.ts'
import type { Good } from '../goods/good.ts'
import { misnamed } from '../goods/misnamed.ts'
import { MALFORMED_QUERY, parseQuery, type Query } from '../http/query.ts'
import { firstIssue, IN_WORDS } from '../problems/issue.ts'

/** What a paid request carries beside its payment, as sent. */
export type Call = {
  rawQuery: string
  payload: string //        X-Service-Payload; '' where the good does not read it
  agentId: string
  creditAuth: string //     X-Service-Credit-Auth
  claimCode: string //      X-Service-Claim-Code
  idempotencyKey: string
  payerSignature: string //  X-Service-Payer-Signature
  wrongSecret(): void //     told when its pass or credit secret fits nothing
  secretWaitS(): number //   how long this address must wait to learn whether a secret is right; 0: not at all
}

/** What a request asks for beside its path: the query, and header X-Service-Payload where the good reads it. */
export type Asked = { query: Query; payload: string }

/** @param payload '' when the header is absent or the good does not read it. */
export function readAsked({ rawQuery, payload }: Pick<Call, 'rawQuery' | 'payload'>): Asked | Problem {
  const query = parseQuery(rawQuery)
  if (query === null) return MALFORMED_QUERY
  return { query, payload }
}

/** The good's input; unknown parameters are ignored, as agents add tracking ones, unless they must be mistakes. */
export function readInput(good: Good<unknown>, { query, payload }: Asked): { input: unknown } | Problem {
  const names = good.parameters.map(({ name }) => name)
  const mistake = misnamed(names, query.keys())
  if (mistake !== null) return { problem: 'invalid_parameter', detail: mistake }
  const known: Record<string, string> = payload === '' ? {} : { payload }
  for (const name of names) {
    const value = query.get(name)
    if (value !== undefined) known[name] = value
  }
  const parsed = good.input.safeParse(known, IN_WORDS)
  return parsed.success
    ? { input: parsed.data }
    : { problem: 'invalid_parameter', detail: firstIssue(parsed.error, 'query') }
}
