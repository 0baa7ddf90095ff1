import { MICRO_PER_USDC } from '../../units.ts'
import { buyWithMoney, endOfPurchase } from '../buying.ts'
import { type Command, done } from '../command.ts'
import { newSecret } from '../kept/entitlements.ts'
import { type CreditKey, creditKeyOf, creditKeys, keepToken } from '../kept/tokens.ts'
import { COMMON, PAYING } from '../options.ts'
import { PurchaseEnd } from '../outcomes.ts'
import { withoutSecrets } from '../redact.ts'
import { findSeller, findWallet } from '../seller.ts'

const PACKS = ['2', '5', '10'] as const

export const credits: Command = {
  name: 'credits',
  words: '[2 | 5 | 10]',
  completes: PACKS,
  maxWords: 1,
  summary:
    'Buys store credit of 2, 5 or 10 USD, locked with a secret of its own; without an amount shows what is kept.',
  notes:
    'The secret is invented and kept before anything is paid, and sent with the purchase, so that the credit is locked from the start. The amount on the command line is the limit for this purchase. ./ops/buy <path> --credit spends it. The balance is what the service last said.',
  examples: [
    ['credits 2', 'buys credit for the address of the wallet'],
    ['credits', 'what is left'],
    ['/x402/v1/match --q fed --credit', 'spends it'],
  ],
  options: ['agent-id', ...PAYING, ...COMMON],
  async run(args, shell) {
    const seller = await findSeller(args, shell.dataDir)
    const { home, base } = seller
    const shown = (keys: CreditKey[]) => (args.showSecrets ? keys : withoutSecrets(keys))
    const [amount] = args.words
    if (amount === undefined) {
      const keys = await creditKeys(home, base)
      return done({ credits: shown(keys), purchase: null }, describe(keys, args.showSecrets))
    }
    if (!PACKS.some((pack) => pack === amount)) throw new PurchaseEnd('usage', 'credits: 2, 5 or 10')
    const wallet = await findWallet(args.keyFile, seller)
    const agentId = args.agentId || wallet.account.address.toLowerCase()
    const key = (await creditKeyOf(home, base, agentId)) ?? {
      kind: 'credit' as const,
      base,
      agentId,
      secret: newSecret(),
      claimCode: null,
      balanceUsdc: null,
    }
    await keepToken(home, key)
    const bought = await buyWithMoney(args, shell, {
      seller,
      wallet,
      target: {
        url: new URL(`/x402/v1/credits-${amount}`, base).href,
        sku: `SKU_AG_CREDITS_${amount.padStart(2, '0')}`,
      },
      headers: { 'x-agent-id': key.agentId, 'x-service-credit-auth': key.secret },
      allowMicro: BigInt(amount) * MICRO_PER_USDC,
    })
    const end = endOfPurchase(bought, args)
    const keys = bought.token?.kind === 'credit' ? [bought.token] : []
    const text = keys.length === 0 ? '' : describe(keys, args.showSecrets)
    return { ...end, data: { credits: shown(keys), purchase: end.data }, text }
  },
}

function describe(keys: readonly CreditKey[], showSecrets: boolean): string {
  if (keys.length === 0) return 'No store credit is kept here; buy some with ./ops/buy credits 2\n'
  const lines = keys.map(
    ({ agentId, balanceUsdc, secret }) =>
      `Store credit of ${agentId}: ${balanceUsdc === null ? 'balance not known' : `${balanceUsdc} USD`}\n` +
      `${showSecrets ? `Secret     ${secret}\n` : ''}`,
  )
  return `${lines.join('')}Spend it   ./ops/buy /x402/v1/spread --credit\n`
}
