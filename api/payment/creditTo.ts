import { accountDigest, accountOf, creditAuthDigest, isCreditSecret } from '../entitlements/credit.ts'
import type { Problem } from '../errors.ts'
import type { Sellable } from '../goods/good.ts'
import type { CreditLedger } from '../ledger/credits.ts'
import type { ClaimTerms } from '../ledger/ledger.ts'
import type { Call } from './input.ts'

/**
 * Where bought credit goes, decided before any money moves: onto the account of the agent id (else of the payer) when
 * the purchase brings its secret along, else nowhere yet: a claim code will open it.
 */
export async function creditToOf(
  good: Sellable<unknown>,
  { agentId, creditAuth }: Call,
  payer: string,
  { credits, answers }: { credits: CreditLedger; answers: { secret: Buffer } },
): Promise<ClaimTerms['creditTo'] | Problem> {
  if (good.creditMicroUsdc === undefined || creditAuth === '') return null
  const account = accountOf(agentId === '' ? payer : agentId)
  if (account === null || !isCreditSecret(creditAuth))
    return {
      problem: 'invalid_parameter',
      detail: 'X-Service-Credit-Auth: 16 to 256 visible ASCII characters of your own invention.',
    }
  const auth = creditAuthDigest(answers.secret, account, creditAuth)
  const holder = { account: accountDigest(account), auth }
  return (await credits.fits(holder)) ? holder : { problem: 'credit_auth_mismatch' }
}
