import { describe, expect, test } from 'vitest'
import { runMain } from '../support/process.ts'

const bench = async (args: string[]) => {
  const running = runMain('test/bench/main.ts', { args })
  const { code } = await running.exited
  return { code, stdout: running.stdout(), stderr: running.stderr() }
}

describe('npm run bench', () => {
  test('an unknown path is refused by name', async () => {
    const { code, stderr } = await bench(['nonsense'])
    expect(code).toBe(2)
    expect(stderr).toContain('nonsense')
  })

  test('every path of design section 6 that is a race is listed', async () => {
    const { code, stdout } = await bench(['--help'])
    expect(code).toBe(0)
    for (const name of ['unpaid-402', 'pass-read', 'exact-read', 'own-settler'])
      expect(stdout).toContain(name)
  })

  test('a race prints rounds, medians and ratios as one JSON object', async () => {
    const { code, stdout, stderr } = await bench(['unpaid-402', '--rounds', '1', '--seconds', '1', '--json'])
    expect(stderr).toBe('')
    expect(code).toBe(0)
    const [{ rows, ratios }] = JSON.parse(stdout).results
    expect(rows).toHaveLength(3)
    for (const row of rows) expect(row.requests).toBeGreaterThan(0)
    const [ours, bare, hono] = rows
    //  without the same bytes the comparison means nothing; an intent's amount has as many digits as it needs
    expect(Math.abs(ours.bytes - bare.bytes)).toBeLessThanOrEqual(8)
    expect(ratios.map(({ target }: { target: number }) => target)).toEqual([0.5, 10])
    expect(ratios[1].perSecond).toBeCloseTo(ours.perSecond / hono.perSecond)
  })

  test('pairing prints what it took beside its limits, and what the pairs are worth', async () => {
    const { code, stdout, stderr } = await bench(['pairing', '--rounds', '1', '--markets', '500', '--json'])
    expect(stderr).toBe('')
    expect(code).toBe(0)
    const [{ rows, ratios, remarks }] = JSON.parse(stdout).results
    expect(rows.map(({ requests }: { requests: number }) => requests)).toEqual([1, expect.any(Number)])
    for (const { perSecond } of ratios) expect(perSecond).toBeGreaterThan(0)
    expect(remarks[0]).toMatch(/\d+ pairs, 0 of them wrong/)
  })
})
