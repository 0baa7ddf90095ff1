import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { cardFiles, openFolder } from '../../../ops/sandbox/cardpay/keep.ts'
import { loadAccounts } from '../../../ops/sandbox/chain/accounts.ts'
import { keptJson } from '../../../ops/sandbox/keptJson.ts'

describe.each(['', '[{"id":"cs_', '{"id":7}', '[null]'])('a file that a power cut has left as %j', (left) => {
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'microdata-damaged-'))
  })
  afterAll(() => rm(dir, { recursive: true, force: true }))

  test('of the card provider is refused by its name, with what to do', async () => {
    openFolder(dir).keep([])
    expect(openFolder(dir).kept).toEqual([])
    const { sales } = cardFiles(dir)
    await writeFile(sales, left)
    const words = `${sales} is damaged, as a power cut may leave it. If it is removed, the sandbox starts`
    expect(() => openFolder(dir)).toThrow(words)
    await rm(sales)
    expect(openFolder(dir).kept).toEqual([])
  })

  test('of the chain as well, with its owners', async () => {
    const [file, accounts] = [join(dir, 'accounts.json'), await loadAccounts(dir, 1)]
    expect(await loadAccounts(dir, 1)).toEqual(accounts)
    await writeFile(file, left)
    const words = `the accounts in ${file} cannot be read; remove that folder to begin a new chain`
    await expect(loadAccounts(dir, 1)).rejects.toThrow(words)
  })

  test('of another stand-in as well', async () => {
    const file = join(dir, 'state.json')
    const kept = keptJson(file, z.object({ blocks: z.array(z.string()) }))
    expect(await kept.load()).toBeNull()
    await kept.save({ blocks: ['a'] })
    expect(await kept.load()).toEqual({ blocks: ['a'] })
    await writeFile(file, left)
    await expect(kept.load()).rejects.toThrow(`${file} is damaged`)
  })
})
