import { describe, expect, test } from 'vitest'
import { GOODS } from '../../../api/goods/index.ts'
import { misnamed } from '../../../api/goods/misnamed.ts'
import { paidTool } from '../../../api/mcp/paidTools.ts'
import { readInput } from '../../../api/payment/input.ts'

const good = (name: string) => GOODS.find(({ path }) => path === `/x402/v1/${name}`)!
const read = (name: string, query: Record<string, string>) =>
  readInput(good(name), { query: new Map(Object.entries(query)), payload: '' })

describe('a name that must be meant for a parameter is refused: something else would be sold', () => {
  test.each([
    ['spread', { Q: 'fed' }, 'Q: is no parameter here; q is'],
    ['spread', { query: 'fed' }, 'query: is no parameter here; q is'],
    ['net', { Topic: 'fed' }, 'Topic: is no parameter here; q is'],
    ['book', { keywords: 'fed', utm_source: 'a' }, 'keywords: is no parameter here; q is'],
    ['move', { q: 'fed', Window: 'hour' }, 'Window: is no parameter here; window is'],
    ['move', { interval: 'hour' }, 'interval: is no parameter here; window is'],
    ['scan', { RAW: 'Error: timeout' }, 'RAW: is no parameter here; raw is'],
  ])('%s with %j', (name, query, detail) => {
    expect(read(name, query as Record<string, string>)).toEqual({ problem: 'invalid_parameter', detail })
  })

  test('MCP: the same of arguments', () => {
    const tool = paidTool(good('spread'), 'eip155:8453')
    expect(tool.requestFor({ query: 'fed' })).toBe('query: is no parameter here; q is')
    expect(tool.requestFor({ q: 'fed', trace: 1 })).toMatchObject({ query: { q: 'fed' } })
  })
})

describe('every other unknown name is ignored, as agents add tracking ones', () => {
  test.each([
    ['spread', { utm_source: 'a', _: '1', ref: 'b' }],
    ['spread', { q: 'fed', Q: 'x', query: 'y' }], //  what it asks for is said
    ['edge', { q: 'fed', query: 'fed' }], //          a good without parameters has none to be meant
    ['ping', { query: 'hello' }],
    ['move', { q: 'fed', topic: 'fed', window: 'hour', range: '1' }],
  ])('%s with %j', (name, query) => {
    expect(read(name, query as Record<string, string>)).toHaveProperty('input')
  })

  test('no good takes another one’s parameter for a mistake of its own', () => {
    for (const { parameters } of GOODS) {
      const names = parameters.map(({ name }) => name)
      expect(misnamed({ parameters }, names)).toBeNull()
      for (const other of GOODS.flatMap((each) => each.parameters.map(({ name }) => name)))
        expect(misnamed({ parameters }, [other])).toBeNull()
    }
  })
})
