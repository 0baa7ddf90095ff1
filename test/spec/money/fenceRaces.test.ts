import { once } from 'node:events'
import type { Redis } from 'ioredis'
import { describe, expect, test, vi } from 'vitest'
import { openFence } from '../../../api/ledger/fence.ts'
import {
  judgeMarks,
  type Mark,
  readLedger,
  readMarks,
  readWitness,
  renewEpoch,
  timeFor,
} from '../../../api/ledger/marks.ts'
import { MINUTE, SECOND } from '../../../ops/units.ts'
import { fenceStores } from '../../support/fenceStores.ts'
import { frontDoor } from '../../support/frontDoor.ts'
import { quietLog } from '../../support/ledger.ts'
import { freePort } from '../../support/ports.ts'
import { sleep, until } from '../../support/process.ts'
import { startRedis, watched } from '../../support/redis.ts'

const { stores, connect } = fenceStores()
const open = async ({
  ledger = connect(stores[0]),
  witness = connect(stores[1]),
  guarded = connect(stores[0]),
} = {}) => {
  const fence = await openFence({ ledger, witness, guarded, secret: Buffer.alloc(32, 1), log: quietLog })
  const [admin, remembers] = [connect(stores[0]), connect(stores[1])]
  const marks = async () => ({
    ledger: (await readLedger(admin)).mark!,
    witness: (await readWitness(remembers)) as Mark,
  })
  return { fence, guarded, admin, remembers, marks }
}

/** A connection that holds its next script back until the work given to `hold` is done. */
function holding(connection: Redis) {
  let work: (() => Promise<void>) | null = null
  const before = async (command: string) => {
    if (command !== 'evalsha' || work === null) return
    const now = work
    work = null
    await now()
  }
  return {
    connection: watched(connection, { before }),
    hold: (then: () => Promise<void>) => {
      work = then
    },
  }
}

describe('I24, DATA-05 a beat without an answer is sent again, to a copy that has taken the place of the ledger', () => {
  test.each([
    ['an older copy', 2 * SECOND, 0],
    ['one that has what this process saw last, while others have sold on since', 0, SECOND],
  ])('%s: closed, and it does not become the newest', async (_, copyBehindMs, othersAheadMs) => {
    const [port, copyPort] = [await freePort(), await freePort()]
    const copy = await startRedis({ appendfsync: 'always' })
    const door = await frontDoor()
    try {
      const [admin, young] = [connect(stores[0]), connect(copy)]
      await admin.config('SET', 'port', port)
      await young.config('SET', 'port', copyPort)
      await door.open(port)
      const url = `redis://127.0.0.1:${door.port}`
      const { fence, remembers, marks } = await open({ ledger: connect({ url }), guarded: connect({ url }) })
      expect(fence.problem()).toBeNull()

      await admin.call('CLIENT', 'PAUSE', '60000', 'WRITE') //  its disk hangs
      await until('a beat waits for its answer', async () =>
        /flags=b .*cmd=evalsha/.test(String(await admin.client('LIST'))),
      )
      const { epoch, beat } = (await marks()).ledger
      const known = beat - copyBehindMs
      await young.mset('ledger:epoch', epoch, 'ledger:beat', known)
      await remembers.set('witness:ledger', JSON.stringify({ epoch, beat: beat + othersAheadMs }))
      await door.shut()
      await door.open(copyPort)
      await until('it is looked at', () => /older copy/.test(fence.problem() ?? ''))
      expect(await young.get('ledger:beat')).toBe(String(known))
      await fence.stop()
      expect(await young.mget('ledger:beat', 'ledger:ended')).toEqual([String(known), null])
    } finally {
      await connect(stores[0]).call('CLIENT', 'UNPAUSE')
      await door.shut()
      await copy.stop()
    }
  })
})

describe('I24 what money is moved over leads to another server', () => {
  /** Money goes through a door that may lead to an empty server; the looks do not. */
  async function withDoor(
    witness: Redis,
    go: (
      on: Awaited<ReturnType<typeof open>> & {
        ledger: Redis
        young: Redis
        lead(toYoung: boolean): Promise<void>
      },
    ) => Promise<void>,
  ) {
    const [port, youngPort] = [await freePort(), await freePort()]
    const empty = await startRedis({ appendfsync: 'always' })
    const door = await frontDoor()
    try {
      const young = connect(empty)
      await connect(stores[0]).config('SET', 'port', port)
      await young.config('SET', 'port', youngPort)
      await door.open(port)
      const ledger = connect(stores[0])
      const guarded = connect({ url: `redis://127.0.0.1:${door.port}` })
      const opened = await open({ ledger, witness, guarded })
      expect(opened.fence.problem()).toBeNull()
      const lead = async (toYoung: boolean) => {
        await door.shut()
        await until('closed', () => guarded.status !== 'ready')
        await door.open(toYoung ? youngPort : port)
      }
      await go({ ...opened, ledger, young, lead })
      await opened.fence.stop()
    } finally {
      await door.shut()
      await empty.stop()
    }
  }

  test('while the witness is told of a ledger that was found good: closed until it is looked at again', async () => {
    const held = holding(connect(stores[1]))
    await withDoor(held.connection, async ({ fence, guarded, young, lead }) => {
      let isTold = false
      held.hold(async () => {
        await lead(true)
        isTold = true
      })
      await until('another one has its name', () => isTold)
      await expect(guarded.set('grant', '1')).rejects.toThrow('fenced off')
      await sleep(20) //  the look goes on
      expect(fence.problem()).toMatch(/has not been checked yet/)
      await expect(guarded.set('grant', '1')).rejects.toThrow('fenced off')
      expect(await young.dbsize()).toBe(0)
    })
  })

  test('it alone, for the connection of the looks has lasted: closed, until both lead to one', async () => {
    await withDoor(connect(stores[1]), async ({ fence, guarded, ledger, young, lead }) => {
      const again = once(ledger, 'close') //  either may be the one that is behind
      await lead(true)
      await until('closed', () => /two connections to it lead to two servers/.test(fence.problem() ?? ''))
      await again
      let breaks = 0
      guarded.on('close', () => breaks++)
      await until('tried anew', () => breaks > 1)
      await expect(guarded.set('grant', '1')).rejects.toThrow('fenced off')
      expect(await young.dbsize()).toBe(0)
      await lead(false)
      await until('open', () => fence.problem() === null)
    })
  })
})

describe('DATA-04 the operator renews the epoch while a process is at work', () => {
  test.each(['ledger', 'witness'] as const)(
    'between its look and its word to the %s: both keep the new one',
    async (at) => {
      const held = holding(connect(stores[at === 'ledger' ? 0 : 1]))
      const { fence, admin, remembers, marks } = await open({ [at]: held.connection })
      const before = (await marks()).ledger.epoch
      let isRenewed = false
      held.hold(async () => {
        await renewEpoch(admin, remembers)
        isRenewed = true
      })
      await until('renewed', () => isRenewed)
      await fence.check()
      await fence.check()
      expect(fence.problem()).toBeNull()
      const { ledger, witness } = await marks()
      expect(witness.epoch).toBe(ledger.epoch)
      expect(ledger.epoch).not.toBe(before)
      await fence.stop()
    },
  )

  test('and what a slow process says of an older beat does not take the witness back', async () => {
    const held = holding(connect(stores[1]))
    const { fence, remembers, marks } = await open({ witness: held.connection })
    const { epoch, beat } = (await marks()).witness
    const newer = JSON.stringify({ epoch, beat: beat + MINUTE })
    let isTold = false
    held.hold(async () => {
      await remembers.set('witness:ledger', newer)
      isTold = true
    })
    await until('others have told it more', () => isTold)
    await fence.check()
    expect(await remembers.get('witness:ledger')).toBe(newer)
    expect(fence.problem()).toMatch(/older copy/)
    await fence.stop()
  })
})

describe('a process that ends while it looks', () => {
  test('ends in order: its last sign is the end, and it looks no more', async () => {
    const held = holding(connect(stores[0]))
    const guarded = connect(stores[0])
    const listeners = guarded.listenerCount('ready')
    const { fence, marks } = await open({ ledger: held.connection, guarded })
    let release = () => {}
    const isHeld = new Promise<void>((resolve) => {
      held.hold(() => {
        resolve()
        return new Promise((go) => {
          release = go
        })
      })
    })
    const asked = fence.check()
    await isHeld
    const ended = fence.stop()
    await sleep(20) //  a mark that did not wait would be there by now, older than the held beat
    release()
    await Promise.all([asked, ended])
    const last = await marks()
    expect([last.ledger.ended, last.witness.beat]).toEqual([true, last.ledger.beat])
    await fence.check()
    expect((await marks()).ledger).toEqual(last.ledger)
    expect(guarded.listenerCount('ready')).toBe(listeners)
  })
})

describe('DATA-01, DATA-16 a ledger that was away for long while its processes stayed', () => {
  const mark = (beat: number): Mark => ({ epoch: 'a', beat })
  test.each([
    [
      'nobody has beaten since this process did: what it lived through is no age',
      mark(1_000),
      mark(1_000),
      1_000,
    ],
    ['somebody else has: judged by its age', mark(1_000), mark(1_001), 400_000],
    ['it holds less', mark(1_000), mark(999), 400_000],
    ['it is another one', { epoch: 'b', beat: 1_000 }, mark(1_000), 400_000],
    ['this process has just begun', null, mark(1_000), 400_000],
    ['it is empty', mark(1_000), null, 400_000],
  ])('%s', (_, mine, ledger, judgedMs) => {
    const wrote = mine && { ...mine, atMs: 1 }
    expect(timeFor(wrote, ledger, { nowMs: 400_000, atMs: 399_001 })).toBe(judgedMs)
  })

  test.each([
    ['has lived through it: open', 6 * MINUTE, null],
    ['comes back with its machine, memory and all: closed', 0, expect.stringMatching(/nobody vouches/)],
  ])('the process that wrote the last beat %s', async (_, livedMs, problem) => {
    vi.useFakeTimers({ toFake: ['setInterval'] }) //  the fence checks only when the test asks it to
    try {
      let laterMs = 0
      const real = connect(stores[0])
      const ledger = new Proxy(real, {
        get(target, key) {
          if (key === 'time') return async () => [Number((await real.time())[0]) + laterMs / SECOND, 0]
          const member: unknown = Reflect.get(target, key)
          return typeof member === 'function' ? member.bind(target) : member
        },
      })
      const { fence } = await open({ ledger })
      await fence.check()
      expect(fence.problem()).toBeNull()
      laterMs = 6 * MINUTE
      const now = performance.now.bind(performance)
      vi.spyOn(performance, 'now').mockImplementation(() => now() + livedMs)
      await fence.check()
      expect(fence.problem()).toEqual(problem)
      await fence.stop()
    } finally {
      vi.restoreAllMocks()
      vi.useRealTimers()
    }
  })
})

describe('a store that answers, and refuses to be looked at', () => {
  test.each([
    ['INFO', '-info', /does not tell its settings: money is closed until it is set right/],
    ['the beat', '-evalsha', /has not been checked yet: .*NOPERM.*: money is closed until it is/],
  ])('%s: closed, it says why, and nobody is sent to rebuild it', async (_, rule, words) => {
    const admin = connect(stores[0])
    await admin.call('ACL', 'SETUSER', 'default', rule)
    const { fence, guarded } = await open()
    expect(fence.problem()).toMatch(words)
    expect(fence.problem()).not.toContain('--rebuild')
    await expect(guarded.get('k')).rejects.toThrow('fenced off')
    await fence.stop()
  })

  test('a ledger that is empty beside a witness that is away says so', async () => {
    await stores[1].kill()
    const { fence } = await open()
    expect(fence.problem()).toMatch(/it is empty, and its witness does not answer/)
    await fence.stop()
  })
})

describe('DATA-04 an operator looks at the marks of a ledger that is in use', () => {
  test('a beat between the two reads makes no older copy of it', async () => {
    const { fence, admin, remembers } = await open()
    let beats = 0
    const beat = async (command: string) => {
      if (command !== 'get' && command !== 'mget') return
      await fence.check()
      beats++
    }
    const between = (connection: Redis) => watched(connection, { before: beat })
    const { mark, nowMs, seen } = await readMarks(between(admin), between(remembers))
    expect([judgeMarks(mark, seen, nowMs), beats]).toEqual(['open', 2])
    await fence.stop()
  })
})
