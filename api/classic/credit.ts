import type { z } from 'zod'
import { accountDigest, creditAuthDigest, isCreditSecret } from '../entitlements/credit.ts'
import { digestOfToken, isToken } from '../entitlements/token.ts'
import type { Problem } from '../errors.ts'
import type { CreditHolder } from '../ledger/credits.ts'
import type { ClassicPorts } from './ports.ts'
import type { Asked } from './request.ts'
import type { PurchaseRequest } from './shapes.ts'

type Purchase = Asked<z.output<typeof PurchaseRequest>>

const secretOf = ({ body, creditAuth }: Purchase): string => body.creditSpendAuth || creditAuth

/** Why this request has to wait before its secret is tried, or null. A request without one never has to. */
export function refuseGuess(asked: Purchase, { guesses }: ClassicPorts): Problem | null {
  if (secretOf(asked) === '') return null
  const retryAfterS = guesses.waitS(asked.address)
  return retryAfterS === 0 ? null : { problem: 'rate_limited', retryAfterS }
}

/**
 * The account whose credit may be spent and that receives credit; null when no secret was sent. Others at this address
 * may have guessed while the ledger was asked, as many at once as there are connections: then nothing is revealed
 * (CRD-03).
 */
export async function creditOf(asked: Purchase, ports: ClassicPorts): Promise<CreditHolder | null | Problem> {
  const { buyer, body } = asked
  const secret = secretOf(asked)
  if (secret === '') return null
  if (buyer === '' || !isCreditSecret(secret))
    return {
      problem: 'invalid_parameter',
      detail: 'creditSpendAuth: 16 to 256 visible ASCII characters that you choose, with a buyerId.',
    }
  const holder = {
    account: accountDigest(buyer),
    auth: creditAuthDigest(ports.answers.secret, buyer, secret),
  }
  const wrong = await refuseSecret(holder, body.claimCode || asked.claimCode, ports)
  const late = refuseGuess(asked, ports)
  if (wrong !== null && wrong !== 'credit_frozen') ports.guesses.count(asked.address)
  if (late !== null) return late
  return wrong === null ? holder : { problem: wrong }
}

/** Opens what the claim code is for. @returns why the secret, or the code, opens nothing; null when all is well. */
async function refuseSecret(
  holder: CreditHolder,
  claimCode: string,
  { credits }: ClassicPorts,
): Promise<'credit_refused' | 'credit_auth_mismatch' | 'credit_frozen' | null> {
  if (claimCode !== '') {
    if (!isToken(claimCode, 'credit')) return 'credit_refused'
    const opened = await credits.openLot(digestOfToken(claimCode), holder)
    if (opened === 'mismatch') return 'credit_auth_mismatch'
    if (opened === 'unknown') return 'credit_refused'
    if (opened === 'frozen') return 'credit_frozen'
  }
  return (await credits.fits(holder)) === 'mismatch' ? 'credit_refused' : null
}
