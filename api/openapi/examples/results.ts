import type { z } from 'zod'
import { assert } from '../../../ops/errors.ts'
import { formatUsdc, usdcNumber } from '../../../ops/units.ts'
import { isProblem } from '../../errors.ts'
import type { PaymentAttestation, StatementAttestation } from '../../goods/attested.ts'
import type { Good, GoodPorts, Sellable } from '../../goods/good.ts'
import type { CreditGrant } from '../../goods/grants/shapes.ts'
import { shapeAnswer } from '../../goods/utility/dns/answer.ts'
import { dns } from '../../goods/utility/dns/dns.ts'
import { PURE_GOODS } from '../../goods/utility/pure.ts'
import { RECEIPT_ALGORITHM, RECEIPT_FORMAT, verifyUrlOf } from '../../receipts/attestation.ts'
import { STATEMENT_FORMAT, STATEMENT_NOTICE, type Subject } from '../../receipts/statement.ts'
import type { Facts } from '../../storefront/facts.ts'
import { EXAMPLE_MS } from './rows.ts'

type Result = Record<string, unknown>

/** Stands for a secret or a signature of ours: nothing in an example can be mistaken for a real one. */
const LEFT_OUT = '...'
const ID = 'EXAMPLEEXAMPLEEXAMPLE0'
const TX = `0x${'0'.repeat(64)}`
const PAYER = '0x0000000000000000000000000000000000000000'
const AT = new Date(EXAMPLE_MS).toISOString()

/** `result` of a 200, without the receipt: the good itself computes it where that takes no network and no key. */
export function exampleResult(good: Good<unknown>, ports: GoodPorts, facts: Facts): Result {
  const { publicUrl } = facts
  if (good.grant !== undefined)
    return good.grant.issue({ token: `${good.grant.kind}_${LEFT_OUT}`, nowMs: EXAMPLE_MS, publicUrl }).result
  if (good.creditMicroUsdc !== undefined) return exampleCredit(good.creditMicroUsdc)
  if (good.path === dns.path) return { dns: exampleDns(inputOf(good)) }
  const draft = answerOf(good, ports)
  const result = good.finish?.(draft, { transaction: TX }) ?? draft
  return good.subject === undefined ? result : { attestation: exampleStatement(good.subject(result), facts) }
}

const inputOf = ({ input, parameters }: Good<unknown>): unknown => {
  const [first] = parameters
  //  of two parameters that exclude each other, the first is used
  const shown = parameters.every(({ required }) => !required) ? [first] : parameters
  return input.parse(
    Object.fromEntries(shown.flatMap((one) => (one === undefined ? [] : [[one.name, one.example]]))),
  )
}

function answerOf(good: Good<unknown>, ports: GoodPorts): Result {
  const { answer } = PURE_GOODS.find(({ sku }) => sku === good.sku) ?? good
  const draft = answer(inputOf(good), ports)
  assert(!(draft instanceof Promise) && !isProblem(draft), `${good.path} has an example`)
  return draft.result
}

const exampleDns = (input: unknown) =>
  shapeAnswer(
    (input as { q: string }).q,
    {
      A: { status: 'ok', raw: [{ address: '93.184.215.14', ttl: 300 }] },
      AAAA: { status: 'nodata' },
      MX: { status: 'ok', raw: [{ exchange: '', priority: 0 }] },
      TXT: { status: 'ok', raw: [['v=spf1 -all']] },
      NS: { status: 'ok', raw: ['a.iana-servers.net', 'b.iana-servers.net'] },
      CNAME: { status: 'nodata' },
    },
    EXAMPLE_MS,
  )

const exampleCredit = (micro: bigint): z.infer<typeof CreditGrant> => ({
  storeCredit: {
    creditUsdc: usdcNumber(micro),
    balanceUsdc: usdcNumber(micro),
    claimCode: `credit_${LEFT_OUT}`,
    spendHint:
      'Spend on any GET of /x402/v1 with x-agent-id, X-Service-Credit-Auth and, once, X-Service-Claim-Code.',
  },
})

const exampleStatement = (subject: Subject, { publicUrl, mode, terms }: Facts) => {
  const { keyId } = terms.receiptKey
  const attestationId = `st_${ID}`
  return {
    attestationId,
    format: STATEMENT_FORMAT,
    algorithm: RECEIPT_ALGORITHM,
    keyId,
    payload: {
      format: STATEMENT_FORMAT,
      notice: STATEMENT_NOTICE,
      keyId,
      attestationId,
      receiptId: ID,
      merchant: publicUrl,
      mode,
      statedBy: PAYER,
      subject,
      transaction: TX,
      issuedAt: AT,
    },
    signature: LEFT_OUT,
    verifyUrl: verifyUrlOf({ merchant: publicUrl, attestationId }),
  } satisfies z.infer<typeof StatementAttestation>
}

/** The receipt of buying this once by x402. */
export function exampleAttestation(
  { sku, priceMicroUsdc, path }: Pick<Sellable<unknown>, 'sku' | 'priceMicroUsdc'> & { path: string },
  snapshotVersion: number | null,
  { publicUrl, mode, terms }: Facts,
): z.infer<typeof PaymentAttestation> {
  const { keyId } = terms.receiptKey
  return {
    attestationId: ID,
    format: RECEIPT_FORMAT,
    algorithm: RECEIPT_ALGORITHM,
    keyId,
    payload: {
      format: RECEIPT_FORMAT,
      keyId,
      attestationId: ID,
      merchant: publicUrl,
      mode,
      sku,
      path,
      amount: formatUsdc(priceMicroUsdc),
      amountAtomic: String(priceMicroUsdc),
      asset: terms.asset,
      network: terms.network,
      payer: PAYER,
      payTo: terms.payTo,
      transaction: TX,
      requestHash: '0'.repeat(64),
      responseHash: '0'.repeat(64),
      snapshotVersion,
      issuedAt: AT,
    },
    signature: LEFT_OUT,
    verifyUrl: verifyUrlOf({ merchant: publicUrl, attestationId: ID }),
  }
}
