import type { Redis } from 'ioredis'
import { describe, expect, test, vi } from 'vitest'
import { type Join, openFence } from '../../../api/ledger/fence.ts'
import { judgeMarks, type Mark, newerOf, renewEpoch, type Seen } from '../../../api/ledger/marks.ts'
import { createRedisLedger } from '../../../api/ledger/redis.ts'
import { DAY, MINUTE, SECOND } from '../../../ops/units.ts'
import { fenceStores } from '../../support/fenceStores.ts'
import { quietLog } from '../../support/ledger.ts'
import { until } from '../../support/process.ts'

describe('DATA-03, DATA-04 what ledger and witness say together', () => {
  const NOW = 1_800_000_000_000
  const mark = (epoch: string, agoMs: number): Mark => ({ epoch, beat: NOW - agoMs })
  test.each<[string, Mark | null, Seen, string]>([
    ['first start', null, null, 'fresh'],
    ['both agree', mark('a', 0), mark('a', 0), 'open'],
    ['both agree, and have for five minutes', mark('a', 5 * MINUTE), mark('a', 5 * MINUTE), 'open'],
    ['both agree, and are older', mark('a', 5 * MINUTE + 1), mark('a', 5 * MINUTE + 1), 'unwitnessed'],
    ['both are of yesterday: a machine restored whole', mark('a', DAY), mark('a', DAY), 'unwitnessed'],
    ['the ledger is ahead: the witness is written second', mark('a', 0), mark('a', 1), 'open'],
    ['the ledger is ahead, and old', mark('a', DAY), mark('a', DAY + 1), 'unwitnessed'],
    ['the witness is new', mark('a', 0), null, 'unwitnessed'],
    ['the witness is away, somebody has the ledger open', mark('a', 15 * SECOND), 'away', 'open'],
    ['the witness is away, nobody has', mark('a', 15 * SECOND + 1), 'away', 'unwitnessed'],
    ['empty ledger', null, mark('a', 0), 'lost'],
    ['empty ledger, nobody to ask', null, 'away', 'unchecked'],
    ['a ledger one beat behind', mark('a', 1), mark('a', 0), 'older'],
    ['another ledger', mark('b', 0), mark('a', 0), 'other'],
  ])('%s: %s', (_, ledger, witness, state) => expect(judgeMarks(ledger, witness, NOW)).toBe(state))

  test.each<[string, Seen, Mark | null, Seen]>([
    ['nothing', null, null, null],
    ['a witness that is new', null, mark('a', 1), mark('a', 1)],
    ['a witness that is away', 'away', mark('a', 1), mark('a', 1)],
    ['a witness that is an older copy', mark('a', 2), mark('a', 1), mark('a', 1)],
    ['a witness that others have told since', mark('a', 0), mark('a', 1), mark('a', 0)],
    ['a witness that an operator has renewed', mark('b', 2), mark('a', 1), mark('b', 2)],
  ])('what a process remembers beside %s', (_, witness, mine, known) =>
    expect(newerOf(witness, mine)).toEqual(known),
  )
})

describe('a process and its ledger', () => {
  const { stores, connect } = fenceStores()
  const SECRET = Buffer.alloc(32, 1)
  const open = async ({
    secret = SECRET,
    witness = connect(stores[1]),
    join,
  }: {
    secret?: Buffer
    witness?: Redis
    join?: Join
  } = {}) => {
    const guarded = connect(stores[0])
    const admin = connect(stores[0])
    const at = { ledger: connect(stores[0]), witness, guarded, secret, log: quietLog }
    const fence = await openFence(join === undefined ? at : { ...at, join })
    const ledger = createRedisLedger(guarded, connect(stores[0], { blocking: true }), { answerTtlMs: 1_000 })
    return { fence, ledger, guarded, admin, witness }
  }

  test('a first start opens; FLUSHALL closes everything; the operator opens it again', async () => {
    const { fence, ledger, admin, witness } = await open()
    expect(fence.problem()).toBeNull()
    expect(await ledger.find('k')).toBeNull()
    await admin.flushall()
    await fence.check()
    expect(fence.problem()).toMatch(/empty and was not.*ops\/reconcile --rebuild/)
    await expect(ledger.find('k')).rejects.toMatchObject({ code: 'ledger_unavailable' })
    await fence.check() //  stays closed, and begins no new epoch by itself
    expect(fence.problem()).not.toBeNull()
    await renewEpoch(admin, witness)
    await fence.check()
    expect(fence.problem()).toBeNull()
    expect(await ledger.find('k')).toBeNull()
    await fence.stop()
  })

  test('restored from an older copy: closed, also for a process that starts then', async () => {
    const { fence, admin } = await open()
    const copy = await admin.get('ledger:beat')
    await until('a later beat', async () => {
      await fence.check()
      return (await admin.get('ledger:beat')) !== copy
    })
    await admin.set('ledger:beat', copy!)
    const second = await open()
    expect(second.fence.problem()).toMatch(/older copy/)
    await fence.check()
    expect(fence.problem()).toMatch(/older copy/)
    for (const each of [fence, second.fence]) await each.stop()
  })

  /** Gives both stores the marks that they had `agoMs` ago; the witness is empty unless `witnessed`. */
  const age = async (agoMs: number, { witnessed = true, ended = false } = {}) => {
    const [ledger, witness] = [connect(stores[0]), connect(stores[1])]
    const beat = String(Date.now() - agoMs)
    await ledger.mset('ledger:beat', beat, 'ledger:ended', ended ? beat : '1')
    if (witnessed)
      await witness.set(
        'witness:ledger',
        JSON.stringify({ epoch: await ledger.get('ledger:epoch'), beat: +beat }),
      )
    else await witness.flushall()
  }

  test.each([
    ['its witness is new', 0, false],
    ['its witness is as old: a machine restored whole', DAY, true],
  ])(
    'restored from an older copy, and %s: closed until the chain bears it out',
    async (_, agoMs, witnessed) => {
      const first = await open()
      await first.fence.stop()
      await age(agoMs, { witnessed })
      const api = await open() //  it has no chain to join with
      expect(api.fence.problem()).toMatch(/nobody vouches .* when the worker has joined it with the chain/)
      await expect(api.ledger.find('k')).rejects.toMatchObject({ code: 'ledger_unavailable' })
      await api.fence.check()
      expect(api.fence.problem()).not.toBeNull() //  a check alone does not make the old copy valid
      let answer = (_: string | null) => {}
      const asked: Parameters<Join>[0][] = []
      const join: Join = (last) => {
        asked.push(last)
        return new Promise((resolve) => {
          answer = resolve
        })
      }
      const worker = await open({ join })
      await worker.fence.check()
      expect(asked).toHaveLength(1)
      expect(asked[0]).toMatchObject({ beat: Number(await api.admin.get('ledger:beat')), ended: false })
      expect(worker.fence.problem()).not.toBeNull()
      answer('it does not know 3 transfers: look')
      await until('it says why', () => worker.fence.problem()?.includes('does not know 3 transfers') === true)
      await worker.fence.check()
      expect([asked.length, await worker.witness.get('witness:ledger')]).toEqual([
        1,
        witnessed ? expect.stringContaining('beat') : null,
      ])

      const again = await open({ join }) //  restarted, and now the chain confirms the copy
      answer(null)
      await until('it is open', () => again.fence.problem() === null)
      for (const each of [api, worker]) {
        await each.fence.check()
        expect(each.fence.problem()).toBeNull()
      }
      for (const { fence } of [api, worker, again]) await fence.stop()
    },
  )

  test('a chain that does not answer: closed, and tried again', async () => {
    const first = await open()
    await first.fence.stop()
    await age(DAY)
    vi.useFakeTimers({ toFake: ['setTimeout'] }) //  the pause before the next attempt
    try {
      const join = vi.fn<Join>().mockRejectedValueOnce(new Error('no chain')).mockResolvedValue(null)
      const { fence } = await open({ join })
      const words = 'the worker cannot join it with the chain yet: Error: no chain'
      for (const _ of [1, 2, 3]) await fence.check()
      expect([join.mock.calls.length, fence.problem()]).toEqual([1, expect.stringContaining(words)])
      await vi.runOnlyPendingTimersAsync()
      for (const _ of [1, 2, 3]) await fence.check()
      expect([join.mock.calls.length, fence.problem()]).toEqual([2, null])
      await fence.stop()
    } finally {
      vi.useRealTimers()
    }
  })

  test('a stop in order is told from a copy of a ledger at work; whoever lives on takes it back', async () => {
    const heard: boolean[] = []
    const join: Join = async ({ ended }) => {
      heard.push(ended)
      return null
    }
    const [one, other] = [await open(), await open()]
    await one.fence.stop()
    const marks = () => one.admin.mget('ledger:beat', 'ledger:ended')
    expect(new Set(await marks()).size).toBe(1)
    await until('the other beats', async () => {
      await other.fence.check()
      return new Set(await marks()).size === 2
    })
    await other.fence.stop()
    for (const ended of [true, false]) {
      await age(DAY, { ended })
      const worker = await open({ join })
      await until('it is open', () => worker.fence.problem() === null)
      await worker.fence.stop()
    }
    expect(heard).toEqual([true, false])
  })

  test('a witness that is lost while somebody is at work is told again, and closes nothing', async () => {
    const { fence, witness } = await open()
    await witness.flushall()
    const second = await open()
    await fence.check()
    expect(fence.problem()).toBeNull()
    expect(await witness.get('witness:ledger')).not.toBeNull()
    await second.fence.check()
    expect(second.fence.problem()).toBeNull()
    for (const each of [fence, second.fence]) await each.stop()
  })

  test('both stores lost under a process at work: closed, no new life is begun', async () => {
    const { fence, admin, witness } = await open()
    await Promise.all([admin.flushall(), witness.flushall()])
    await fence.check()
    expect(fence.problem()).toMatch(/empty and was not/)
    await fence.stop()
  })

  test('I24, OPS-03 one server is no witness of itself, by whatever name: closed', async () => {
    const database = connect(stores[0], { db: 3 })
    const { fence, ledger } = await open({ witness: database })
    expect(fence.problem()).toMatch(/LEDGER_REDIS_URL and REDIS_URL are one server/)
    await expect(ledger.find('k')).rejects.toMatchObject({ code: 'ledger_unavailable' })
    expect(await database.keys('*')).toEqual([])
    await fence.stop()
  })

  test('another service secret than the ledger is written with: closed until the former is back', async () => {
    const first = await open()
    await first.fence.stop()
    const other = await open({ secret: Buffer.alloc(32, 2) })
    expect(other.fence.problem()).toMatch(/SERVICE_SECRET_FILE is not the one this ledger was written with/)
    await expect(other.ledger.find('k')).rejects.toMatchObject({ code: 'ledger_unavailable' })
    const kept = await first.admin.get('ledger:secret')
    expect(kept).toMatch(/^[0-9a-f]{64}$/)
    expect(kept).not.toContain(SECRET.toString('hex'))
    const back = await open()
    expect([back.fence.problem(), await back.admin.get('ledger:secret')]).toEqual([null, kept])
    for (const { fence } of [other, back]) await fence.stop()
  })

  test('CRA-11 a worker that was stopped in the middle, or whose clock is behind, never takes the beat back', async () => {
    const { fence, admin } = await open()
    const ahead = String(Date.now() + 60_000)
    await admin.set('ledger:beat', ahead)
    await fence.check()
    expect(await admin.get('ledger:beat')).toBe(ahead)
    await fence.check()
    expect(fence.problem()).toBeNull()
    await fence.stop()
  })

  test.each([
    ['appendfsync', 'everysec', 'always'],
    ['maxmemory-policy', 'allkeys-lru', 'noeviction'],
    ['appendonly', 'no', 'yes'],
    ['no-appendfsync-on-rewrite', 'yes', 'no'],
    ['replica-read-only', 'no', 'yes'],
  ])(
    'I24, DATA-06 closed while %s is %s, also for a process that starts then',
    async (setting, bad, good) => {
      const { fence, ledger, admin } = await open()
      await admin.config('SET', setting, bad)
      await fence.check()
      expect(fence.problem()).toContain(`${setting} ${bad}, it must be ${good}`)
      await expect(ledger.find('k')).rejects.toMatchObject({ code: 'ledger_unavailable' })
      const second = await open()
      expect(second.fence.problem()).toContain(setting)
      await admin.config('SET', setting, good)
      for (const each of [fence, second.fence]) {
        await until('open again', async () => {
          await each.check()
          return each.problem() === null
        })
        await each.stop()
      }
      expect(await ledger.find('k')).toBeNull()
      //  a Redis that is still writing its first append-only file ignores SIGTERM
      await until('its log is written', async () =>
        /aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0/.test(await admin.info('persistence')),
      )
    },
  )

  test('I24 a store that does not tell its settings is not relied on', async () => {
    const { fence, admin } = await open()
    await admin.call('ACL', 'SETUSER', 'default', '-config')
    await fence.check()
    expect(fence.problem()).toMatch(/does not tell its settings/)
    await fence.stop()
  })

  test('I24 a server that comes back is checked before it is used', async () => {
    const { fence, ledger } = await open()
    await stores[0].restart()
    await until('open again', () =>
      ledger.find('k').then(
        () => true,
        () => false,
      ),
    )
    expect(fence.problem()).toBeNull()
    await fence.stop()
  })
})
