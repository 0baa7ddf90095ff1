import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { SAVE_EVERY_MS } from '../../../ops/supervise/marketPosition.ts'
import { isAlive, mainFile, type Running, runMain, sleep, until } from '../../support/process.ts'
import type { StandInTree } from './standInTree.ts'

let dir: string
const running: Running[] = []
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-tree-'))
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((tree) => tree.stop()))
  await rm(dir, { recursive: true, force: true })
})

function start(spec: z.input<typeof StandInTree>): Running {
  const standIn = mainFile('test/ops/supervise/standIn.ts')
  const tree = runMain('test/ops/supervise/standInTree.ts', { args: [standIn, dir, JSON.stringify(spec)] })
  running.push(tree)
  return tree
}

const THREE = {
  parts: [
    { role: 'store', ipc: false, args: ['--native'] },
    { role: 'middle', needs: ['store'] },
    { role: 'front', needs: ['middle'], args: ['--drain-ms', '300'] },
  ],
}
const pidOf = async (tree: Running, role: string): Promise<number> =>
  Number((await tree.says(new RegExp(`${role} +is process (\\d+)`)))[1])
const pidsOf = (tree: Running, roles = ['store', 'middle', 'front']): Promise<number[]> =>
  Promise.all(roles.map((role) => pidOf(tree, role)))
const allGone = (pids: number[]) => pids.every((pid) => !isAlive(pid))
const orderOf = (text: string, words: string[]): string[] =>
  [...words].sort((a, b) => text.indexOf(a) - text.indexOf(b))

describe('design 2: parts come up in the order of their needs and one ready line ends it', () => {
  test('store, middle, front, ready', async () => {
    const tree = start(THREE)
    await tree.says(/^ready http/m)
    const marks = ['✓ store', '✓ middle', '✓ front', 'ready http']
    expect(marks.filter((mark) => !tree.stdout().includes(mark))).toEqual([])
    expect(orderOf(tree.stdout(), marks)).toEqual(marks)
    expect(tree.stdout().match(/^ready /gm)).toHaveLength(1)
  })

  test('each part writes its own log', async () => {
    const tree = start(THREE)
    await tree.says(/^ready http/m)
    expect((await readdir(join(dir, 'logs'))).sort()).toEqual(['front.log', 'middle.log', 'store.log'])
    expect(await readFile(join(dir, 'logs/front.log'), 'utf8')).toContain('"ready":true')
  })

  test('what a part left behind is told before it starts again, and stands in its log', async () => {
    const found = 'its file ended in 9 zero bytes: cut off'
    const tree = start({ parts: [{ role: 'store', found }] })
    await tree.says(/^ready http/m)
    expect(tree.stdout()).toMatch(/! store +its file ended in 9 zero bytes: cut off/)
    expect(await readFile(join(dir, 'logs/store.log'), 'utf8')).toContain(found)
  })

  test('a part that dies until the time is up is shown with its last words', async () => {
    const parts = [{ role: 'broken', args: ['--ready-after=-1', '--die-after=10', '--words=no such key'] }]
    const tree = start({ startTimeoutMs: 3_000, parts })
    expect((await tree.exited).code).toBe(1)
    expect(tree.stdout()).toMatch(/✗ broken +not ready after 3 s: ended by itself \(exit code 7\)/)
    expect(tree.stdout()).toMatch(/its last words:\n(.*\n)*.*no such key/)
  })

  test('a part that never becomes ready stops the tree, with its name and its reason', async () => {
    const tree = start({ startTimeoutMs: 700, parts: [{ role: 'sleeper', args: ['--ready-after=-1'] }] })
    expect(await tree.exited).toEqual({ code: 1, signal: null })
    expect(tree.stdout()).toMatch(/✗ sleeper +not ready after 0.7 s: has said nothing/)
    expect(tree.stdout()).not.toMatch(/^ready /m)
  })
})

test('DATA-16: where the stores are cannot be written down: everything is stopped in order, and the reason is told', async () => {
  const tree = start({ ...THREE, storesAreKnown: false })
  const pids = await pidsOf(tree, ['store'])
  expect(await tree.exited).toEqual({ code: 1, signal: null })
  expect(tree.stdout()).toMatch(/✗ .* no space left on device\n(.*\n)*✓ stopped/)
  expect(allGone(pids)).toBe(true)
})

test('DATA-16: that the market clock cannot be kept is told once, not at every try', async () => {
  await writeFile(join(dir, 'world.json'), JSON.stringify({ world: 'stand-ins', marketMs: null }))
  await mkdir(join(dir, 'world.json.new')) //  a folder where the file should be
  const tree = start(THREE)
  await tree.says(/market clock +Error/)
  await sleep(2 * SAVE_EVERY_MS + 500)
  expect(tree.stdout().match(/market clock/g)).toHaveLength(1)
})

test('a problem that a person has to end is waited for beyond the limit; where the stores are is known meanwhile', async () => {
  const closed = { role: 'closed', needs: ['store'], operatorPort: 1, waitsForPerson: true }
  const parts = [{ role: 'store' }, { ...closed, args: ['--ready-after=4500'] }]
  const tree = start({ startTimeoutMs: 3_000, parts })
  await tree.says(/^ready http/m)
  const marks = ['stores are known', '✓ closed', 'ready http']
  expect(orderOf(tree.stdout(), marks)).toEqual(marks)
  expect(tree.stdout()).not.toContain('✗')
})

describe('design 2: SIGTERM and Ctrl-C stop every child cleanly; nothing is left behind', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s: exit code 0 and no process', async (signal) => {
    const tree = start(THREE)
    const pids = await pidsOf(tree)
    await tree.says(/^ready http/m)
    process.kill(tree.pid, signal)
    expect(await tree.exited).toEqual({ code: 0, signal: null })
    expect(pids).toHaveLength(3)
    expect(allGone(pids)).toBe(true)
  })

  test('what others need stops after them', async () => {
    const tree = start(THREE)
    const [store, middle, front] = await pidsOf(tree)
    await tree.says(/^ready http/m)
    process.kill(tree.pid, 'SIGTERM')
    await until('front ended', () => !isAlive(front!))
    await tree.exited
    const at = async (role: string, word: string) => {
      const log = await readFile(join(dir, `logs/${role}.log`), 'utf8')
      return Number(new RegExp(`"time":(\\d+).*"${word}"`).exec(log)?.[1])
    }
    expect(await at('middle', 'draining')).toBeGreaterThanOrEqual(await at('front', 'drained'))
    expect([store, middle, front].map((pid) => isAlive(pid!))).toEqual([false, false, false])
  })

  test('OPS-01: SIGTERM while it starts', async () => {
    const tree = start({
      parts: [{ role: 'store' }, { role: 'slow', needs: ['store'], args: ['--ready-after=-1'] }],
    })
    const pid = await pidOf(tree, 'store')
    process.kill(tree.pid, 'SIGTERM')
    expect(await tree.exited).toEqual({ code: 0, signal: null })
    expect(isAlive(pid)).toBe(false)
  })

  test('a child that does not hear SIGTERM is ended after its grace', async () => {
    const tree = start({ parts: [{ role: 'deaf', args: ['--deaf'], graceMs: 400 }] })
    const pid = await pidOf(tree, 'deaf')
    expect(await tree.stop()).toEqual({ code: 0, signal: null })
    expect(tree.stdout()).toMatch(/! deaf +did not stop within 0.4 s/)
    expect(isAlive(pid)).toBe(false)
  })

  test('OPS-01: a second SIGTERM ends everything at once', async () => {
    const tree = start({ parts: [{ role: 'deaf', args: ['--deaf'], graceMs: 60_000 }] })
    const pid = await pidOf(tree, 'deaf')
    await tree.says(/^ready http/m)
    process.kill(tree.pid, 'SIGTERM')
    await tree.says(/stopping/)
    process.kill(tree.pid, 'SIGTERM')
    expect(await tree.exited).toEqual({ code: 1, signal: null })
    await until('deaf child gone', () => !isAlive(pid))
  })

  test('what a child has started itself ends with it', async () => {
    const tree = start({ parts: [{ role: 'parent', args: ['--grandchild'] }] })
    await tree.says(/^ready http/m)
    const log = await readFile(join(dir, 'logs/parent.log'), 'utf8')
    const grandchild = Number(/"grandchild":(\d+)/.exec(log)?.[1])
    expect(isAlive(grandchild)).toBe(true)
    await tree.stop()
    await until('grandchild gone', () => !isAlive(grandchild))
  })
})

describe('design 2: a child that dies is started again; beyond help, the tree stops with its last words', () => {
  test('killed once, it is back under another process id', async () => {
    const tree = start(THREE)
    const [, middle] = await pidsOf(tree)
    await tree.says(/^ready http/m)
    process.kill(middle!, 'SIGKILL')
    await tree.says(/! middle +ended by itself \(SIGKILL\); starting it again in 100 ms/)
    await until('middle logged its new start', async () => {
      const log = await readFile(join(dir, 'logs/middle.log'), 'utf8')
      return log.match(/"ready":true/g)?.length === 2
    })
    expect((await tree.stop()).code).toBe(0)
  })

  test('more than five deaths within a minute: exit code 1, last words, nobody left', async () => {
    const tree = start({
      parts: [
        { role: 'store' },
        { role: 'broken', needs: ['store'], args: ['--die-after', '10', '--words', 'ECHO of doom'] },
      ],
    })
    const store = await pidOf(tree, 'store')
    expect(await tree.exited).toEqual({ code: 1, signal: null })
    const output = tree.stdout()
    expect(output.match(/broken +ended by itself \(exit code 7\); starting/g)).toHaveLength(5)
    expect(output).toMatch(/✗ broken +ended by itself \(exit code 7\), more than five times within a minute/)
    expect(output).toMatch(/its last words:\n(.*\n)*.*ECHO of doom/)
    expect(isAlive(store)).toBe(false)
  })
})

describe('design 1: what the rest works without', () => {
  const ARCHIVE = { role: 'archive', withoutIt: 'nothing is archived' }
  const USER = { role: 'user', uses: ['archive'], args: ['--drain-ms', '300'] }
  const deaths = async () => {
    const log = await readFile(join(dir, 'logs/archive.log'), 'utf8').catch(() => '') //  nothing logged yet
    return log.match(/no such table/g)?.length ?? 0
  }

  test.each([
    ['before it is ready', ['--ready-after=-1', '--die-after=10']],
    ['whenever it was ready', ['--die-after=300']],
  ])('dies again and again %s: the rest comes up and goes on', async (_, args) => {
    const tree = start({
      startTimeoutMs: 5_000,
      parts: [{ ...ARCHIVE, args: [...args, '--words=no such table'] }, USER],
    })
    await tree.says(/^ready http/m)
    const user = await pidOf(tree, 'user')
    await until('it died more often than others may', async () => (await deaths()) > 6)
    expect(tree.stdout()).toMatch(/! archive +ended by itself \(exit code 7\); .*; its log says why/)
    expect(tree.stdout()).not.toMatch(/✗/)
    expect(isAlive(user)).toBe(true)
    expect(await tree.stop()).toEqual({ code: 0, signal: null })
  })

  test('hangs: the start says what is missing, and no limit is set for it', async () => {
    const parts = [{ ...ARCHIVE, args: ['--ready-after=-1'] }, USER]
    const tree = start({ startTimeoutMs: 3_000, parts })
    await tree.says(/^ready http/m)
    expect(tree.stdout()).toMatch(/! archive +not ready yet: nothing is archived/)
    expect(await Promise.race([tree.exited, sleep(4_000)])).toBeUndefined()
    expect(await tree.stop()).toEqual({ code: 0, signal: null })
  })

  test('is not told of when it is there, and stops after those who use it', async () => {
    const tree = start({ parts: [ARCHIVE, USER, { role: 'late', needs: ['archive'] }] })
    await tree.says(/^ready http/m)
    expect(tree.stdout()).not.toContain('nothing is archived')
    await tree.stop()
    const at = async (role: string, word: string) => {
      const log = await readFile(join(dir, `logs/${role}.log`), 'utf8')
      return Number(new RegExp(`"time":(\\d+).*"${word}"`).exec(log)?.[1])
    }
    expect(await at('archive', 'draining')).toBeGreaterThanOrEqual(await at('user', 'drained'))
  })
})

describe('design 2: kill -9 of the supervisor leaves no orphans for long', () => {
  const ORPHANS_MS = 12_000

  test('children with a channel drain, those without are ended by the watchdog', async () => {
    const tree = start({ parts: [...THREE.parts, { role: 'deaf', args: ['--deaf', '--grandchild'] }] })
    const pids = await pidsOf(tree, ['store', 'middle', 'front', 'deaf'])
    await tree.says(/^ready http/m)
    const grandchild = Number(
      /"grandchild":(\d+)/.exec(await readFile(join(dir, 'logs/deaf.log'), 'utf8'))?.[1],
    )
    await tree.kill()
    await until('everybody is gone', () => allGone([...pids, grandchild]), ORPHANS_MS)
  })

  test('the next start ends what is still there and takes the folder over', async () => {
    const tree = start({ parts: [{ role: 'store', ipc: false, args: ['--native'] }] })
    const pid = await pidOf(tree, 'store')
    await tree.says(/^ready http/m)
    await tree.kill()
    expect(isAlive(pid)).toBe(true) //  the watchdog waits for those that drain
    const next = start(THREE)
    await next.says(/· cleaned up +store/)
    expect(isAlive(pid)).toBe(false)
    await next.says(/^ready http/m)
  })
})

describe('design 2: a second instance on the same folder is refused', () => {
  test('with the process id and the address of the first, which goes on', async () => {
    const first = start(THREE)
    await first.says(/^ready http/m)
    const second = start(THREE)
    expect(await second.exited).toEqual({ code: 1, signal: null })
    expect(second.stdout()).toContain(`is in use by another instance (process ${first.pid}`)
    expect(second.stdout()).toContain('http://127.0.0.1:8402')
    expect(allGone(await pidsOf(first))).toBe(false)
  })

  test('of several at once one runs at most', async () => {
    const trees = Array.from({ length: 4 }, () => start({ parts: [{ role: 'store' }] }))
    await until('each is up or refused', () =>
      trees.every((tree) => /^ready http/m.test(tree.stdout()) || /not started/.test(tree.stdout())),
    )
    expect(trees.filter((tree) => /^ready http/m.test(tree.stdout())).length).toBeLessThanOrEqual(1)
  })
})
