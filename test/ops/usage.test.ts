import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSource } from '../house/sources.ts'
import { RECONCILE, run, runMain } from '../support/process.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-usage-'))
})
afterAll(() => rm(dir, { recursive: true }))

const COMMANDS = [
  './ops/start',
  './ops/test',
  './ops/reconcile',
  './ops/amend',
  './ops/buy',
  'ops/scripts/export.ts',
  'ops/sandbox/pay/main.ts',
  'engine/scripts/pairs.ts',
  'api/goods/utility/score.ts',
  'test/storm/main.ts',
  'test/bench/universe.ts',
]
/** What the scripts start, and most cases with them: stripping the types of all sources is half a second of CPU each. */
const BUYER = 'ops/purchase/main.ts'
const AMEND = 'api/worker/amends/main.ts'

const ask = async (command: string, args: string[]) => {
  const env = { DATA_DIR: join(dir, 'none') }
  const running = command.endsWith('.ts') ? runMain(command, { args, env }) : run(command, args, { env })
  return { ...(await running.exited), out: running.stdout(), err: running.stderr() }
}

describe('every command tells how it is used', () => {
  const asked = [
    ...COMMANDS.map((command) => [command, '--help'] as const),
    ...[...COMMANDS.filter((command) => command.endsWith('.ts')), RECONCILE, AMEND, BUYER].map(
      (command) => [command, '-h'] as const,
    ),
    ...['./ops/start', './ops/test'].map((command) => [command, '-h'] as const),
  ]
  test.each(asked)('%s %s: exit code 0, and nothing is started', async (command, flag) => {
    const { code, out, err } = await ask(command, [flag])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/--|\[/)
    expect(out.split('\n').length).toBeLessThan(60)
  })

  test.each([
    ['./ops/start', ['--port', '1'], 2, './ops/start --help'],
    [RECONCILE, ['--nope'], 2, '--help'],
    [AMEND, ['--credit', '1'], 2, '--reason'],
    [BUYER, ['--nope'], 2, '--help'],
    ['ops/scripts/export.ts', ['--nope'], 2, '--help'],
    ['ops/sandbox/pay/main.ts', ['--nope'], 2, 'npm run pay -- --help'],
    ['ops/sandbox/pay/main.ts', [], 2, 'a rail and an amount'],
    ['ops/sandbox/pay/main.ts', ['usdc_base', '1', '2'], 2, 'a rail and an amount'],
    ['engine/scripts/pairs.ts', ['--nope'], 2, 'usage:'],
    ['engine/scripts/pairs.ts', ['/no/labels.jsonl'], 1, '/no/labels.jsonl'],
    ['engine/scripts/pairs.ts', ['--universe', '/no/folder'], 1, '/no/folder'],
    ['engine/scripts/pairs.ts', ['--universe', '/no/folder', '--frame', 'x'], 2, 'usage:'],
    ['api/goods/utility/score.ts', ['--nope'], 2, 'npm run tools:score'],
    ['api/goods/utility/score.ts', ['one', 'two'], 2, 'npm run tools:score'],
    ['api/goods/utility/score.ts', ['/no/corpora'], 1, '/no/corpora'],
    ['api/goods/utility/score.ts', ['test/api/goods/utility'], 1, 'no labelled corpora in test/api'],
    ['test/bench/main.ts', ['--nope'], 2, 'npm run bench'],
    ['test/bench/main.ts', ['--rounds', '0'], 2, '--rounds: 1 to 1000'],
    ['test/bench/universe.ts', ['--nope'], 2, 'npm run bench:universe'],
    ['test/bench/universe.ts', ['--cycles', 'some'], 2, '--cycles'],
    ['test/storm/main.ts', ['--nope'], 2, 'npm run storm'],
    ['test/storm/main.ts', ['--seconds', 'soon'], 2, '--seconds soon'],
  ])('%s %j: exit code %d, in words', async (command, args, expected, words) => {
    const { code, out, err } = await ask(command, args)
    expect({ code, out }).toEqual({ code: expected, out: '' })
    expect(err).toContain(words)
    expect(err).not.toMatch(/^ +at /m)
  })

  test.each([
    [RECONCILE, []],
    [AMEND, []],
    [BUYER, ['/x402/v1/spread']],
    ['ops/sandbox/pay/main.ts', ['usdc_base', '1']],
  ])('%s %j where no sandbox is: exit code 2, and which file is missing', async (command, args) => {
    const { code, out, err } = await ask(command, args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(join(dir, 'none'))
    expect(err).toContain('sandbox.json')
    expect(err).not.toMatch(/Error|^ +at /m)
  })
})

test.each(['bootstrap.sh', 'run.sh'])(
  '%s finds the repository where CDPATH is exported too',
  async (name) => {
    const beginning = /^[\s\S]*?^ROOT=.*\n/m.exec(readSource(`ops/${name}`))![0] //  installs nothing
    await mkdir(join(dir, 'ops'), { recursive: true })
    await writeFile(join(dir, 'ops', name), `${beginning}printf '%s' "$ROOT"`)
    const found = run('bash', ['-c', `cd "$1" && source ops/${name}`, 'bash', dir], { env: { CDPATH: '.' } })
    await found.exited
    expect(found.stdout()).toBe(dir)
  },
)
