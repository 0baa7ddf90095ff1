import { z } from 'zod'
import { type Command, done } from '../command.ts'
import { exchange } from '../exchange.ts'
import { COMMON, SELLER } from '../options.ts'
import { PurchaseEnd } from '../outcomes.ts'
import { findSeller } from '../seller.ts'
import { table } from '../table.ts'
import { printable } from '../terminal.ts'

const PATH = '/x402/services.json'

/** What a service publishes about what it sells, as far as the list shows it. */
const Listing = z.looseObject({
  mode: z.string().optional(),
  network: z.string(),
  asset: z.string(),
  payTo: z.string(),
  services: z
    .array(
      z.looseObject({
        sku: z.string(),
        path: z.string(),
        title: z.string(),
        priceUsdc: z.number(),
        coveredByHourPass: z.boolean(),
        parameters: z.array(z.looseObject({ in: z.string(), name: z.string(), required: z.boolean() })),
      }),
    )
    .max(1_000),
})
type Listing = z.infer<typeof Listing>

export const list: Command = {
  name: 'list',
  words: '[word …]',
  maxWords: 8,
  summary: 'What is sold: path, price, whether the hour pass covers it.',
  notes: `As the service publishes it at ${PATH}. Words keep what has all of them in its path, SKU or title.`,
  examples: [
    ['list', 'everything'],
    ['list gap card --json', 'for programs'],
  ],
  options: [...SELLER, ...COMMON],
  async run(args, shell) {
    const { base } = await findSeller(args, shell.dataDir)
    const listing = await readListing(base, args.timeoutMs)
    const services = listing.services.filter(({ path, sku, title }) => {
      const text = `${path} ${sku} ${title}`.toLowerCase()
      return args.words.every((word) => text.includes(word.toLowerCase()))
    })
    const { mode = null, network, asset, payTo } = listing
    const rows = services.map(({ path, priceUsdc, coveredByHourPass, parameters, title }) => [
      path,
      String(priceUsdc),
      coveredByHourPass ? 'yes' : '',
      parameters
        .filter((parameter) => parameter.in === 'query')
        .map(({ name, required }) => (required ? name : `[${name}]`))
        .join(' '),
      title,
    ])
    const head = ['PATH', 'USD', 'PASS', 'QUERY', 'WHAT']
    const text = table([head, ...rows], { columns: shell.columns, right: [1], paint: shell.paint })
    const end = `${services.length} of ${listing.services.length} · ${base} · ${mode ?? 'mode not said'} · USDC on ${network}`
    return done({ base, mode, network, asset, payTo, services }, `${text}${printable(end)}\n`)
  },
}

async function readListing(base: string, timeoutMs: number): Promise<Listing> {
  const { answer, attempt } = await exchange(new Request(new URL(PATH, base)), timeoutMs)
  if (answer === null) throw new PurchaseEnd('unreachable', `${base} does not answer (${attempt.reason})`)
  const listing = Listing.safeParse(answer.json)
  if (answer.status !== 200 || !listing.success)
    throw new PurchaseEnd('refused', `${base} publishes no list of services at ${PATH} (${answer.status})`)
  return listing.data
}
