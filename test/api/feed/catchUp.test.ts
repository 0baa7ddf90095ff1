import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createCatchUp, LATELY_MS, WAIT_MS, WAITING_MAX } from '../../../api/feed/catchUp.ts'
import { FeedLog } from '../../../api/feed/feedLog.ts'
import type { Feed } from '../../../api/feed/followFeed.ts'
import { eventFrame } from '../../../api/feed/frames.ts'
import { nothingOpen } from '../../../api/feed/openCards.ts'

const NOW = 1_790_000_000_000
beforeEach(() => {
  vi.useFakeTimers({ now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A process whose newest event is an hour old. */
function quietProcess(onLook = () => {}) {
  const log = new FeedLog(100, '0-0')
  const feed: Feed = { log, open: nothingOpen() }
  const catchUp = createCatchUp(
    () => {
      onLook()
      return feed
    },
    () => Date.now(),
  )
  const takeIn = (id: string) => {
    log.append(eventFrame(id, { kind: 'opened', topic: 'gaps' }))
    catchUp.look()
  }
  takeIn(`${NOW - 3_600_000}-0`)
  /** What has become of waiting for an id: 'no wait', 'waits' or 'over'. */
  const ask = (id: string, token = 'one') => {
    const asked = { state: 'no wait' }
    const wait = catchUp.wait(id, token)
    if (wait === null) return asked
    asked.state = 'waits'
    wait.then(() => {
      asked.state = 'over'
    })
    return asked
  }
  return { catchUp, takeIn, ask }
}
const later = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('an id that another process may just have given out is waited for', () => {
  test.each([
    ['of the newest event here', `${NOW - 3_600_000}-0`, 'no wait'],
    ['of an older one', '5-0', 'no wait'],
    ['of this moment', `${NOW}-0`, 'waits'],
    ['with a count', `${NOW}-7`, 'waits'],
    ['as late as may be', `${NOW - LATELY_MS}-0`, 'waits'],
    ['later', `${NOW - LATELY_MS - 1}-0`, 'no wait'], //  an id so far behind is not waited for
    ['of a clock ahead of ours', `${NOW + LATELY_MS}-0`, 'waits'],
    ['of the future', `${NOW + LATELY_MS + 1}-0`, 'no wait'],
    ['of the largest number', '18446744073709551615-18446744073709551615', 'no wait'],
  ])('%s: %s %s', (_, id, state) => {
    expect(quietProcess().ask(id).state).toBe(state)
  })

  test('a store whose clock was set back goes on from its newest id, and so do those who wait for the next one', () => {
    const { takeIn, ask } = quietProcess()
    const ahead = NOW + 3_600_000
    takeIn(`${ahead}-0`)
    expect(ask(`${ahead}-1`).state).toBe('waits')
    expect(ask(`${ahead + LATELY_MS + 1}-0`).state).toBe('no wait')
  })

  test('not before the feed has been read in: who asks is told that', () => {
    const { wait } = createCatchUp(
      () => null,
      () => NOW,
    )
    expect(wait(`${NOW}-0`, 'one')).toBeNull()
  })

  test('until the log has come to it, not before', async () => {
    const { takeIn, ask } = quietProcess()
    const asked = ask(`${NOW}-1`)
    takeIn(`${NOW}-0`)
    await later(0)
    expect(asked.state).toBe('waits')
    takeIn(`${NOW}-1`)
    await later(0)
    expect(asked.state).toBe('over')
  })

  test('and no longer than two seconds', async () => {
    const { ask } = quietProcess()
    const asked = ask(`${NOW}-0`)
    await later(WAIT_MS - 1)
    expect(asked.state).toBe('waits')
    await later(1)
    expect(asked.state).toBe('over')
  })

  test('who has been answered is forgotten: a look costs what those cost who wait', async () => {
    let looks = 0
    const { takeIn, ask } = quietProcess(() => looks++)
    for (let at = 0; at < 100; at++) ask(`${NOW}-${at}`)
    await later(WAIT_MS)
    looks = 0
    takeIn(`${NOW - 1}-0`)
    expect(looks).toBe(0)
  })

  test('by a thousand readers at once; one more is answered at once, until one has gone', async () => {
    const { ask, takeIn } = quietProcess()
    for (let at = 0; at < WAITING_MAX; at++) ask(`${NOW}-${at}`)
    expect(ask(`${NOW}-0`).state).toBe('no wait')
    takeIn(`${NOW}-0`)
    expect(ask(`${NOW}-1`).state).toBe('waits')
  })

  test('nobody keeps another token out: of who waits most the oldest is answered', async () => {
    const { ask } = quietProcess()
    const many = Array.from({ length: WAITING_MAX }, (_, at) => ask(`${NOW}-${at}`, `greedy ${at % 3}`))
    const others = ['ann', 'bob'].map((token) => ask(`${NOW}-0`, token))
    await later(0)
    expect(others.map(({ state }) => state)).toEqual(['waits', 'waits'])
    expect(many.flatMap(({ state }, at) => (state === 'over' ? [at] : []))).toHaveLength(2)
    await later(WAIT_MS)
    expect(new Set([...many, ...others].map(({ state }) => state))).toEqual(new Set(['over']))
    expect(ask(`${NOW + WAIT_MS}-0`, 'greedy 0').state).toBe('waits')
  })

  test('by nobody any more when the process stops: no timer is left', async () => {
    const { catchUp, ask } = quietProcess()
    const asked = ask(`${NOW}-0`)
    catchUp.stop()
    await later(0)
    expect([asked.state, vi.getTimerCount()]).toEqual(['over', 0])
  })
})
