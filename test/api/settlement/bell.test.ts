import { describe, expect, test } from 'vitest'
import { createBell } from '../../../api/settlement/bell.ts'

const HOUR = 3_600_000

describe('a sleeper with a bell', () => {
  test.each([
    ['a ring while it sleeps', async (bell: ReturnType<typeof createBell>) => setTimeout(bell.ring, 20)],
    ['a ring while it was awake', async (bell: ReturnType<typeof createBell>) => bell.ring()],
  ])('that listens is woken by %s', async (_, act) => {
    const bell = createBell(new AbortController().signal)
    await act(bell)
    await expect(bell.rest(HOUR, true)).resolves.toBeUndefined()
  })

  test('that does not listen sleeps on, and the ring is spent', async () => {
    const bell = createBell(new AbortController().signal)
    let awake = false
    bell.ring()
    const sleep = bell.rest(150, false).then(() => {
      awake = true
    })
    bell.ring()
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(awake).toBe(false)
    await sleep
  })

  test('the end of the signal wakes everybody, now and later', async () => {
    const controller = new AbortController()
    const bell = createBell(controller.signal)
    const sleep = bell.rest(HOUR, false)
    controller.abort()
    await sleep
    await bell.rest(HOUR, true)
    expect(controller.signal.aborted).toBe(true)
  })
})
