import { describe, expect, test } from 'vitest'
import { isProblem } from '../../../api/errors.ts'
import type { Rail, RailId, RailQuote, RailTransfer } from '../../../api/rails/rail.ts'
import { UnavailableError } from '../../../ops/errors.ts'
import type { Payer } from '../../support/railWorld.ts'

export type RailUnderTest = {
  rail(): Rail
  payer(): Payer
  unreachable(): Rail //     the same with a server that does not answer
  somebodyElse: string //    an address of the chain that is not ours
  unusedTx: string
  spellings(tx: string): string[]
}

const MINUTE = 60_000
const CENTS_25 = 250_000n

/** What every rail promises to those who sell by it. */
export function railSuite(
  id: RailId,
  { rail, payer, unreachable, somebodyElse, unusedTx, spellings }: RailUnderTest,
) {
  const quoted = async (): Promise<RailQuote> => {
    const quote = await rail().quote(CENTS_25 * 10n)
    if (isProblem(quote)) throw new Error(quote.problem)
    return quote
  }

  describe(`${id}: the port`, () => {
    test('a quote covers the price and is good for 15 minutes', async () => {
      const before = Date.now()
      const quote = await quoted()
      expect(quote.atomic).toBeGreaterThan(0n)
      expect(quote.validUntilMs).toBeGreaterThanOrEqual(before + 15 * MINUTE)
      expect(quote.validUntilMs).toBeLessThanOrEqual(Date.now() + 15 * MINUTE)
      expect(quote.source === null).toBe(['USDC', 'USDT'].includes(rail().asset))
    })

    test('what is paid is found by its hash, once, with amount, receiver, payer and time', async () => {
      const { atomic } = await quoted()
      const before = Date.now()
      const tx = await payer().pay(rail().receiverAddress, atomic)
      const found = await rail().byHash(tx)
      if (typeof found === 'string') throw new Error(found)
      expect(found.map(({ formerKey: _, ...transfer }) => transfer)).toEqual([
        {
          rail: id,
          tx,
          key: expect.any(String),
          index: expect.any(Number),
          atomic,
          byAuthorization: false,
          from: expect.any(String),
          to: expect.any(String),
          confirmations: expect.any(Number),
          atMs: expect.any(Number),
        },
      ])
      const [transfer] = found
      expect(transfer!.to.toLowerCase()).toBe(rail().receiverAddress.toLowerCase())
      expect(transfer!.key).toContain(tx)
      expect(transfer!.confirmations).toBeGreaterThan(0)
      expect(Math.abs(transfer!.atMs - before)).toBeLessThan(MINUTE)
    })

    test('however its hash is written, the transfer has one key (CLS-02)', async () => {
      const tx = await payer().pay(rail().receiverAddress, (await quoted()).atomic)
      const keys = new Set<string>()
      for (const spelling of [tx, ...spellings(tx)]) {
        const found = await rail().byHash(spelling)
        for (const { key } of found as Exclude<typeof found, string>) keys.add(key)
      }
      expect(keys.size).toBe(1)
    })

    test('what pays somebody else pays us nothing', async () => {
      const tx = await payer().pay(somebodyElse, (await quoted()).atomic)
      expect(await rail().byHash(tx)).toEqual([])
    })

    test('I4 what pays whom its buyer was told to pay, before the receiver changed, is found by its hash', async () => {
      const { atomic } = await quoted()
      const tx = await payer().pay(somebodyElse, atomic)
      const found = (await rail().byHash(tx, [somebodyElse])) as RailTransfer[]
      expect(found.map(({ to, ...transfer }) => ({ ...transfer, to: to.toLowerCase() }))).toMatchObject([
        { tx, atomic, to: somebodyElse.toLowerCase() },
      ])
    })

    test('a hash that the chain does not know is unknown, whatever is no hash has failed (CLS-14)', async () => {
      expect(await rail().byHash(unusedTx)).toBe('unknown')
      for (const text of ['', 'x', `${unusedTx}00`, unusedTx.slice(0, -4), '🦀'.repeat(32)])
        expect(await rail().byHash(text), text).toBe('failed')
    })

    test('discovery: since then, newest last, ours alone; or not offered', async () => {
      if (!rail().discovers) {
        for (const look of [rail().since, rail().lookThrough])
          await expect(look(Date.now())).rejects.toThrow('does not discover')
        return
      }
      const { atomic } = await quoted()
      const first = await payer().pay(rail().receiverAddress, atomic + 1n)
      await payer().pay(somebodyElse, atomic + 2n)
      const second = await payer().pay(rail().receiverAddress, atomic + 3n)
      const found = await rail().since(Date.now() - 10 * MINUTE)
      const order = found.map(({ tx }) => tx)
      expect(order.slice(-2)).toEqual([first, second])
      expect(found.at(-1)).toEqual(((await rail().byHash(second)) as unknown[])[0])
      expect(found.filter(({ to }) => to.toLowerCase() === somebodyElse.toLowerCase())).toEqual([])
      expect(await rail().since(Date.now() + MINUTE)).toEqual([])
      const { transfers, untilMs } = await rail().lookThrough(Date.now() - 10 * MINUTE)
      expect([transfers.map(({ tx }) => tx), untilMs > found.at(-1)!.atMs - 1]).toEqual([order, true])
    })

    test('more value lies deeper before it counts', () => {
      const depths = [1n, 99_999_999n, 100_000_000n, 1_000_000_000n, 10n ** 12n].map((amount) =>
        rail().confirmationsFor(amount),
      )
      expect(depths).toEqual(depths.toSorted((a, b) => a - b))
      expect(depths[0]).toBeGreaterThanOrEqual(1)
    })

    test('a server that does not answer is an outage, never a verdict', async () => {
      const asked = [unreachable().byHash(unusedTx)]
      if (rail().discovers) asked.push(unreachable().since(Date.now() - MINUTE))
      for (const one of asked) {
        const error = await one.catch((thrown: unknown) => thrown)
        expect(error).toBeInstanceOf(UnavailableError)
        expect(error).toMatchObject({ code: 'chain_unavailable' })
      }
    })
  })
}
