import { spawn } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { marketClock } from '../../../ops/clock.ts'
import { isSameProcess, processStart } from '../../../ops/supervise/identity.ts'
import { endLeftovers, openRoster } from '../../../ops/supervise/leftovers.ts'
import { AlreadyRunningError, lockDataDir } from '../../../ops/supervise/lock.ts'
import { openLogFile } from '../../../ops/supervise/logFile.ts'
import { openMarketPosition } from '../../../ops/supervise/marketPosition.ts'
import { loadSecrets } from '../../../ops/supervise/secretFiles.ts'
import { freePort } from '../../support/ports.ts'
import { run, runMain } from '../../support/process.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-folder-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

describe('a process is named by its id and its start', () => {
  test('ours is alive, a reused id is another process, an id without process is none', () => {
    const start = processStart(process.pid)
    expect(start).not.toBeNull()
    expect(isSameProcess(process.pid, start!)).toBe(true)
    expect(isSameProcess(process.pid, `${start}0`)).toBe(false)
    expect(processStart(2 ** 22 + 1)).toBeNull()
  })
})

describe('design 2: one instance a data folder', () => {
  const showOwner = (pid: number, start: string) =>
    writeFile(
      join(dir, 'owners', `${pid}.json`),
      JSON.stringify({ pid, start, url: 'http://x', since: 'then' }),
    )

  test('a lock of a dead process is no obstacle and is cleared away', async () => {
    const first = await lockDataDir(dir, 'http://a')
    await first.release()
    const dead = run('sleep', ['0'])
    await dead.exited
    await showOwner(dead.pid, 'whenever')
    const lock = await lockDataDir(dir, 'http://a')
    expect(await readdir(join(dir, 'owners'))).toEqual([`${process.pid}.json`])
    await lock.release()
    expect(await readdir(join(dir, 'owners'))).toEqual([])
  })

  test('a file of a living process whose id was reused is no obstacle', async () => {
    await (await lockDataDir(dir, 'http://a')).release()
    await showOwner(process.ppid, 'another start')
    await expect(lockDataDir(dir, 'http://a')).resolves.toBeDefined()
  })

  test('its address is what it says once it is known', async () => {
    const lock = await lockDataDir(dir, 'http://a')
    await lock.setUrl('http://b')
    const [file] = await readdir(join(dir, 'owners'))
    const text = await readFile(join(dir, 'owners', file!), 'utf8')
    expect(JSON.parse(text)).toMatchObject({ pid: process.pid, url: 'http://b' })
    await lock.release()
  })

  test('a living owner is named with its address', async () => {
    await (await lockDataDir(dir, 'http://a')).release()
    await showOwner(process.ppid, processStart(process.ppid)!)
    const refusal = await lockDataDir(dir, 'http://a').catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(AlreadyRunningError)
    expect((refusal as AlreadyRunningError).message).toContain(`process ${process.ppid}`)
    expect((refusal as AlreadyRunningError).message).toContain('http://x')
    expect(await readdir(join(dir, 'owners'))).toEqual([`${process.ppid}.json`])
  })
})

describe('DATA-16 a disk that takes nothing any more', () => {
  test.runIf(existsSync('/dev/full'))('is told by its folder, and what to do', async () => {
    await symlink('/dev/full', join(dir, 'world.json.new')) //  every write fails: no space left on device
    const env = { DATA_DIR: dir, PORT: String(await freePort()) }
    const start = runMain('ops/supervise/main.ts', { env })
    expect(await start.exited).toMatchObject({ code: 1 })
    expect(start.stdout()).toContain(`DATA_DIR: nothing more can be written to ${dir}: make room there`)
    expect(await readdir(join(dir, 'owners'))).toEqual([])
  })
  test('the lock is left behind, and what held it ends as it should', async () => {
    const lock = await lockDataDir(dir, 'http://a')
    const own = join(dir, 'owners', `${process.pid}.json`)
    await rm(own)
    await mkdir(own) //  cannot be unlinked, not even by root
    await expect(lock.release()).resolves.toBeUndefined()
  })
})

describe('OPS-13: secrets are made once and lie open to nobody', () => {
  test('0600 each, an Ed25519 key, 32 bytes, the same on the second start, others in another folder', async () => {
    const secrets = await loadSecrets(dir)
    const names = await readdir(join(dir, 'secrets'))
    expect(names.length).toBe(4)
    for (const name of names) expect((await stat(join(dir, 'secrets', name))).mode & 0o777).toBe(0o600)
    expect(createPrivateKey(await readFile(secrets.receiptKeyFile)).asymmetricKeyType).toBe('ed25519')
    expect((await readFile(secrets.serviceSecretFile)).length).toBe(32)
    const key = await readFile(secrets.receiptKeyFile, 'utf8')
    expect(await loadSecrets(dir)).toEqual(secrets)
    expect(await readFile(secrets.receiptKeyFile, 'utf8')).toBe(key)
    const other = await loadSecrets(join(dir, 'other'))
    expect(other.analystPassword).not.toBe(secrets.analystPassword)
  })

  test('a key that others can read is refused, in words that do not have it removed: nothing brings it back', async () => {
    const { receiptKeyFile, serviceSecretFile } = await loadSecrets(dir)
    for (const file of [receiptKeyFile, serviceSecretFile]) {
      await chmod(file, 0o644)
      const refused = expect(loadSecrets(dir)).rejects
      await refused.toThrow(`${file} can be read by others: chmod 600 it, and keep it`)
      await chmod(file, 0o600)
    }
  })
})

describe('design 2: a replay starts at capturedAt, resumes, and never goes back', () => {
  const CAPTURED = Date.parse('2026-08-22T01:12:21Z')
  const open = (nowMs: number, speed = 1, world = 'w') =>
    openMarketPosition(dir, world, { capturedAtMs: CAPTURED, speed, nowMs })
  const marketAt = (position: Awaited<ReturnType<typeof open>>, nowMs: number) =>
    marketClock(position.anchor, { nowMs: () => nowMs }).nowMs()

  test('starts at capturedAt', async () => {
    expect((await open(1_000_000)).anchor).toEqual({ marketMs: CAPTURED, realMs: 1_000_000, speed: 1 })
  })

  test('a world without recording runs on the real clock', async () => {
    const position = await openMarketPosition(dir, 'g', { capturedAtMs: null, speed: 1, nowMs: 1 })
    expect(position.anchor).toBeNull()
    await position.save('ahead')
    await position.save('exact')
  })

  test('a folder of one world is refused to another', async () => {
    await open(1)
    await expect(open(1, 1, 'other')).rejects.toThrow('holds the world "w", not "other"')
  })

  test.each(['', '{"world":"w"', '{"world":7}'])(
    'a position that a power cut has left as %j is refused by the name of its file, with what to do',
    async (left) => {
      await open(1)
      await writeFile(join(dir, 'world.json'), left)
      const words = `${join(dir, 'world.json')} is damaged, as a power cut may leave it. If this folder is of the world "w", remove that file`
      await expect(open(1)).rejects.toThrow(`${words}: the recording then begins anew`)
      await rm(join(dir, 'world.json'))
      expect((await open(1)).anchor?.marketMs).toBe(CAPTURED)
    },
  )

  test('a position that is there and cannot be read is none of a new folder', async () => {
    await symlink('world.json', join(dir, 'world.json'))
    await expect(open(1)).rejects.toMatchObject({ code: 'ELOOP' })
  })

  test('whatever happens between two starts, market time does not go back', async () => {
    let round = 0
    const step = fc.record({
      end: fc.constantFrom('exact' as const, 'killed' as const),
      speed: fc.constantFrom(0.5, 1, 60, 10_000),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const world = `world-${++round}`
        const folder = await mkdtemp(join(dir, 'w-'))
        let newestMs = 0
        for (const { end, speed } of steps) {
          const startMs = Date.now()
          const position = await openMarketPosition(folder, world, {
            capturedAtMs: CAPTURED,
            speed,
            nowMs: startMs,
          })
          expect(marketAt(position, startMs)).toBeGreaterThanOrEqual(newestMs)
          await position.save('ahead')
          newestMs = marketAt(position, Date.now()) //  the latest time that anybody has seen
          if (end === 'exact') await position.save('exact')
        }
      }),
      { numRuns: 25 },
    )
  })
})

describe('logs are bounded', () => {
  test('two files of at most the limit, newest lines kept', async () => {
    const path = join(dir, 'logs', 'x.log')
    const log = openLogFile(path, 1_000)
    for (let n = 0; n < 200; n++) log.write(`line ${n} ${'x'.repeat(20)}`)
    log.close()
    const [now, before] = await Promise.all([readFile(path, 'utf8'), readFile(`${path}.1`, 'utf8')])
    expect(await readdir(join(dir, 'logs'))).toHaveLength(2)
    expect(Buffer.byteLength(now)).toBeLessThanOrEqual(1_000)
    expect(Buffer.byteLength(before)).toBeLessThanOrEqual(1_000)
    expect(now.trimEnd().split('\n').at(-1)).toContain('line 199 ')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test('over any number of starts', async () => {
    const path = join(dir, 'x.log')
    for (let start = 0; start < 30; start++) {
      const log = openLogFile(path, 1_000)
      log.write('x'.repeat(99))
      log.close()
    }
    expect((await stat(path)).size).toBeLessThanOrEqual(1_000)
  })

  test.runIf(existsSync('/dev/full'))('DATA-16: a log that cannot be written stops nothing', async () => {
    const path = join(dir, 'there.log')
    await symlink('/dev/full', path) //  every write fails: no space left on device
    const log = openLogFile(path)
    log.write('lost')
    await rm(path)
    log.write('there is room again')
    log.close()
    expect(await readFile(path, 'utf8')).toBe('there is room again\n')
  })

  test('DATA-16: nor does a log whose folder is no more', async () => {
    const path = join(dir, 'logs', 'there.log')
    const log = openLogFile(path)
    await rm(join(dir, 'logs'), { recursive: true })
    log.write('lost')
    await mkdir(join(dir, 'logs'))
    log.write('there again')
    log.close()
    expect(await readFile(path, 'utf8')).toBe('there again\n')
  })
})

describe('what two kill -9 leave behind is ended by the next start', () => {
  test('a process of the list is ended; one whose id was reused is left alone', async () => {
    const [left, other] = [1, 2].map(() => spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }))
    const list = [
      { role: 'redis', pid: left!.pid!, start: processStart(left!.pid!) },
      { role: 'reused', pid: other!.pid!, start: 'another start' },
    ]
    await writeFile(join(dir, 'children.json'), JSON.stringify(list))
    expect(await endLeftovers(dir, 2_000)).toEqual(['redis'])
    expect(processStart(left!.pid!)).toBeNull()
    expect(processStart(other!.pid!)).not.toBeNull()
    other!.kill('SIGKILL')
  })

  test('one that does not hear SIGTERM is ended all the same, and is gone then', async () => {
    const deaf = spawn(
      process.execPath,
      ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000); console.log('deaf')"],
      { detached: true, stdio: ['ignore', 'pipe', 'ignore'] },
    )
    await once(deaf.stdout, 'data')
    const list = [{ role: 'deaf', pid: deaf.pid!, start: processStart(deaf.pid!) }]
    await writeFile(join(dir, 'children.json'), JSON.stringify(list))
    const stands = vi.spyOn(Date, 'now').mockReturnValue(0) //  as one that is set back the whole time
    try {
      expect(await endLeftovers(dir, 200)).toEqual(['deaf'])
      expect(processStart(deaf.pid!)).toBeNull()
    } finally {
      stands.mockRestore()
      deaf.kill('SIGKILL')
    }
  })

  test('a process is there until its last thread is gone: then its ports are free', async () => {
    const serve = `new (require('node:worker_threads').Worker)('setInterval(() => {}, 1_000)', { eval: true })
      const held = Buffer.alloc(200 * 1024 * 1024, 1)
      const server = require('node:net').createServer()
      server.listen(0, '127.0.0.1', () => setTimeout(() => console.log(server.address().port, held.length), 300))`
    for (let tries = 0; tries < 3; tries++) {
      const child = spawn(process.execPath, ['-e', serve], { stdio: ['ignore', 'pipe', 'ignore'] })
      const [port] = await once(child.stdout, 'data')
      child.kill('SIGKILL')
      while (processStart(child.pid!) !== null) await sleep(1)
      const again = createServer().listen(Number.parseInt(String(port), 10), '127.0.0.1')
      await once(again, 'listening')
      again.close()
    }
  })

  test('the list has who runs; DATA-16: one that cannot be written stops nothing', async () => {
    const roster = openRoster(dir)
    roster.add('one', process.pid)
    roster.add('other', process.ppid)
    roster.remove(process.ppid)
    await roster.flush()
    expect(JSON.parse(await readFile(join(dir, 'children.json'), 'utf8'))).toEqual([
      { role: 'one', pid: process.pid, start: processStart(process.pid) },
    ])
    const nowhere = openRoster(join(dir, 'no such folder'))
    nowhere.add('one', process.pid)
    await nowhere.flush()
  })

  test('no list, or a broken one, is an empty one', async () => {
    expect(await endLeftovers(dir)).toEqual([])
    await writeFile(join(dir, 'children.json'), '{')
    expect(await endLeftovers(dir)).toEqual([])
  })
})
