import type { Arguments } from '../arguments.ts'
import { buyWithMoney, endOfPurchase } from '../buying.ts'
import { type Command, type Done, done, type Shell } from '../command.ts'
import { exchange, parseJson } from '../exchange.ts'
import { FeedAnswer, feedLine, feedTable } from '../feedLine.ts'
import { follow, REVOKED, RevokedToken } from '../follow.ts'
import { type FeedToken, forgetToken, goodFeedTokens } from '../kept/tokens.ts'
import { COMMON, PAYING } from '../options.ts'
import { PurchaseEnd } from '../outcomes.ts'
import { ACCEPT, describeUnpaid } from '../pay.ts'
import { withoutSecrets } from '../redact.ts'
import { findSeller, findWallet, type Seller } from '../seller.ts'

/** What --buy buys: a token for the same feed, by its length. */
const LENGTHS = {
  day: { path: '/x402/v1/bot-fuel-day', sku: 'SKU_AG_BOT_FUEL_24H' },
  week: { path: '/x402/v1/alpha-7d', sku: 'SKU_AG_ALPHA_7D' },
} as const

export const feed: Command = {
  name: 'feed',
  words: '',
  maxWords: 0,
  summary:
    'Reads the alpha feed with the kept token: what is open now, or with --follow each event as it comes.',
  notes:
    'Buys only when told to with --buy, and only when no kept token is good; a day costs more than the default limit of 1.00, so say --max-usd too. --json prints one message a line as the service sends it. A lost connection is taken up behind the last event; Ctrl-C ends with 0.',
  examples: [
    ['feed --buy day --max-usd 1.49', 'buys a token, shows what is open'],
    ['feed --follow --topic edges', 'events as lines'],
    ['feed --follow --json | jq .kind', 'for programs'],
  ],
  options: ['buy', 'follow', 'topic', 'from', 'count', ...PAYING, ...COMMON],
  async run(args, shell) {
    const seller = await findSeller(args, shell.dataDir)
    let revoked: RevokedToken | null = null
    for (const token of await goodFeedTokens(seller.home, seller.base, Date.now()))
      try {
        return await read(args, shell, seller, token)
      } catch (error) {
        //  a stream that had begun is not taken up with another token: that one would tell its events again
        if (!(error instanceof RevokedToken) || error.wasOpen) throw error
        revoked = error
      }
    if (revoked !== null && args.feedLength === '') throw revoked
    const bought = await buyToken(args, shell, seller)
    return 'token' in bought ? await read(args, shell, seller, bought) : bought
  },
}

async function read(args: Arguments, shell: Shell, { home }: Seller, token: FeedToken): Promise<Done> {
  try {
    return args.given.has('follow')
      ? await followFeed(args, shell, token)
      : await readFeed(args, shell, token)
  } catch (error) {
    if (error instanceof PurchaseEnd && error.outcome === 'used_up') await forgetToken(home, token)
    throw error
  }
}

/** @returns the token, or how buying it ended badly. */
async function buyToken(args: Arguments, shell: Shell, seller: Seller): Promise<FeedToken | Done> {
  if (args.feedLength === '')
    throw new PurchaseEnd(
      'used_up',
      'no feed token that is good is kept here; buy one with --buy day or --buy week',
    )
  const { path, sku } = LENGTHS[args.feedLength]
  const wallet = await findWallet(args.keyFile, seller)
  const target = { url: new URL(path, seller.base).href, sku }
  //  standard output is for the feed: the purchase is shown on standard error, and its report only on failure
  const aside: Shell = { ...shell, write: (text) => shell.warn(text.replace(/\n$/, '')) }
  const bought = await buyWithMoney(args, aside, { seller, wallet, target, headers: {} })
  if (bought.token?.kind === 'feed' && bought.report.outcome === 'bought') return bought.token
  return endOfPurchase(bought, args)
}

async function followFeed(args: Arguments, shell: Shell, token: FeedToken): Promise<Done> {
  const stop = new AbortController()
  let said = feedLine({ kind: 'status', stale: false }, shell) //  fresh, unless told otherwise
  let left = args.count ?? Number.POSITIVE_INFINITY
  shell.atInterrupt = () => ({ outcome: 'done', message: null })
  await follow({
    url: urlOf(token, args),
    headers: { [token.header]: token.token },
    lastEventId: args.fromId,
    stop: stop.signal,
    onOpen: () => shell.progress.stop(),
    onLost(why, afterMs) {
      shell.warn(`${why}; again in ${afterMs} ms`)
      shell.progress.start('connecting again')
    },
    async onEvent({ kind, data }) {
      const line = args.json ? compact(data) : feedLine(parse(data), shell)
      const isStatus = kind === 'status' //  every connection begins with one: people see it only when it is new
      if (args.json || !isStatus || line !== said) shell.write(`${line}\n`)
      if (isStatus) said = line
      else left -= 1
      return left > 0 && (await shell.drained())
    },
  })
  return done(null)
}

/** What is open now; with --from the events after that one. */
async function readFeed(args: Arguments, shell: Shell, token: FeedToken): Promise<Done> {
  const url = new URL(urlOf(token, args))
  if (args.fromId !== '') url.searchParams.set('since', args.fromId)
  if (args.count !== null) url.searchParams.set('limit', String(args.count))
  const headers = { ...ACCEPT, [token.header]: token.token }
  const { answer, attempt } = await exchange(new Request(url, { headers }), args.timeoutMs)
  if (answer === null)
    throw new PurchaseEnd('unreachable', `${url.origin} does not answer (${attempt.reason})`)
  const feedAnswer = FeedAnswer.safeParse(answer.json)
  if (attempt.code === REVOKED) throw new RevokedToken({ wasOpen: false })
  if (answer.status !== 200 || !feedAnswer.success)
    throw new PurchaseEnd(answer.status === 401 ? 'used_up' : 'refused', describeUnpaid(answer))
  return done({ feed: withoutSecrets(answer.json) }, feedTable(feedAnswer.data, shell))
}

function urlOf({ url }: FeedToken, { topic }: Arguments): string {
  const asked = new URL(url)
  if (topic !== '') asked.searchParams.set('topic', topic)
  return asked.href
}

const parse = (data: string): unknown => parseJson(data) ?? data

/** One line whatever the service sends. */
const compact = (data: string): string => JSON.stringify(parse(data))
