import { counted } from '../counted.ts'
import { isRecord } from '../jsonText.ts'
import { formatUsdc } from '../units.ts'
import type { ChainView } from './chain.ts'
import type {
  AskedView,
  AttemptView,
  CreditView,
  OfferView,
  PassView,
  Report,
  SaleView,
  SettlementView,
  SignedView,
  Step,
} from './report.ts'
import { hanging, isoTime, type Paint, prettyJson, printable, short, wrap } from './terminal.ts'

const LABEL_WIDTH = 11
const NAME_WIDTH = 10

/** Shows a purchase as it happens: one block a step, the label on the left, facts on the right. */
export function createNarrator(
  write: (text: string) => void,
  paint: Paint,
  columns: number,
): (step: Step) => void {
  const block = (label: string, lines: string[]) => {
    const head = paint('bold', label.padEnd(LABEL_WIDTH))
    write(`${hanging(head, LABEL_WIDTH, lines).join('\n')}\n`)
  }
  const fact = (name: string, value: string) =>
    hanging(
      paint('dim', name.padEnd(NAME_WIDTH)),
      NAME_WIDTH,
      wrap(printable(value), columns - LABEL_WIDTH - NAME_WIDTH),
    ).join(`\n${' '.repeat(LABEL_WIDTH)}`)
  const good = (text: string) => `${paint('green', '✓')} ${text}`
  const bad = (text: string) => `${paint('red', '✗')} ${text}`

  return (step) => {
    switch (step.step) {
      case 'start':
        return block('Buying', startLines(step.request, fact))
      case 'asked':
        return block('Asked', askedLines(step.asked, fact))
      case 'signed':
        return block(step.resumed ? 'Resent' : 'Signed', signedLines(step.signed, fact))
      case 'again':
        return block('Waiting', [paint('yellow', againLine(step.attempt))])
      case 'settled':
        return block('Settled', settledLines(step.settlement, step.ms, fact))
      case 'chain':
        return block('On chain', chainLines(step.chain, { fact, good, bad, paint }))
      case 'received':
        return block('Received', receivedLines(step.answer, paint))
      case 'entitled':
        return block('Paid with', [leftLine(step.pass, step.credit)])
      case 'receipt':
        return block('Receipt', [
          fact('id', step.receipt.attestationId),
          ...step.receipt.checks.map(({ name, ok, detail }) =>
            (ok ? good : bad)(`${name.padEnd(12)}${paint('dim', printable(detail))}`),
          ),
        ])
      case 'sale':
        return block('Recorded', saleLines(step.sale, { fact, good, paint }))
      case 'end':
        return write(endText(step.report, paint, columns))
    }
  }
}

type Fact = (name: string, value: string) => string
type Marks = { fact: Fact; good(text: string): string; bad(text: string): string; paint: Paint }

const startLines = ({ method, url, buyer, wallet }: Report['request'], fact: Fact) => [
  `${method} ${printable(url)}`,
  fact('buyer', buyer === null ? wallet : `${buyer} (${wallet})`),
]

function askedLines(asked: AskedView, fact: Fact): string[] {
  const { status, ms, sku, mode, description, accepts } = asked
  return [
    `${status} Payment Required, in ${Math.round(ms)} ms`,
    ...(sku === null ? [] : [fact('sku', `${sku}${mode === null ? '' : `, mode ${mode}`}`)]),
    ...(description === null || description === '' ? [] : [fact('what', description)]),
    ...accepts.flatMap((offer) => offerLines(offer, fact)),
  ]
}

const offerLines = (offer: OfferView, fact: Fact) => [
  fact('price', `${offer.amountUsdc} USDC (${offer.amountAtomic} atomic), scheme ${offer.scheme}`),
  fact('network', offer.network),
  fact('asset', `${offer.asset}${offer.assetName === null ? '' : ` ${offer.assetName}`}`),
  fact('pay to', offer.payTo),
]

const signedLines = ({ from, valueUsdc, validAfter, validBefore, nonce }: SignedView, fact: Fact) => [
  'EIP-3009 transferWithAuthorization',
  fact('from', from),
  fact('value', `${valueUsdc} USDC`),
  fact('valid', `${validAfter === 0 ? 'from now' : `from ${time(validAfter)}`} until ${time(validBefore)}`),
  fact('nonce', short(nonce)),
]

function againLine({ status, code, resendAfterMs }: AttemptView): string {
  const said =
    status === null ? `no answer (${printable(code ?? 'lost')})` : `${status} ${printable(code ?? '')}`.trim()
  return `${said}; the same again in ${seconds(resendAfterMs ?? 0)}`
}

const settledLines = (
  { success, transaction, network, errorReason }: SettlementView,
  ms: number,
  fact: Fact,
) => [
  success ? `in ${seconds(ms)}` : `not settled: ${printable(errorReason ?? 'no reason given')}`,
  fact('tx', transaction),
  fact('network', network),
]

function chainLines(chain: ChainView, { fact, good, bad, paint }: Marks): string[] {
  if (chain.status === 'wrong') return [bad(chain.why)]
  if (chain.status === 'unavailable') return [paint('yellow', `not checked: ${chain.why}`)]
  const { transfer, block, confirmations, blockTime, sentBy } = chain
  return [
    good(`the transfer is in block ${block}, ${counted(confirmations, 'confirmation')}, ${blockTime}`),
    fact('from', transfer.from),
    fact('to', transfer.to),
    fact('value', `${formatUsdc(BigInt(transfer.valueAtomic))} USDC, log ${transfer.logIndex}`),
    fact('gas by', sentBy),
  ]
}

/** The result alone: the envelope says nothing new, and the receipt has a block of its own. */
function receivedLines(answer: unknown, paint: Paint): string[] {
  const result = isRecord(answer) && isRecord(answer.result) ? answer.result : null
  if (result === null) return prettyJson(answer, paint).split('\n')
  const { paymentAttestation: _, ...shown } = result
  return prettyJson(shown, paint).split('\n')
}

/** The columns that tell one sale from another; --json has all of them. */
const SALE_COLUMNS = ['event_id', 'at', 'sku', 'rail', 'payer', 'tx']

function saleLines({ found, row, waitedMs, problem }: SaleView, { fact, good, paint }: Omit<Marks, 'bad'>) {
  if (!found || row === null)
    return [
      paint(
        'yellow',
        `no row in ClickHouse after ${seconds(waitedMs)}${problem === null ? '' : `: ${printable(problem)}`}`,
      ),
    ]
  const shown = SALE_COLUMNS.filter((column) => row[column] !== undefined && row[column] !== null)
  return [
    good(`row in ClickHouse table sales, after ${seconds(waitedMs)}`),
    ...shown.map((column) => fact(column, String(row[column]))),
  ]
}

function endText(report: Report, paint: Paint, columns: number): string {
  const { ok, message, resumeFile, outcome, exitCode } = report
  if (ok) return `\n${paint('green', GOOD_END[report.paidWith])}: ${paidLine(report)}\n`
  const head = paint(
    outcome === 'unknown' ? 'yellow' : 'red',
    `Not bought (${outcome}, exit code ${exitCode})`,
  )
  const why = (message ?? '').split('\n').flatMap((line) => wrap(printable(line), columns - 2))
  const resume =
    resumeFile === null ? [] : ['Do not pay anew. Go on with:', `./ops/buy --resume ${resumeFile}`]
  return `\n${head}\n${[...why, ...resume].map((line) => `  ${line}\n`).join('')}`
}

const GOOD_END = {
  payment: 'Bought and verified',
  pass: 'Read under the pass',
  credit: 'Paid with store credit and verified',
} as const

function paidLine({ paidWith, pass, signed, receipt }: Report): string {
  if (paidWith === 'pass') return `${pass?.callsRemaining} calls left`
  const id = `receipt ${printable(receipt?.attestationId ?? '')}`
  return paidWith === 'payment' ? `${signed?.valueUsdc} USDC, ${id}` : id
}

function leftLine(pass: PassView | null, credit: CreditView | null): string {
  if (pass !== null) return `hour pass, ${pass.callsRemaining} calls left until ${printable(pass.expiresAt)}`
  if (credit === null) return 'unknown'
  const balance = credit.balanceUsdc === null ? 'balance unknown' : `${credit.balanceUsdc} USD left`
  return `store credit of ${printable(credit.account)}, ${balance}`
}

const seconds = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`)

const time = (unixS: number): string => isoTime(unixS * 1_000).replace('.000Z', 'Z')
