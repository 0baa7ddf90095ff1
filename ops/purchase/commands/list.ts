import { type Command, done } from '../command.ts'
import { holdsAll, LISTING_PATH, readListing } from '../listing.ts'
import { COMMON, SELLER } from '../options.ts'
import { findSeller } from '../seller.ts'
import { table } from '../table.ts'
import { printable } from '../terminal.ts'

export const list: Command = {
  name: 'list',
  words: '[word …]',
  maxWords: 8,
  summary: 'What is sold: path, price, whether the hour pass covers it.',
  notes: `As the service publishes it at ${LISTING_PATH}. Words keep what has all of them in its path, SKU or title.`,
  examples: [
    ['list', 'everything'],
    ['list gap card --json', 'for programs'],
  ],
  options: [...SELLER, ...COMMON],
  async run(args, shell) {
    const { base } = await findSeller(args, shell.dataDir)
    const listing = await readListing(base, args.timeoutMs)
    const services = listing.services.filter(holdsAll(args.words))
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
