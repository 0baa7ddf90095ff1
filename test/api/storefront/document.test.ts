import { describe, expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../../api/http/exchange.ts'
import { changingRoute, documentRoute, TEXT_TYPE } from '../../../api/storefront/document.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import { someFacts } from '../../support/facts.ts'

/** A request as the server gives it: its headers are gone after the handler's first await. */
function asking(known = '') {
  let live = true
  const request = {
    method: 'GET',
    header: (name: string) => {
      if (!live) throw new Error('read before the first await')
      return name === 'if-none-match' ? known : ''
    },
  } as unknown as HttpRequest
  return { request, gone: () => (live = false) }
}
const ask = async (route: ReturnType<typeof documentRoute>, known = ''): Promise<Reply> => {
  const { request, gone } = asking(known)
  const answer = route.handler(request)
  gone()
  return answer as Promise<Reply>
}
const headerOf = ({ headers }: Reply, wanted: string) => headers.find(([name]) => name === wanted)?.[1]
const path = '/x.txt'

describe('a document that is fixed', () => {
  test('is made once, however often it is asked for', async () => {
    let made = 0
    const route = documentRoute({ path, type: TEXT_TYPE, text: () => `${++made}` }, someFacts())
    const bodies = [await ask(route), await ask(route)].map(({ body }) => String(body))
    expect(bodies).toEqual(['1', '1'])
    expect(headerOf(await ask(route), 'cache-control')).toBe('public, max-age=300')
  })

  test('is asked for again by its ETag: 304 without a body; another text has another ETag', async () => {
    const of = (text: string) => documentRoute({ path, type: TEXT_TYPE, text: () => text }, someFacts())
    const etag = headerOf(await ask(of('one')), 'etag')!
    expect(await ask(of('one'), etag)).toMatchObject({ status: 304, body: '' })
    for (const known of [`W/${etag}`, `"other", ${etag}`])
      expect(await ask(of('one'), known)).toMatchObject({ status: 304 })
    expect(await ask(of('two'), etag)).toMatchObject({
      status: 200,
      headers: expect.arrayContaining([['content-type', TEXT_TYPE]]),
    })
  })
})

describe('a document that changes', () => {
  function world() {
    const state = { nowMs: 0, text: 'one', made: 0, away: false, hangs: false }
    const route = changingRoute(
      {
        path,
        type: TEXT_TYPE,
        maxAgeMs: 5_000,
        text: async () => {
          state.made++
          if (state.hangs) await new Promise(() => {})
          if (state.away) throw new UnavailableError('ledger_unavailable', 'away')
          return state.text
        },
      },
      { nowMs: () => state.nowMs },
    )
    return { state, route }
  }

  test('is made again when it is as old as its cache time, not sooner, and only when somebody asks', async () => {
    const { state, route } = world()
    expect(String((await ask(route)).body)).toBe('one')
    state.text = 'two'
    state.nowMs = 4_999
    expect(String((await ask(route)).body)).toBe('one')
    state.nowMs = 5_000
    expect(String((await ask(route)).body)).toBe('two')
    state.nowMs = 9_999
    expect(headerOf(await ask(route), 'cache-control')).toBe('public, max-age=5')
    expect(state.made).toBe(2)
  })

  test('who asks at once waits for one making; the ETag counts for it too', async () => {
    const { state, route } = world()
    const etag = headerOf(await ask(route), 'etag')!
    state.nowMs = 5_000
    const answers = await Promise.all([ask(route), ask(route, etag), ask(route)])
    expect(answers.map(({ status }) => status)).toEqual([200, 304, 200])
    expect(state.made).toBe(2)
  })

  test('the store is away: the last one; when there is none its refusal, and the next caller asks again', async () => {
    const { state, route } = world()
    state.away = true
    expect(await ask(route)).toMatchObject({ status: 503 })
    state.away = false
    expect(String((await ask(route)).body)).toBe('one')
    state.away = true
    state.nowMs = 60_000
    expect(String((await ask(route)).body)).toBe('one')
  })

  test('a store that hangs keeps nobody who can have the last one', async () => {
    const { state, route } = world()
    await ask(route)
    state.hangs = true
    state.nowMs = 60_000
    const answers = await Promise.all([ask(route), ask(route)])
    expect(answers.map(({ body }) => String(body))).toEqual(['one', 'one'])
    expect(state.made).toBe(2)
  })
})
