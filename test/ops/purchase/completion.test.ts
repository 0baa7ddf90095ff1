import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS } from '../../../ops/purchase/commands/index.ts'
import { completionScript } from '../../../ops/purchase/completion.ts'

let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-completion-'))
  await writeFile(join(dir, 'bash'), completionScript('bash', COMMANDS))
  await writeFile(join(dir, 'secret.key'), '')
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** What a real bash offers for a line; the last word is the one being typed. */
function offered(...words: string[]): string[] {
  const script = `source ./bash; COMP_WORDS=(./ops/buy "$@"); COMP_CWORD=$#; _ops_buy; printf '%s\\n' "\${COMPREPLY[@]}"`
  const text = execFileSync('bash', ['-uc', script, 'bash', ...words], { cwd: dir, encoding: 'utf8' })
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

  test('words of a command, and files where an option wants one', () => {
    expect(offered('credits', '1')).toEqual(['10'])
    expect(offered('buy', '/p', '--key-file', 'se')).toEqual(['secret.key'])
  })
})

test('zsh gets the same words', () => {
  const words = (text: string) => text.match(/^_ops_buy_words[\s\S]*?^\}$/m)?.[0]
  expect(words(completionScript('zsh', COMMANDS))).toBe(words(completionScript('bash', COMMANDS)))
})
