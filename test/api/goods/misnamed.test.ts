import { describe, expect, test } from 'vitest'
import { parsePollQuery, parseStreamQuery } from '../../../api/feed/feedQuery.ts'
import { GOODS } from '../../../api/goods/index.ts'
import { misnamed } from '../../../api/goods/misnamed.ts'
import { paidTool } from '../../../api/mcp/paidTools.ts'
import { readInput } from '../../../api/payment/input.ts'

const good = (name: string) => GOODS.find(({ path }) => path === `/x402/v1/${name}`)!
const read = (name: string, query: Record<string, string>) =>
  readInput(good(name), { query: new Map(Object.entries(query)), payload: '' })

describe('a name that must be meant for a parameter is refused: something else would be sold', () => {
  test.each([
    ['spread', { Q: 'fed' }, 'Q: is not a parameter here; q is'],
    ['spread', { query: 'fed' }, 'query: is not a parameter here; q is'],
    ['net', { Topic: 'fed' }, 'Topic: is not a parameter here; q is'],
    ['book', { keywords: 'fed', utm_source: 'a' }, 'keywords: is not a parameter here; q is'],
    ['move', { q: 'fed', Window: 'hour' }, 'Window: is not a parameter here; window is'],
    ['move', { interval: 'hour' }, 'interval: is not a parameter here; window is'],
    ['scan', { RAW: 'Error: timeout' }, 'RAW: is not a parameter here; raw is'],
    ['spread', { 'q[]': 'fed' }, 'q[]: is not a parameter here; q is'], //          HTTP-11: a list, as some clients write it
    ['move', { 'window[0]': 'hour' }, 'window[0]: is not a parameter here; window is'],
    ['move', { q: 'fed', 'amp;window': 'hour' }, 'amp;window: is not a parameter here; window is'], // copied out of HTML
    ['spread', { '?q': 'fed' }, '?q: is not a parameter here; q is'],
    ['spread', { ' q ': 'fed' }, ' q : is not a parameter here; q is'],
    ['spread', { '\ufeffQuery': 'fed' }, '\ufeffQuery: is not a parameter here; q is'],
    ['spread', { [`q${'?'.repeat(90)}`]: 'fed' }, `q${'?'.repeat(63)}…: is not a parameter here; q is`],
  ])('%s with %j', (name, query, detail) => {
    expect(read(name, query as Record<string, string>)).toEqual({ problem: 'invalid_parameter', detail })
  })

  test('MCP: the same of arguments', () => {
    const tool = paidTool(good('spread'), 'eip155:8453')
    expect(tool.requestFor({ query: 'fed' })).toBe('query: is not a parameter here; q is')
    expect(tool.requestFor({ q: 'fed', trace: 1 })).toMatchObject({ query: { q: 'fed' } })
  })
})

describe('of the feed too: events would come again, or of topics that nobody asked for', () => {
  test.each([
    ['a poll', 'lastEventId=1-0', 'lastEventId: is not a parameter here; since is'],
    ['a poll', 'Since=1-0', 'Since: is not a parameter here; since is'],
    ['a poll', 'since=1-0&topics=gaps', 'topics: is not a parameter here; topic is'],
    ['a poll', 'LIMIT=5', 'LIMIT: is not a parameter here; limit is'],
    ['a stream', 'lasteventid=1-0', 'lasteventid: is not a parameter here; lastEventId is'],
    ['a stream', 'lastEventId=1-0&Topic=gaps', 'Topic: is not a parameter here; topic is'],
  ])('%s with %s', (reader, query, detail) => {
    const read = reader === 'a poll' ? parsePollQuery(query) : parseStreamQuery(query, '')
    expect(read).toEqual({ problem: 'invalid_parameter', detail })
  })

  test.each(['since=1-0&lastEventId=1-0', 'since=1-0&cursor=x', 'topic=gaps&topics=x&limit=1', '_=1&ref=a'])(
    'a poll with %s is answered',
    (query) => {
      expect(parsePollQuery(query)).toHaveProperty('topics')
    },
  )

  test.each(['lastEventId=1-0', 'since=1-0', 'lastEventId=1-0&since=1-0', 'limit=5'])(
    'a stream with %s is answered',
    (query) => {
      expect(parseStreamQuery(query, '')).toHaveProperty('topics')
    },
  )
})

describe('every other unknown name is ignored, as agents add tracking ones', () => {
  test.each([
    ['spread', { utm_source: 'a', _: '1', ref: 'b' }],
    ['spread', { q: 'fed', Q: 'x', query: 'y' }], //  q itself is given
    ['edge', { q: 'fed', query: 'fed' }], //          a good without parameters: none can be meant
    ['ping', { query: 'hello' }],
    ['move', { q: 'fed', topic: 'fed', window: 'hour', range: '1' }],
  ])('%s with %j', (name, query) => {
    expect(read(name, query as Record<string, string>)).toHaveProperty('input')
  })

  test('no good takes another one’s parameter for a mistake of its own', () => {
    for (const { parameters } of GOODS) {
      const names = parameters.map(({ name }) => name)
      expect(misnamed(names, names)).toBeNull()
      for (const other of GOODS.flatMap((each) => each.parameters.map(({ name }) => name)))
        expect(misnamed(names, [other])).toBeNull()
    }
  })
})
