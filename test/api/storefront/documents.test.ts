import { readFileSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { OPENING_SALE } from '../../../api/catalog/openingSale.ts'
import { MAX_RAW_BYTES } from '../../../api/goods/utility/scan/input.ts'
import { scan } from '../../../api/goods/utility/scan/scan.ts'
import { MAX_HEAD_BYTES } from '../../../api/http/server.ts'
import { INTENT_LIMITS } from '../../../api/ledger/intents.ts'
import { DOCUMENTS } from '../../../api/storefront/index.ts'
import { amountWords, limitsOf } from '../../../api/storefront/limits.ts'
import { someFacts } from '../../support/facts.ts'

const facts = someFacts()
const documentAt = (path: string) => DOCUMENTS.find((document) => document.path === path)!
const textAt = (path: string, of = facts) => String(documentAt(path).text(of))
/** Four characters to a token is what English and URLs come to, roughly. */
const tokens = (text: string) => text.length / 4

describe('4.2 /llms.txt and /skill.md are small enough to be read', () => {
  test('/llms.txt: a heading, a quote, sections of links, a few hundred tokens', () => {
    const text = textAt('/llms.txt')
    expect(tokens(text)).toBeLessThan(800)
    expect(text.match(/^# /gm)).toHaveLength(1)
    expect(text.split('\n')[2]).toMatch(/^> /)
    const sections = text.split(/^## .*$/m).slice(1)
    expect(sections).toHaveLength(3)
    for (const section of sections)
      for (const line of section.trim().split('\n')) expect(line).toMatch(/^- \[[^\]]+\]\(http[^)]+\): \S/)
  })

  test('/skill.md: front matter within its bounds, body below 5,000 tokens', () => {
    const [, front, body] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(textAt('/skill.md')) ?? []
    const { name, description, compatibility, metadata } = parse(front!)
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    expect(name.length).toBeLessThanOrEqual(64)
    expect(description.length).toBeLessThanOrEqual(1_024)
    expect(compatibility.length).toBeLessThanOrEqual(500)
    expect(metadata).toEqual({ version: '1.0.0', mode: 'sandbox', 'base-url': facts.publicUrl })
    expect(tokens(body!)).toBeLessThan(5_000)
    expect(body).toMatch(/^7\. /m)
  })

  test.each(['/llms.txt', '/llms-full.txt', '/skill.md', '/x402/services.json', '/agent-toolbox.json'])(
    '%s says which money it is about',
    (path) => {
      const said = /[Mm]ode(: |":")(sandbox|live)\b/
      expect(said.exec(textAt(path))?.[2]).toBe('sandbox')
      expect(said.exec(textAt(path, someFacts({ mode: 'live' })))?.[2]).toBe('live')
    },
  )
})

describe('SEP-2127 the MCP server card', () => {
  const NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/
  /** The form of a key in _meta: labels begin with a letter. */
  const META =
    /^[a-zA-Z]([a-zA-Z0-9-]*[a-zA-Z0-9])?(\.[a-zA-Z]([a-zA-Z0-9-]*[a-zA-Z0-9])?)*\/[a-zA-Z0-9._-]+$/

  test.each([
    ['https://api.example.com', 'com.example.api/agent-micro-data'],
    ['http://127.0.0.1:8402', 'localhost/agent-micro-data'], //  an address has no reverse name
    ['http://[::1]:8402', 'localhost/agent-micro-data'],
  ])('%s is called %s, at both paths', (publicUrl, name) => {
    for (const path of ['/mcp/server-card', '/.well-known/mcp/server-card.json']) {
      const card = JSON.parse(textAt(path, someFacts({ publicUrl })))
      expect(card).toMatchObject({ name, remotes: [{ url: `${publicUrl}/mcp` }] })
      expect(card.name).toMatch(NAME)
      for (const key of Object.keys(card._meta)) expect(key).toMatch(META)
    }
  })
})

describe('3.3 and 4.2 a document that is JSON has the shape that the interface description gives it', () => {
  const shaped = DOCUMENTS.filter(({ schema }) => schema !== undefined)

  test.each(shaped.map(({ path, schema }) => [path, schema!] as const))('%s', (path, schema) => {
    const value = JSON.parse(textAt(path))
    expect(schema.parse(value)).toEqual(value) //  no members beyond those of the schema
  })

  test('each that is JSON has one', () => {
    const bare = DOCUMENTS.filter(({ type, schema }) => type.includes('json') && schema === undefined)
    expect(bare.map(({ path }) => path)).toEqual(['/openapi.json'])
  })
})

describe('4.2 /skill.md in a sandbox says who signs; where money is real it does not', () => {
  test.each([
    ['sandbox', true],
    ['live', false],
  ] as const)('%s', (mode, says) => {
    expect(textAt('/skill.md', someFacts({ mode })).includes('/sandbox/sign')).toBe(says)
  })
})

test('4.2 the agent card gives the price of what is bought: credit, a pass or a token is no read', () => {
  const { skills } = JSON.parse(textAt('/.well-known/agent-card.json'))
  for (const { id, description } of skills)
    expect(description, id).toMatch(new RegExp(`[^a-z] \\$[\\d.]+ over x402: GET \\S+/${id}$`))
})

test('8 a log sample of the stated size does not fit into a GET, and whoever reads of one is told', () => {
  expect(MAX_HEAD_BYTES).toBeLessThan(MAX_RAW_BYTES)
  const ofSamples = limitsOf(facts).filter(({ id }) => id === 'raw' || id === 'payload')
  const texts = [
    ...ofSamples.map(({ what }) => what),
    ...scan.parameters.map(({ description }) => description),
  ]
  for (const text of texts) expect(text).toContain('by GET as much as the request head holds')
  expect(texts).toHaveLength(3)
})

describe('8 the published limits are those that are applied', () => {
  const limits = new Map(limitsOf(facts).map((limit) => [limit.id, amountWords(limit)]))
  test.each([
    ['q', '8192 bytes'],
    ['raw', '65536 bytes'],
    ['payload', '65536 bytes'],
    ['request_head', '32768 bytes'],
    ['hour_pass_calls', '600 calls'],
    ['hour_pass_hours', '1 hour'],
    ['permit_days', '30 days'],
    ['unlock_days', '3650 days'],
    ['legacy_intent', '15 minutes'],
    ['legacy_grace', '60 minutes'],
    ['legacy_objection_cheap', '60 seconds'],
    ['legacy_objection_other', '10 minutes'],
    ['feed_SKU_AG_BOT_FUEL_24H', '1 day'],
    ['feed_SKU_AG_ALPHA_24H', '1 day'],
    ['feed_SKU_AG_ALPHA_7D', '7 days'],
    ['feed_SKU_SIGNAL_FEED_29', '30 days'],
    ['card_pack', '5 items'],
    ['edge_pack', '5 items'],
    ['venue_wire', '30 minutes'],
    ['match_bucket', '10 cents'],
    ['match_max_spend', '0.1 USD'],
    ['stated_price_floor', '0.05 USD'],
    ['move_volume', '25 contracts'],
    ['net_window', '48 hours'],
    ['opening_sale', '100 items'],
    ['tool_trial', '25 uses'],
  ])('%s: %s', (id, value) => {
    expect(limits.get(id)).toBe(value)
  })

  test('where a script of the ledger applies one, it is the same', () => {
    expect(OPENING_SALE.slotsTotal).toBe(INTENT_LIMITS.saleSlots)
  })

  test('each id once', () => {
    const ids = limitsOf(facts).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('8 the locally run tool, as /agent-toolbox.json states it', () => {
  test('25 successful uses, failures not counted, rotation free; permit and unlock key', () => {
    const { localTool } = JSON.parse(textAt('/agent-toolbox.json'))
    expect(localTool).toMatchObject({
      hostedHere: false,
      freeTrial: { uses: 25, failuresCount: false, circuitRotation: expect.stringMatching(/^free/) },
      permit: {
        sku: 'SKU_AG_TOR_CALL_01',
        priceUsdc: 0.05,
        calls: 1,
        redeem: {
          method: 'GET',
          url: `${facts.publicUrl}/api/v1/tor-call-permit`,
          header: 'X-Service-Permit',
        },
      },
      unlock: {
        sku: 'SKU_TOR_MCP_PRO',
        priceUsdc: 12.35,
        basePriceUsdc: 19,
        verify: { method: 'POST', url: `${facts.publicUrl}/api/tor-mcp/verify` },
      },
    })
  })
})

describe('/favicon.ico is the icon of the pages', () => {
  const ico = Buffer.from(documentAt('/favicon.ico').text(facts))
  const count = ico.readUInt16LE(4)
  const images = Array.from({ length: count }, (_, at) => {
    const entry = 6 + 16 * at
    const start = ico.readUInt32LE(entry + 12)
    return { size: ico[entry]!, png: ico.subarray(start, start + ico.readUInt32LE(entry + 8)) }
  })

  test('an ICO of PNGs, small, each of the size its entry says', () => {
    expect(ico.readUInt32LE(0)).toBe(0x0001_0000)
    expect(images.map(({ size }) => size)).toEqual([16, 32, 48])
    expect(ico.length).toBeLessThan(2_048)
    for (const { size, png } of images) {
      expect(png.subarray(1, 4).toString()).toBe('PNG')
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([size, size])
    }
  })

  test('with the colours of the drawing at their places', () => {
    const { png } = images[1]!
    const rows = inflateSync(png.subarray(41, 41 + png.readUInt32BE(33)))
    const at = (x: number, y: number) => {
      const start = y * (1 + 4 * 32) + 1 + 4 * x
      return `#${rows.subarray(start, start + 3).toString('hex')}`
    }
    const svg = readFileSync(new URL('../../../api/pages/icon.svg', import.meta.url), 'utf8')
    const boxes = [
      ...svg.matchAll(/<rect(?: x="(\d+)" y="(\d+)")? width="(\d+)" height="(\d+)"[^>]*fill="(#\w+)"/g),
    ]
    expect(boxes).toHaveLength(3)
    for (const [, x = '0', y = '0', , , colour] of boxes.slice(1)) {
      expect(at(Number(x), Number(y))).toBe(colour)
      expect(at(Number(x) - 1, Number(y))).toBe(boxes[0]![5])
    }
    expect(rows[4]).toBe(0) //  outside the round corner
  })
})
