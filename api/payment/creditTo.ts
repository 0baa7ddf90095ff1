import { accountDigest, accountOf, creditAuthDigest, isCreditSecret } from '../entitlements/credit.ts'
import type { Problem } from '../errors.ts'
import type { Sellable } from '../goods/good.ts'
import type { CreditLedger } from '../ledger/credits.ts'
import type { ClaimTerms } from '../ledger/ledger.ts'
import type { Call } from './input.ts'

/**
 * Where bought credit goes, decided before any money moves: onto the account of the agent id (else of the payer) if the
 * purchase brings its secret along; else null: a claim code will open it.
 *
 * The caller learns whether a secret is right for a payment that need not be good yet, so guessing is slowed down here
 * (CRD-03); fetching an earlier purchase does not come here. A frozen account is refused before anything is charged:
 * credit bought onto it could not be spent, and its debt ends when the money that left comes back (decisions 008, 015),
 * not by buying more.
 */
export async function creditToOf(
  good: Sellable<unknown>,
  call: Call,
  payer: string,
  { credits, answers }: { credits: CreditLedger; answers: { secret: Buffer } },
): Promise<ClaimTerms['creditTo'] | Problem> {
  const { agentId, creditAuth } = call
  if (good.creditMicroUsdc === undefined || creditAuth === '') return null
  const account = accountOf(agentId === '' ? payer : agentId)
  if (account === null || !isCreditSecret(creditAuth))
    return {
      problem: 'invalid_parameter',
      detail: 'X-Service-Credit-Auth: 16 to 256 visible ASCII characters that you choose.',
    }
  const waits = () => {
    const retryAfterS = call.secretWaitS()
    return retryAfterS === 0 ? null : ({ problem: 'rate_limited', retryAfterS } as const)
  }
  const early = waits()
  if (early !== null) return early
  const auth = creditAuthDigest(answers.secret, account, creditAuth)
  const holder = { account: accountDigest(account), auth }
  const fits = await credits.fits(holder)
  const late = waits() //  others at this address may have guessed meanwhile: as many at once as there are connections
  if (fits === 'mismatch') call.wrongSecret()
  if (late !== null) return late
  if (fits === 'mismatch') return { problem: 'credit_auth_mismatch' }
  return fits === 'frozen' ? { problem: 'credit_frozen' } : holder
}
