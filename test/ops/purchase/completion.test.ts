import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS } from '../../../ops/purchase/commands/index.ts'
import { completionScript } from '../../../ops/purchase/completion.ts'
import { openTool } from './tool.ts'

let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-completion-'))
  await writeFile(join(dir, 'bash'), completionScript('bash', COMMANDS))
  const paths = '/x402/v1/ping\\n/x402/v1/spread\\n'
  const stub = `#!/bin/sh\n[ "$*" = "completion paths" ] && printf '${paths}'\n`
  await writeFile(join(dir, 'buy'), stub, { mode: 0o755 })
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** What a real bash offers for a line; the last word is the one being typed. */
function offered(...words: string[]): string[] {
  const script = `source ./bash; COMP_WORDS=(./buy "$@"); COMP_CWORD=$#; _ops_buy ./buy; printf '%s\\n' "\${COMPREPLY[@]}"`
  const text = execFileSync('bash', ['-c', script, 'bash', ...words], { cwd: dir, encoding: 'utf8' })
  return text.split('\n').filter((word) => word !== '')
}

describe('bash completes', () => {
  test('commands', () => {
    expect(offered('')).toEqual(expect.arrayContaining(COMMANDS.map(({ name }) => name)))
    expect(offered('ver')).toEqual(['verify'])
  })

  test('options of the command, and none of another', () => {
    expect(offered('feed', '--fo')).toEqual(['--follow'])
    expect(offered('list', '--fo')).toEqual([])
  })

  test('after a path, as after buy', () => {
    expect(offered('/x402/v1/spread', '--pa')).toEqual(offered('buy', '--pa'))
    expect(offered('/x402/v1/spread', '--pas')).toEqual(['--pass'])
  })

  test('words of a command, and of an option', () => {
    expect(offered('credits', '1')).toEqual(['10'])
    expect(offered('feed', '--buy', '').slice(0, 2)).toEqual(['day', 'week'])
    expect(offered('feed', '--topic', 'e')).toEqual(['edges'])
    expect(offered('buy', '/p', '--q', '')).toEqual([]) //  anything at all
  })

  test('paths that the service sells, where one may stand', () => {
    expect(offered('/x402/v1/s')).toEqual(['/x402/v1/spread'])
    expect(offered('inspect', '/x')).toEqual(['/x402/v1/ping', '/x402/v1/spread'])
    expect(offered('verify', '/x')).toEqual([])
  })

  test('files where an option wants one, by its own completion: with blanks and folders', () => {
    expect(offered('buy', '/p', '--key-file', '')).toEqual([])
    const registered = execFileSync('bash', ['-c', 'source ./bash; complete -p ./ops/buy'], { cwd: dir })
    expect(registered.toString()).toContain('-o default')
  })
})

test('a path of a stranger that a shell would run is not offered', async () => {
  const tool = await openTool()
  const paths = ['/x402/v1/ping', '/$(id)', '/`id`', '/a b', '/a;b', 'x']
  const server = createServer((_, response) => {
    const services = paths.map((path) => ({
      sku: 'SKU_A',
      path,
      title: 'A',
      priceUsdc: 1,
      coveredByHourPass: true,
      parameters: [],
    }))
    response.end(JSON.stringify({ network: 'eip155:8453', asset: '0x', payTo: '0x', services }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const access = { url, user: 'u', password: 'p', database: 'd' }
  await writeFile(
    join(tool.dir, 'sandbox.json'),
    JSON.stringify({ url, chain: { rpcUrl: url }, clickhouse: access, journal: access, buyers: [] }),
  )
  const { code, stdout } = await tool.run(['completion', 'paths'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: '/x402/v1/ping\n' })
  server.close()
  await tool.close()
})

test('zsh gets the same words', () => {
  const words = (text: string) => text.match(/^_ops_buy_words[\s\S]*?^\}$/m)?.[0]
  expect(words(completionScript('zsh', COMMANDS))).toBe(words(completionScript('bash', COMMANDS)))
})
