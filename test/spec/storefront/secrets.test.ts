import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isCreditSecret, SECRET_EXAMPLE } from '../../../api/entitlements/credit.ts'
import { GOODS } from '../../../api/goods/index.ts'
import { PLACES, type Place } from '../../../api/storefront/places.ts'
import { get, offerOf, paid, payment } from '../../support/buyer.ts'
import { connectMcp } from '../../support/mcp.ts'
import { startWorld, type World } from './world.ts'

let world: World
let base: string
beforeAll(async () => {
  world = await startWorld()
  base = world.base
})
afterAll(() => world?.stop())

/** Names of the secret that a buyer invents to lock its credit; one that everybody knows locks nothing. */
const NAMES = ['x-service-credit-auth', 'creditspendauth']
const isName = (text: unknown) => typeof text === 'string' && NAMES.includes(text.toLowerCase())

/** Examples in JSON: beside the name, in the schema beside the name, or under it. */
function inJson(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { name, example, schema } = value as { name?: unknown; example?: unknown; schema?: object }
  const beside = isName(name) ? [example, ...Object.values(schema ?? {})] : []
  const under = Object.entries(value).flatMap(([key, each]) => (isName(key) ? [each] : []))
  const found = [...beside, ...under].filter((each) => typeof each === 'string')
  return [...found, ...Object.values(value).flatMap(inJson)]
}

/** Examples in words: after the name and a colon, or in the same line. */
const inText = (text: string): string[] =>
  text.split(/\n|<\/(?:p|li|td|tr|pre)>/).flatMap((line) => {
    if (!NAMES.some((name) => line.toLowerCase().includes(name))) return []
    const sent = line.matchAll(/(?:x-service-credit-auth|creditspendauth)["'\\]*: *["'\\]*([^\s"'`\\]+)/gi)
    const shown = line.matchAll(/example: *(?:`|<code>)([^`]*?)(?:`|<\/code>)/gi)
    return [...sent, ...shown].map(([, example]) => example!)
  })

describe('5.4 the buyer invents creditSpendAuth: no example of it that is published can be one', () => {
  const said = new Map<string, string[]>()
  beforeAll(async () => {
    for (const { path, type } of Object.values<Place>(PLACES))
      for (const accept of type === 'text/html'
        ? ['text/html', 'text/markdown', 'application/json']
        : ['*/*']) {
        const { text, header } = await get(`${base}${path}`, { accept })
        const isJson = /\bjson\b/.test(header('content-type') ?? '')
        said.set(`${path} ${accept}`, [...(isJson ? inJson(JSON.parse(text)) : []), ...inText(text)])
      }
    const client = await connectMcp(base)
    said.set('/mcp tools', inJson(await client.listTools()))
    await client.close()
  })

  test.each([PLACES.services, PLACES.toolbox, PLACES.openapi])('$path shows one', ({ path }) => {
    expect(said.get(`${path} */*`)?.length).toBeGreaterThan(0)
  })

  test('none of any document', () => {
    const usable = [...said].filter(([, examples]) => examples.some(isCreditSecret))
    expect(usable).toEqual([])
  })

  test.each(GOODS.map(({ path }) => path))('%s: the template in its 402 names no buyer', async (path) => {
    const unpaid = await get(`${base}${path}`)
    const required = JSON.parse(Buffer.from(unpaid.header('payment-required')!, 'base64').toString())
    expect(Object.keys(required.extensions.bazaar.info.input)).not.toContain('headers')
    expect([...inJson(required), ...inJson(unpaid.json)].filter(isCreditSecret)).toEqual([])
  })

  test('the one they show buys no credit, and nothing is charged', async () => {
    const { header } = await payment(await offerOf(base, '/x402/v1/credits-2'), world.chain.buyers[0]!)
    const before = await world.chain.balance(world.chain.receiver)
    const shown = { 'x-agent-id': 'agent-7f3c', 'x-service-credit-auth': SECRET_EXAMPLE }
    const refused = await get(`${base}/x402/v1/credits-2`, { ...shown, ...paid(header) })
    expect([refused.status, refused.json.code]).toEqual([400, 'invalid_parameter'])
    expect(await world.chain.balance(world.chain.receiver)).toBe(before)
    const mine = { ...shown, 'x-service-credit-auth': 'correct-horse-battery-staple' }
    const bought = await get(`${base}/x402/v1/credits-2`, { ...mine, ...paid(header) })
    expect(bought.json.result.storeCredit.balanceUsdc).toBe(2)
    const stranger = await get(`${base}/x402/v1/ping`, shown)
    expect([stranger.status, stranger.json.code]).toEqual([402, 'credit_refused'])
    const spent = await get(`${base}/x402/v1/ping`, mine) //  a secret, once accepted, is on every later spend
    expect([spent.status, spent.json.ok]).toEqual([200, true])
  })
})
