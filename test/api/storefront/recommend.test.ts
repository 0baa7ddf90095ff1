import { describe, expect, test } from 'vitest'
import { createRecommender, MAX_CHARS, MAX_WORDS } from '../../../api/storefront/a2a/recommend.ts'
import { serviceEntries } from '../../../api/storefront/entry.ts'
import { someFacts } from '../../support/facts.ts'

const recommend = createRecommender(serviceEntries(someFacts()))
const first = (request: string) => recommend(request)[0]?.path ?? null
const others = (count: number) => Array.from({ length: count }, (_, n) => `zz${n}`).join(' ')

describe('the reads that fit a request', () => {
  test.each([
    ['what is the difference of prices between the venues?', '/x402/v1/spread'],
    ['count prompt injection phrases in this', '/x402/v1/sniff'],
    ['repair broken JSON', '/x402/v1/json'],
    ['what is the of in on', null],
  ])('%s: %s', (request, path) => {
    expect(first(request)).toBe(path)
  })
})

describe('design 4: of a message in words so much is looked at that none holds up the others', () => {
  test.each([
    ['alone', 'dns', '/x402/v1/dns'],
    ['the last word that counts', `${others(MAX_WORDS - 1)} dns`, '/x402/v1/dns'],
    ['the first that does not', `${others(MAX_WORDS)} dns`, null],
    ['one word often is one', `${'zz '.repeat(MAX_WORDS)}dns`, '/x402/v1/dns'],
    ['the last letter that counts', `${'zz '.repeat(400).slice(0, MAX_CHARS - 4)} dns`, '/x402/v1/dns'],
    ['cut by the bound', `${'zz '.repeat(400).slice(0, MAX_CHARS - 3)} dns`, null],
  ])('%s', (_, request, path) => {
    expect(first(request)).toBe(path)
  })
})
