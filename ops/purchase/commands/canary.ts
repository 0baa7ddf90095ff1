import { counted } from '../../counted.ts'
import { formatUsdc } from '../../units.ts'
import type { Arguments } from '../arguments.ts'
import { buyWithMoney } from '../buying.ts'
import { endOf, endsAll, type Look, looksAt } from '../canary.ts'
import type { Command, Shell } from '../command.ts'
import { exchange } from '../exchange.ts'
import { keptSales } from '../kept/sales.ts'
import { limitsOf, readLimits } from '../kept/spending.ts'
import { holdsAll, LISTING_PATH, readListing, type Service } from '../listing.ts'
import { COMMON, PAYING } from '../options.ts'
import { type Outcome, PurchaseEnd } from '../outcomes.ts'
import { ACCEPT } from '../pay.ts'
import { findSeller, findWallet, type Seller } from '../seller.ts'
import { resolveTarget } from '../target.ts'
import { printable } from '../terminal.ts'
import type { Wallet } from '../wallet.ts'
import { readExampleInput } from '../wire.ts'

const DEFAULT_DAYS = 25

export const canary: Command = {
  name: 'canary',
  words: '[word …]',
  maxWords: 8,
  summary: 'Buys every listed read that was not bought from here lately: for cron, at whoever sells.',
  notes: `A purchase with money shows that all of it works, and directories drop a read that nobody has paid for in a month. What is sold stands at ${LISTING_PATH}; words keep what has all of them in its path, SKU or title. The cheapest come first; what costs more than --max-usd is left out. The exit code is that of the gravest purchase.`,
  examples: [
    ['canary --max-usd 0.01', 'the reads that cost a cent at most'],
    ['canary --base https://host.example --key-file k --max-day-usd 1 --json', 'every night'],
  ],
  options: ['days', ...PAYING, ...COMMON],
  async run(args, shell) {
    const seller = await findSeller(args, shell.dataDir)
    const wallet = await findWallet(args.keyFile, seller)
    const { services, mode = null } = await readListing(seller.base, args.timeoutMs)
    const wanted = services.filter(holdsAll(args.words))
    if (wanted.length === 0) throw new PurchaseEnd('usage', 'nothing that is sold has all of these words')
    const { callMicro } = limitsOf(await readLimits(seller.home), args.limits)
    const days = args.days ?? DEFAULT_DAYS
    const due = { base: seller.base, nowMs: Date.now(), days, callMicro }
    const looks = looksAt(wanted, await keptSales(seller.home), due)
    await buyDue(looks, wanted, { args, shell, seller, wallet })
    const { outcome, message } = endOf(looks)
    const text = `${summary(looks, days, callMicro)}${message === null ? '' : `\n${printable(message)}`}\n`
    return { outcome, message, data: { base: seller.base, mode, days, reads: looks }, text }
  },
}

/** Buys what is due, one after the other; each is reported when it is over. */
async function buyDue(
  looks: Look[],
  services: readonly Service[],
  { args, shell, seller, wallet }: { args: Arguments; shell: Shell; seller: Seller; wallet: Wallet },
): Promise<void> {
  let isOver = false
  for (const look of looks) {
    if (look.outcome !== 'due') continue
    if (isOver) look.outcome = 'left'
    else {
      shell.progress.start(`buying ${printable(look.path)}`)
      const service = services.find(({ path }) => path === look.path)!
      const ended = await buyOne(service, { args, shell, seller, wallet })
      shell.progress.stop()
      Object.assign(look, ended)
      isOver = endsAll(ended.outcome)
    }
    if (!args.json) shell.write(`${line(look)}\n`)
  }
}

/**
 * Buys with the example input that the read's 402 gives to catalogues, as a stranger would. Reported as one line, so
 * without the steps that a single purchase shows.
 */
async function buyOne(
  service: Service,
  { args, shell, seller, wallet }: { args: Arguments; shell: Shell; seller: Seller; wallet: Wallet },
): Promise<Pick<Look, 'message' | 'attestationId'> & { outcome: Outcome }> {
  try {
    const pointer = { kind: 'path', path: service.path } as const
    const { url } = await resolveTarget(pointer, seller.base, [])
    const { answer } = await exchange(new Request(url, { headers: ACCEPT }), args.timeoutMs)
    const input = readExampleInput(answer?.headers.get('payment-required') ?? null)
    const target = { ...(await resolveTarget(pointer, seller.base, input)), sku: service.sku }
    const { report } = await buyWithMoney({ ...args, json: true }, shell, {
      seller,
      wallet,
      target,
      headers: {},
    })
    const { outcome, message, receipt } = report
    return { outcome, message, attestationId: receipt?.attestation.attestationId ?? null }
  } catch (error) {
    if (!(error instanceof PurchaseEnd)) throw error
    return { outcome: error.outcome, message: error.message, attestationId: null }
  }
}

const line = ({ outcome, path, priceUsdc, attestationId, message }: Look): string =>
  printable(
    `${outcome.padEnd(15)}  ${path.padEnd(26)}  ${String(priceUsdc).padStart(5)} USD  ${attestationId ?? message ?? ''}`,
  ).trimEnd()

function summary(looks: readonly Look[], days: number, callMicro: bigint): string {
  const count = (wanted: Look['outcome']) => looks.filter(({ outcome }) => outcome === wanted).length
  return [
    `${count('bought')} bought`,
    `${count('not_due')} not due (bought within ${counted(days, 'day')})`,
    `${count('too_dear')} above ${formatUsdc(callMicro)} USD`,
    `${count('left')} left`,
  ].join(' · ')
}
