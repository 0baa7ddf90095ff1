import { buyWithMoney, endOfPurchase } from '../buying.ts'
import { type Command, done } from '../command.ts'
import { goodPasses, type PassToken } from '../kept/tokens.ts'
import { COMMON, PAYING } from '../options.ts'
import { PurchaseEnd } from '../outcomes.ts'
import { withoutSecrets } from '../redact.ts'
import { findSeller, findWallet } from '../seller.ts'

const SKU = 'SKU_AG_HOUR_PASS_01'
const PATH = '/x402/v1/hour-pass'

export const pass: Command = {
  name: 'pass',
  words: '',
  maxWords: 0,
  summary: 'Shows the kept hour pass and its calls left; buys one when none is good.',
  notes:
    'One hour, up to 600 answers. The pass is kept in a file that only you can read; ./ops/buy <path> --pass uses it.',
  examples: [
    ['pass', 'buys one unless a kept one still is good'],
    ['pass --show', 'never buys'],
    ['/x402/v1/net --pass', 'reads under it'],
  ],
  options: ['new', 'show', ...PAYING, ...COMMON],
  async run(args, shell) {
    const seller = await findSeller(args, shell.dataDir)
    const { home, base } = seller
    const good = () => goodPasses(home, base, Date.now())
    const [kept] = args.given.has('new') ? [] : await good()
    const show = (token: PassToken) => (args.showSecrets ? token : withoutSecrets(token))
    if (kept !== undefined)
      return done({ pass: show(kept), purchase: null }, describe(kept, args.showSecrets))
    if (args.given.has('show')) throw new PurchaseEnd('used_up', 'no hour pass with calls left is kept here')
    const wallet = await findWallet(args.keyFile, seller)
    const target = { url: new URL(PATH, base).href, sku: SKU }
    const bought = await buyWithMoney(args, shell, { seller, wallet, target, headers: {} })
    const end = endOfPurchase(bought, args)
    if (bought.token?.kind !== 'pass') return { ...end, data: { pass: null, purchase: end.data } }
    return {
      ...end,
      data: { pass: show(bought.token), purchase: end.data },
      text: describe(bought.token, args.showSecrets),
    }
  },
}

const describe = ({ token, base, callsRemaining, expiresAt }: PassToken, showSecrets: boolean): string =>
  `Hour pass of ${base}: ${callsRemaining} calls left until ${expiresAt}\n` +
  `${showSecrets ? `Token      ${token}\n` : ''}Use it     ./ops/buy /x402/v1/spread --pass\n`
