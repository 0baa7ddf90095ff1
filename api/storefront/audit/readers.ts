import { z } from 'zod'
import { parseUsdc } from '../../../ops/units.ts'
import { ServiceEntry } from '../entry.ts'

/** What a surface says about one paid GET; a surface need not say everything. Lists are sorted. */
export type Said = {
  path: string
  sku?: string
  amount?: string //       charged, in millionths of a USDC
  parameters?: string[] // of the query
  required?: string[] //   those of them that must be sent
  headers?: string[] //    that are part of the read, in lower case; none of those that pay
  network?: string
  asset?: string
  payTo?: string
}

/** Reads a surface as a stranger would, from its text alone. @throws when it does not have its known shape. */
export type Reader = (text: string) => Said[]

const PREFIX = '/x402/v1/'

/** `0.001` → `1000`. @throws when it is no price of whole millionths. */
function amountOf(usdc: number | string): string {
  const micro = parseUsdc(String(usdc))
  if (micro === null) throw new Error(`no price: ${usdc}`)
  return micro.toString()
}

const pathOf = (url: string): string => new URL(url).pathname

const Parameters = z.array(
  z.object({ in: z.string().optional(), name: z.string(), required: z.boolean().optional() }),
)
type Parameters = z.infer<typeof Parameters>

const namesOf = (parameters: Parameters): string[] => parameters.map(({ name }) => name).sort()

/** The query parameters among all parameters; `in` is missing when there are no others. */
function queryOf(parameters: Parameters): Pick<Said, 'parameters' | 'required'> {
  const query = parameters.filter(({ in: place }) => place === undefined || place === 'query')
  return { parameters: namesOf(query), required: namesOf(query.filter(({ required }) => required === true)) }
}

/** For surfaces that say for each parameter whether it is in the query or a header. */
const requestOf = (parameters: Parameters): Pick<Said, 'parameters' | 'required' | 'headers'> => ({
  ...queryOf(parameters),
  headers: parameters
    .filter(({ in: place }) => place === 'header')
    .map(({ name }) => name.toLowerCase())
    .sort(),
})

/** An entry states its price twice; if the two differ, neither is taken to stand for the other. */
function fromEntry({ path, sku, amount, priceUsdc, parameters, network, asset, payTo }: ServiceEntry): Said {
  const named = amountOf(priceUsdc)
  return {
    path,
    sku,
    network,
    asset,
    payTo,
    amount: named === amount ? amount : `${amount} or ${named}`,
    ...requestOf(parameters),
  }
}

const Listing = z.object({ services: z.array(ServiceEntry) })
const readServices: Reader = (text) => Listing.parse(JSON.parse(text)).services.map(fromEntry)

const Toolbox = z.object({ tools: z.array(ServiceEntry) })
const readToolbox: Reader = (text) => Toolbox.parse(JSON.parse(text)).tools.map(fromEntry)

const CatalogEntry = z.object({ sku: z.string(), path: z.string().nullable(), priceUsdc: z.number() })
const fromCatalog = ({ sku, path, priceUsdc }: z.infer<typeof CatalogEntry>): Said[] =>
  path === null ? [] : [{ path, sku, amount: amountOf(priceUsdc) }]
const Store = z.object({ catalog: z.array(CatalogEntry) })
const readStore: Reader = (text) => Store.parse(JSON.parse(text)).catalog.flatMap(fromCatalog)

const CatalogPage = z.object({
  collections: z.array(z.object({ goods: z.array(CatalogEntry.extend({ parameters: Parameters })) })),
})
const readCatalogPage: Reader = (text) =>
  CatalogPage.parse(JSON.parse(text))
    .collections.flatMap(({ goods }) => goods)
    .flatMap((good) => fromCatalog(good).map((said) => ({ ...said, ...requestOf(good.parameters) })))

/** A reference to something written once: here to the headers that pay for any read. */
const Reference = z.object({ $ref: z.string() })
const OpenApi = z.object({
  paths: z.record(
    z.string(),
    z.object({
      get: z
        .object({
          'x-payment-info': z.object({ price: z.object({ amount: z.string() }) }).optional(),
          'x-sku': z.string().optional(),
          parameters: z.array(z.union([Reference, Parameters.element])).optional(),
        })
        .optional(),
    }),
  ),
})
const readOpenApi: Reader = (text) => {
  const { paths } = OpenApi.parse(JSON.parse(text))
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const paid = get?.['x-payment-info']
    if (paid === undefined) return []
    const parameters = (get?.parameters ?? []).filter((each) => 'name' in each)
    const sku = get?.['x-sku']
    return [
      {
        path,
        ...(sku === undefined ? {} : { sku }),
        amount: amountOf(paid.price.amount),
        ...requestOf(parameters),
      },
    ]
  })
}

const WellKnown = z.object({
  resources: z.array(z.url()),
  items: z.array(
    z.object({
      resource: z.url(),
      accepts: z.tuple([
        z.object({ amount: z.string(), network: z.string(), asset: z.string(), payTo: z.string() }),
      ]),
    }),
  ),
})
const readWellKnown: Reader = (text) => {
  const { resources, items } = WellKnown.parse(JSON.parse(text))
  const listed = new Set(resources)
  return items
    .filter(({ resource }) => listed.has(resource))
    .map(({ resource, accepts: [{ amount, network, asset, payTo }] }) => ({
      path: pathOf(resource),
      amount,
      network,
      asset,
      payTo,
    }))
}

const Card = z.object({ skills: z.array(z.object({ description: z.string() })) })
const readAgentCard: Reader = (text) =>
  Card.parse(JSON.parse(text)).skills.map(({ description }) => {
    const [, price, url] = /\$(\S+) over x402: GET (\S+)$/.exec(description) ?? []
    return { path: pathOf(url ?? ''), amount: amountOf(price ?? '') }
  })

const Tools = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      inputSchema: z.object({
        properties: z.record(z.string(), z.unknown()).optional(),
        required: z.array(z.string()).optional(),
      }),
      _meta: z
        .object({ sku: z.string().optional(), price: z.object({ amountAtomic: z.string() }).optional() })
        .optional(),
    }),
  ),
})
/** Free tools have no price. The argument `payload` is a header of the same read over HTTP. */
const readTools: Reader = (text) =>
  Tools.parse(JSON.parse(text)).tools.flatMap(({ name, inputSchema, _meta }) => {
    if (_meta?.price === undefined) return []
    const parameters = Object.keys(inputSchema.properties ?? {}).filter((each) => each !== 'payload')
    return [
      {
        path: `${PREFIX}${name}`,
        ...(_meta.sku === undefined ? {} : { sku: _meta.sku }),
        amount: _meta.price.amountAtomic,
        parameters: parameters.sort(),
        required: (inputSchema.required ?? []).toSorted(),
      },
    ]
  })

/** `q, window?` */
function fromSignature(text: string): Pick<Said, 'parameters' | 'required'> {
  const names = text === '' || text === 'none' ? [] : text.split(', ')
  return queryOf(names.map((name) => ({ name: name.replace('?', ''), required: !name.endsWith('?') })))
}

/** Reads the line of names, prices and parameters. */
const readBrief: Reader = (text) => {
  const line = /^NAME, price in USD, query parameters: (.*)\.$/m.exec(text)?.[1] ?? ''
  return [...line.matchAll(/([a-z0-9-]+) ([\d.]+)(?: \(([^)]*)\))?(?:, |$)/g)].map(
    ([, name, price, signature]) => ({
      path: `${PREFIX}${name}`,
      amount: amountOf(price ?? ''),
      ...fromSignature(signature ?? ''),
    }),
  )
}

/** Reads a markdown table: path, price, parameters, … */
const readTable: Reader = (text) =>
  [...text.matchAll(/^\| (\/x402\/v1\/\S+) \| (\S+) \| ([^|]*) \|/gm)].map(([, path, price, signature]) => ({
    path: path ?? '',
    amount: amountOf(price ?? ''),
    ...fromSignature(signature ?? ''),
  }))

/** Reads the table and the section of each good: what both state must be the same. */
const readFull: Reader = (text) => {
  const rows = new Map(readTable(text).map((said) => [said.path, said]))
  return text.split(/^## GET /m).flatMap((section) => {
    const [path = ''] = section.split('\n', 1)
    const [, sku, price] = /^[^,\n]+, (SKU_\w+), (\S+) USD/m.exec(section) ?? []
    const row = rows.get(path)
    if (row === undefined || sku === undefined || price === undefined) return []
    const listed = [...section.matchAll(/^- (query|header) `([^`]+)`( \(required\))?: /gm)]
    const request = requestOf(
      listed.map(([, place, name = '', required]) => ({ in: place, name, required: required !== undefined })),
    )
    const named = amountOf(price)
    const amount = named === row.amount ? named : `${row.amount} or ${named}`
    return [{ ...row, ...request, sku, amount }]
  })
}

/** Every surface that names prices, by its path. */
export const READERS = {
  '/x402/services.json': readServices,
  '/agent-store.json': readStore,
  '/openapi.json': readOpenApi,
  '/agent-toolbox.json': readToolbox,
  '/.well-known/x402': readWellKnown,
  '/.well-known/x402.json': readWellKnown,
  '/.well-known/agent-card.json': readAgentCard,
  '/llms.txt': readBrief,
  '/llms-full.txt': readFull,
  '/skill.md': readTable,
  '/catalog': readCatalogPage,
  '/commerce': readStore,
  '/mcp': readTools,
} as const satisfies Record<string, Reader>
export type Surface = keyof typeof READERS
export const SURFACES = Object.keys(READERS) as Surface[]
