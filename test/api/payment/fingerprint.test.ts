import { describe, expect, test } from 'vitest'
import { parseQuery } from '../../../api/http/query.ts'
import { fingerprintOf, isOfQuestion } from '../../../api/payment/fingerprint.ts'

const PATH = '/x402/v1/spread'
const then = { amount: '1000', asset: '0xAA', payTo: '0xBB' }
const asking = (query: string, payload = '') => ({ query: parseQuery(query)!, payload })
const claim = {
  sku: 'S',
  path: PATH,
  amountMicroUsdc: 1_000n,
  asset: '0xaa',
  payTo: '0xbb',
  fingerprint: fingerprintOf(PATH, asking('q=fed'), 'S', then),
}

describe('RPL-07, I7 a claim is of one question, at the price and for the receiver of its day', () => {
  test.each([
    ['asked again', claim, PATH, asking('q=fed'), true],
    ['spelled otherwise', claim, PATH, asking('%71=fed'), true],
    ['another query', claim, PATH, asking('q=fe'), false],
    ['another path', claim, '/x402/v1/match', asking('q=fed'), false],
    ['with a payload', claim, PATH, asking('q=fed', 'text'), false],
    ['of another good', { ...claim, sku: 'T' }, PATH, asking('q=fed'), false],
    [
      'a claim that was over another amount',
      { ...claim, amountMicroUsdc: 999n },
      PATH,
      asking('q=fed'),
      false,
    ],
  ])('%s', (_, made, path, asked, is) => {
    expect(isOfQuestion(made, path, asked)).toBe(is)
  })
})
