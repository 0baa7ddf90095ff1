import { assert } from '../../ops/errors.ts'
import { usdcNumber } from '../../ops/units.ts'
import type { Sellable } from '../goods/good.ts'
import type { CreditBooking, CreditLedger } from '../ledger/credits.ts'
import type { Claim, Delivery, Ledger } from '../ledger/ledger.ts'
import { accountDigest, accountOf, CLAIM_CODE_HEADER, CREDIT_AUTH_HEADER } from './credit.ts'
import { digestOfToken, type TokenKind, tokenOf } from './token.ts'

/** What comes with one answer: its part of the result, the token in it, and what the answer's step stores and books. */
export type IssuedWith = {
  result: Record<string, unknown>
  token: string | null
  row: Delivery['grant']
  credit: CreditBooking | null
}

const NOTHING: IssuedWith = { result: {}, token: null, row: null, credit: null }

export type IssuePorts = {
  ledger: Ledger
  credits: CreditLedger
  answers: { secret: Buffer; publicUrl: string }
}

/** The kind of token in a good's answer; null: there is none, and its payment needs no redemption secret. */
export const tokenKindOf = ({
  grant,
  creditMicroUsdc,
}: Pick<Sellable<unknown>, 'grant' | 'creditMicroUsdc'>): TokenKind | null =>
  grant?.kind ?? (creditMicroUsdc === undefined ? null : 'credit')

/**
 * What a settled claim gives its buyer. Nothing is written here: if the process dies before the answer is stored,
 * nothing was issued, so a reorganisation until then takes nothing back (I3). The same claim always gets the same
 * token, and credit once.
 */
export async function issueWith(
  claim: Claim,
  good: Sellable<unknown>,
  ports: IssuePorts,
): Promise<IssuedWith> {
  const kind = tokenKindOf(good)
  if (kind === null) return NOTHING
  const token = tokenOf(ports.answers.secret, kind, claim.key)
  const digest = digestOfToken(token)
  if (good.creditMicroUsdc !== undefined)
    return await creditOf(claim, good.creditMicroUsdc, token, digest, ports)
  assert(good.grant !== undefined, 'a token that is no claim code comes from a grant')
  const nowMs = await ports.ledger.nowMs()
  const { result, fields, expiresMs } = good.grant.issue({ token, nowMs, publicUrl: ports.answers.publicUrl })
  return { result, token, row: { kind, digest, sku: claim.sku, expiresMs, fields }, credit: null }
}

/**
 * Digest of the account that a claim's credit is for: the one the purchase named, else the paying wallet's. What was
 * paid with credit goes back to the account it came from, which such a claim holds as its payment hash.
 */
export const creditAccountOf = (
  claim: Pick<Claim, 'creditTo' | 'payer' | 'purchasePath' | 'paymentHash'>,
): string =>
  claim.purchasePath === 'credit' ? claim.paymentHash : (claim.creditTo?.account ?? walletAccountOf(claim))

const walletAccountOf = ({ payer }: Pick<Claim, 'payer'>): string => accountDigest(accountOf(payer) ?? payer)

/** The answer names the account only if it is the payer's: the ledger knows no other names. */
async function creditOf(
  claim: Claim,
  micro: bigint,
  claimCode: string,
  lot: string,
  { credits, answers }: IssuePorts,
): Promise<IssuedWith> {
  const account = creditAccountOf(claim)
  const way = claim.purchasePath === 'credit' ? 'back' : 'bought'
  const going = { lot, micro, account, auth: claim.creditTo?.auth ?? null, way } as const
  const told = await credits.look(going)
  const credit = { ...going, told }
  const creditUsdc = usdcNumber(micro)
  const wallet = account === walletAccountOf(claim) ? { account: claim.payer } : {}
  if (told.outcome === 'deposited')
    return {
      token: null,
      row: null,
      credit,
      result: {
        storeCredit: {
          creditUsdc,
          balanceUsdc: usdcNumber(told.balanceMicro),
          ...wallet,
          spendHint: `Spend it on any GET of ${answers.publicUrl}/x402/v1 with x-agent-id: ${wallet.account ?? 'the one of this purchase'}, and your secret as ${CREDIT_AUTH_HEADER}.`,
        },
      },
    }
  return {
    token: claimCode,
    row: null,
    credit,
    result: {
      storeCredit: {
        creditUsdc,
        balanceUsdc: creditUsdc,
        claimCode,
        spendHint: `Invent a secret (16 to 256 visible ASCII characters) and spend on any GET of ${answers.publicUrl}/x402/v1 with x-agent-id, the secret as ${CREDIT_AUTH_HEADER}, and, the first time, this claimCode as ${CLAIM_CODE_HEADER}. The secret then is locked for that agent id.`,
      },
    },
  }
}
