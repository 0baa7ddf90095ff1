import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Example } from '../../api/pages/site/examples.ts'
import { get } from '../support/buyer.ts'
import { startTestChain, type TestChain } from '../support/chain.ts'
import { NODE, REPOSITORY } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'

const RUN_MS = 50_000
const noPython = spawnSync('python3', ['--version']).status === 0 ? null : 'skipped: there is no python3'

describe('/quickstart: its examples run as they are shown', () => {
  let chain: TestChain
  let service: Service
  let dir: string
  let examples: Map<string, Example>
  beforeAll(async () => {
    chain = await startTestChain()
    service = await startService({ chain, processes: 1 })
    dir = await mkdtemp(join(tmpdir(), 'microdata-quickstart-'))
    await symlink(join(REPOSITORY, 'node_modules'), join(dir, 'node_modules'))
    const { json } = await get(`${service.bases[0]}/quickstart`, { accept: 'application/json' })
    examples = new Map(json.examples.map((example: Example) => [example.id, example]))
    await writeFile(join(dir, 'sign.mjs'), examples.get('sign')!.code)
    await writeFile(join(dir, 'package.json'), '{"type":"commonjs"}') // as npm init writes it
  })
  afterAll(async () => {
    await service?.stop()
    await chain?.stop()
    if (dir !== undefined) await rm(dir, { recursive: true, force: true })
  })

  /** The environment is the only thing a reader changes. */
  const run = async (command: string, args: string[], buyer = 0) => {
    const { stdout } = await promisify(execFile)(command, args, {
      cwd: dir,
      timeout: RUN_MS,
      env: {
        PATH: `${dirname(NODE)}:${process.env.PATH}`,
        BASE_URL: service.bases[0]!,
        PRIVATE_KEY: chain.buyers[buyer]!.privateKey,
      },
    })
    return stdout
  }
  const shell = (id: string, buyer?: number) => run('bash', ['-c', examples.get(id)!.code], buyer)

  test('asking: 402 with the terms', async () => {
    const shown = await shell('ask')
    expect(shown).toMatch(/^HTTP\/1.1 402 /)
    expect(shown).toMatch(/^payment-required: [A-Za-z0-9+/=]+\r$/im)
  })

  test('paying with curl: 200, settled, and paid once', async () => {
    const before = await chain.balance(chain.buyers[0]!.address)
    const shown = await shell('curl')
    expect(shown).toMatch(/^HTTP\/1.1 200 /)
    const header = /^payment-response: (\S+)\r$/im.exec(shown)![1]!
    expect(JSON.parse(Buffer.from(header, 'base64').toString())).toMatchObject({ success: true })
    expect(JSON.parse(shown.slice(shown.indexOf('{"ok":true'))).result.spread.found).toBe(true)
    expect(before - (await chain.balance(chain.buyers[0]!.address))).toBe(1_000n)
  })

  test('TypeScript: paid with the stock client, and the receipt is valid', async () => {
    const { name, code } = examples.get('typescript')!
    const [, file] = /run it by node (\S+),/.exec(name)!
    await writeFile(join(dir, file!), code)
    const shown = await run(NODE, [file!], 1)
    expect(shown).toMatch(/^200 paid in 0x[0-9a-f]{64}$/m)
    expect(shown).toMatch(/^receipt valid: true$/m)
  })

  test.skipIf(noPython !== null)(`Python: its text is Python (${noPython ?? 'parsed'})`, async () => {
    await writeFile(join(dir, 'buy.py'), examples.get('python')!.code)
    const parsed = 'import ast; print(len(ast.parse(open("buy.py").read()).body))'
    expect(Number(await run('python3', ['-c', parsed]))).toBeGreaterThan(5)
  })

  test('every form of the page shows the same code', async () => {
    const markdown = await get(`${service.bases[0]}/quickstart`, { accept: 'text/markdown' })
    for (const { code } of examples.values()) expect(markdown.text).toContain(code)
  })
})
