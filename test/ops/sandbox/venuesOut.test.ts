import { describe, expect, test } from 'vitest'
import { written } from '../../../ops/sandbox/venues/out.ts'

describe('what is written as a string', () => {
  const long = 'é'.repeat(5_000)

  test('is all of it and nothing of what was written before, whatever its length', () => {
    const texts = ['one', long, '', 'two']
    expect(texts.map((text) => written((out) => out.text(text)))).toEqual(texts)
  })

  test('while another is being written: each is its own', () => {
    const inner: string[] = []
    const outer = written((out) => {
      out.ascii('before ')
      inner.push(written((other) => other.ascii('inner')))
      out.ascii('after')
    })
    expect([outer, inner]).toEqual(['before after', ['inner']])
  })

  test('after a writer that threw: nothing of his is in the next', () => {
    const broken = () =>
      written((out) => {
        out.ascii('half')
        throw new Error('broken')
      })
    expect(broken).toThrow('broken')
    expect(written((out) => out.ascii('whole'))).toBe('whole')
  })
})
