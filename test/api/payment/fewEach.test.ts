import { expect, test } from 'vitest'
import type { Problem } from '../../../api/errors.ts'
import type { Sellable } from '../../../api/goods/good.ts'
import { dlq } from '../../../api/goods/services/dlq.ts'
import { UTILITY_GOODS } from '../../../api/goods/utility/index.ts'
import { INLINE_CHARS, isLong } from '../../../api/goods/utility/pool/long.ts'
import type { Compute } from '../../../api/goods/utility/pool/pool.ts'
import { fewEach } from '../../../api/payment/fewEach.ts'
import { portsOver } from '../goods/support.ts'

const SHORT = 'log.example.com'
const LONG = `${'a text, '.repeat(INLINE_CHARS)}end`
const isDns = ({ sku }: Sellable<unknown>) => sku === 'SKU_AG_DNS_01'
const inputOf = (good: Sellable<unknown>, text: string) =>
  good.input.parse(good === dlq ? { samples: [text] } : { q: text, raw: text })

/** What the payer is told of twenty answers that are all under way; then all of them end. */
async function twenty(payer: string, good: Sellable<unknown>, text: string): Promise<string[]> {
  const slow = Promise.withResolvers<Problem>()
  const ports = { ...portsOver({}), compute: () => slow.promise, lookUp: () => slow.promise }
  const input = inputOf(good, text)
  const asked = Array.from({ length: 20 }, () => fewEach(payer, good, input, () => good.answer(input, ports)))
  const other = fewEach(`${payer}, another`, good, input, () => good.answer(input, ports))
  slow.resolve({ problem: 'no_data' })
  return (await Promise.all([...asked, other])).map((said) => (said as Problem).problem)
}

const SHARE = [...Array(16).fill('no_data'), ...Array(4).fill('busy'), 'no_data']

test.each([...UTILITY_GOODS.filter((good) => !isDns(good)), dlq])(
  'INP-16 $sku: of long texts, which wait for a thread, a payer has sixteen under way; another one has his own',
  async (good) => expect(await twenty(good.sku, good, LONG)).toEqual(SHARE),
)

test.each([...UTILITY_GOODS.filter((good) => !isDns(good)), dlq])(
  'INP-16 $sku: short texts are worked out at once, however many',
  async (good) => expect(await twenty(good.sku, good, SHORT)).toEqual(Array(21).fill('no_data')),
)

test('INP-16 a sample is as long as what a thread would get of it: with the area beside it', async () => {
  const input = dlq.input.parse({ samples: ['x'.repeat(INLINE_CHARS - 1)], area: 'code' })
  const sent: unknown[] = []
  const compute: Compute = async (task) => {
    sent.push(task.input)
    return { problem: 'no_data' }
  }
  await dlq.answer(input, { ...portsOver({}), compute })
  expect(sent.map(isLong)).toEqual([true])
  expect(dlq.isSlow!(input)).toBe(true)
})

test('DNS-11 of names a payer has sixteen under way', async () => {
  const good = UTILITY_GOODS.find(isDns)!
  expect(await twenty('asker', good, SHORT)).toEqual(SHARE)
})
