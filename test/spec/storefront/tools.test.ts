import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chargedBy } from '../../../api/storefront/audit/charged.ts'
import { SurfaceAudit } from '../../../api/storefront/audit/compare.ts'
import { soldDigest, TOOL_REPORT_FILE, type ToolCheck } from '../../../api/storefront/audit/toolReport.ts'
import { INTERFACE_VERSION } from '../../../api/storefront/service.ts'
import { agentcash } from './outside/agentcash.ts'
import { a2a, bazaar, mcp, openApiValidator, stockFetch } from './outside/clients.ts'
import { type Finding, listedServices, readJson, toolCheck, versionOf } from './outside/finding.ts'
import { sellerCheckList } from './outside/seller.ts'
import { startWorld, type World } from './world.ts'

let world: World
let base: string
beforeAll(async () => {
  world = await startWorld({ SECURITY_CONTACT: 'mailto:security@example.com' })
  base = world.base
})
afterAll(() => world?.stop())

const key = () => world.chain.buyers[0]!.privateKey
/** Everything but the largest pack of credit. */
const MAX_USDC = 5

/** What is run, in the order in which it is published. */
const TOOLS: readonly [tool: string, version: string, checked: string, run: () => Promise<Finding>][] = [
  [
    '@agentcash/discovery',
    versionOf('@agentcash/discovery'),
    'OpenAPI, favicon, and the 402 of each paid path',
    () => agentcash(base),
  ],
  [
    '@x402/extensions',
    versionOf('@x402/extensions', '@x402/extensions/bazaar'),
    'the bazaar extension of each 402',
    () => bazaar(base),
  ],
  [
    '@x402/fetch',
    versionOf('@x402/fetch'),
    `a purchase of each read up to ${MAX_USDC} USD, with the examples of /x402/services.json`,
    () => stockFetch(base, key(), MAX_USDC),
  ],
  [
    '@seriousme/openapi-schema-validator',
    versionOf('@seriousme/openapi-schema-validator'),
    'the operations of /openapi.json',
    () => openApiValidator(base),
  ],
  [
    '@modelcontextprotocol/sdk',
    versionOf('@modelcontextprotocol/sdk', '@modelcontextprotocol/sdk/client/index.js'),
    'the tools of /mcp: each asked for its price, one bought',
    () => mcp(base, key()),
  ],
  [
    '@a2a-js/sdk',
    versionOf('@a2a-js/sdk'),
    'the skills of /.well-known/agent-card.json, and a request in words',
    () => a2a(base),
  ],
  [
    'own check list of an x402 seller',
    INTERFACE_VERSION,
    'the 402 of each paid path, and ways around it',
    () => sellerCheckList(base),
  ],
]

describe('ecosystem 3 and 4.9: what others’ tools say of the running service, and that the service publishes it', () => {
  const checks: ToolCheck[] = []

  test.each(TOOLS)(
    '%s %s: no error, and no warning but those explained',
    async (tool, version, checked, run) => {
      const check = toolCheck(tool, version, checked, await run())
      expect(check.errors).toEqual([])
      expect(check.judged).toBeGreaterThan(0)
      checks.push(check)
    },
  )

  test('the report is what they say today (vitest -u writes it)', async () => {
    const charged = await Promise.all(
      (await listedServices(base)).map(async ({ url }) => {
        const unpaid = await fetch(url)
        return chargedBy(unpaid.headers.get('payment-required')!, await unpaid.text())
      }),
    )
    const report = { soldDigest: soldDigest(charged), checks }
    await expect(`${JSON.stringify(report, null, 2)}\n`).toMatchFileSnapshot(fileURLToPath(TOOL_REPORT_FILE))
  })

  test('/surface-audit.json has it, and says that it is of what is sold now', async () => {
    const { surfaces } = await readJson(`${base}/surface-audit.json`)
    const { tools } = SurfaceAudit.parse(surfaces)
    expect(tools).toEqual({ sameGoods: true, soldDigest: expect.any(String), checks })
  })
})
