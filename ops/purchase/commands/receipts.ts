import { type Command, done } from '../command.ts'
import { type KeptSale, keptSale, keptSales } from '../kept/sales.ts'
import { COMMON } from '../options.ts'
import { PurchaseEnd } from '../outcomes.ts'
import { withoutSecrets } from '../redact.ts'
import { findHome } from '../seller.ts'
import { table } from '../table.ts'
import { prettyJson } from '../terminal.ts'

export const receipts: Command = {
  name: 'receipts',
  words: '[id]',
  maxWords: 1,
  summary: 'Lists the kept receipts, newest first; with an id shows the purchase with its answer.',
  examples: [
    ['receipts', 'the list'],
    ['receipts tShu6qRaOqQ3lYAFHlmWDA --json', 'receipt and answer, to hand on'],
  ],
  options: ['show-secrets', 'base', 'data-dir', ...COMMON],
  async run(args, shell) {
    const home = await findHome(args, shell.dataDir)
    const [id] = args.words
    if (id !== undefined) {
      const sale = await keptSale(home, id)
      if (sale === null) throw new PurchaseEnd('usage', `no receipt ${id} is kept here`)
      const shown = args.showSecrets ? sale : withoutSecrets(sale)
      return done({ purchase: shown }, `${prettyJson(shown, shell.paint)}\n`)
    }
    const sales = await keptSales(home)
    const text =
      sales.length === 0
        ? `No receipts are kept in ${home.receiptsDir}\n`
        : table([['AT', 'USD', 'WITH', 'RECEIPT', 'URL'], ...sales.map(row)], {
            columns: shell.columns,
            right: [1],
            paint: shell.paint,
          })
    return done({ receipts: sales.map(summary) }, text)
  },
}

const row = ({ at, amountUsdc, paidWith, attestation, url }: KeptSale): string[] => [
  at.replace(/\.\d+Z$/, 'Z'),
  amountUsdc ?? '',
  paidWith,
  attestation.attestationId,
  url,
]

const summary = ({ at, url, sku, paidWith, amountUsdc, transaction, attestation }: KeptSale) => ({
  at,
  url,
  sku,
  paidWith,
  amountUsdc,
  transaction,
  attestationId: attestation.attestationId,
})
