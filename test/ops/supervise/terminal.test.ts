import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { patientOutput } from '../../../ops/supervise/patientOutput.ts'
import { isAlive, mainFile, NODE, type Running, run, until } from '../../support/process.ts'

const Children = z.array(z.object({ pid: z.int() }))

const KEYS = ['ctrl-s', 'ctrl-q', 'ctrl-c'] as const

let dir: string
let session: Running | null = null
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-terminal-'))
})
afterAll(async () => {
  for (const key of KEYS) await writeFile(join(dir, key), '')
  await session?.exited
  await rm(dir, { recursive: true, force: true })
})

/** `script` of util-linux is a terminal. Each key is pressed when its file appears. */
const SESSION = `press() { until [ -e "$DIR/$1" ]; do sleep 0.05; done; printf "$2"; touch "$DIR/$1.pressed"; }
{ press ctrl-s '\\023'; press ctrl-q '\\021'; press ctrl-c '\\003'; } | script -qec "$COMMAND" /dev/null`

async function press(key: (typeof KEYS)[number]): Promise<void> {
  await writeFile(join(dir, key), '')
  await until(`${key} is pressed`, () => existsSync(join(dir, `${key}.pressed`)))
}

describe('design 2: a terminal that takes nothing holds nobody up', () => {
  test.skipIf(!existsSync('/usr/bin/script'))(
    'a part that dies after Ctrl-S is started again, and after Ctrl-Q it is told',
    async () => {
      const parts = [{ role: 'store', ipc: false, args: ['--native'] }]
      const [tree, standIn] = ['standInTree', 'standIn'].map((of) => mainFile(`test/ops/supervise/${of}.ts`))
      const command = `${NODE} ${tree} ${standIn} ${dir} '${JSON.stringify({ parts })}'`
      session = run('bash', ['-c', SESSION], { env: { DIR: dir, COMMAND: command } })
      const first = Number((await session.says(/store +is process (\d+)/))[1])
      await session.says(/^ready http/m)

      await press('ctrl-s')
      process.kill(first, 'SIGKILL')
      const second = await until('it runs again', async () => {
        const children = Children.parse(JSON.parse(await readFile(join(dir, 'children.json'), 'utf8')))
        return children.find(({ pid }) => pid !== first)?.pid
      })
      expect(isAlive(second)).toBe(true)
      expect(session.stdout()).not.toContain('SIGKILL')

      await press('ctrl-q')
      await session.says(/store +ended by itself \(SIGKILL\); starting it again/)
      await press('ctrl-c')
      await session.says(/✓ stopped/)
    },
  )

  test('what it has not taken is kept up to a bound, and how much was left out is told', () => {
    let taken = ''
    let go = () => {}
    const stream = new Writable({
      write(chunk, _, done) {
        taken += chunk
        go = done
      },
    })
    const output = patientOutput(stream)
    const line = `${'x'.repeat(1_023)}\n`
    for (let times = 0; times < 1_000; times++) output.write(line)
    expect(stream.writableLength).toBeLessThan(300 * 1_024)
    const shown = Math.ceil(stream.writableLength / line.length)
    while (stream.writableLength > 0) go()
    output.write('the next one\n')
    while (stream.writableLength > 0) go()
    expect(taken.split(line)).toHaveLength(shown + 1)
    expect(taken).toMatch(new RegExp(`… ${1_000 - shown} lines were not shown.*\nthe next one\n$`))
  })
})
