import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../../support/ports.ts'
import { runMain, until } from '../../support/process.ts'
import { type Seller, type SellerOptions, startSeller } from './seller.ts'

/** What ./ops/buy starts. */
const BUYER = 'ops/purchase/main.ts'

/** The real command against a seller that misbehaves in every way a buyer has to survive. */
let dir = ''
let keyFile = ''
let dataDir = '' // a new one for each test
const key = generatePrivateKey()
let seller: Seller | null = null

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'microdata-buy-'))
  keyFile = join(dir, 'wallet.key')
  await writeFile(keyFile, `${key}\n`, { mode: 0o600 })
})
beforeEach(async () => {
  dataDir = await mkdtemp(join(dir, 'data-'))
})
afterEach(async () => {
  await seller?.stop()
  seller = null
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function buy(args: string[], env: Record<string, string> = {}) {
  const running = runMain(BUYER, { args, env: { NO_COLOR: '1', DATA_DIR: dataDir, ...env } })
  const { code } = await running.exited
  return { code, stdout: running.stdout(), stderr: running.stderr() }
}

async function buyFrom(options: SellerOptions, args: string[] = []) {
  seller = await startSeller(options)
  const bought = await buy([`${seller.base}/x402/v1/spread`, '--key-file', keyFile, '--json', ...args])
  expect(bought.stdout.endsWith('}\n')).toBe(true)
  return { ...bought, report: JSON.parse(bought.stdout), payments: seller.payments }
}

describe('exit codes say what to do next', () => {
  test('0: bought, and the receipt verifies', async () => {
    const { code, report, payments } = await buyFrom({})
    expect(code).toBe(0)
    expect(report).toMatchObject({
      ok: true,
      outcome: 'bought',
      exitCode: 0,
      resumeFile: null,
      request: { buyer: privateKeyToAddress(key) },
      signed: { from: privateKeyToAddress(key), valueAtomic: '1000' },
      receipt: { valid: true },
    })
    expect(payments).toHaveLength(1)
  })

  test('2: no key for a foreign service; it is not even asked', async () => {
    seller = await startSeller()
    const { code, stderr } = await buy([`${seller.base}/x402/v1/spread`])
    expect({ code, unpaid: seller.unpaid }).toEqual({ code: 2, unpaid: 0 })
    expect(stderr).toContain('--key-file')
  })
  test('0: BUYER_KEY_FILE pays where no --key-file is given', async () => {
    seller = await startSeller()
    const { code } = await buy([`${seller.base}/x402/v1/spread`], { BUYER_KEY_FILE: keyFile })
    expect(code).toBe(0)
  })

  test('2: a key that others may read is not used', async () => {
    const open = join(dir, 'open.key')
    await writeFile(open, key, { mode: 0o644 })
    const { code, stderr } = await buy(['http://127.0.0.1:9/x', '--key-file', open])
    expect(code).toBe(2)
    expect(stderr).not.toContain(key.slice(2))
  })

  test('3: dearer than --max-usd; nothing is signed, and it says what to do', async () => {
    const { code, report, payments } = await buyFrom({ amountAtomic: '1000001' })
    expect({ code, payments, signed: report.signed }).toEqual({ code: 3, payments: [], signed: null })
    expect(report.message).toContain('--max-usd 1.000001')
  })

  test("0: exactly --max-usd is within the limit, also above the stock client's own", async () => {
    const { code } = await buyFrom({ amountAtomic: '2000000' }, ['--max-usd', '2'])
    expect(code).toBe(0)
  })

  test.each([
    [{ status: 503, code: 'no_data', headers: { 'retry-after': '5' } }, 'no_data'],
    [{ status: 200 }, 'without a payment'],
    [{ status: 302, headers: { location: 'http://127.0.0.1:9/' } }, 'redirects are not followed'],
    [{ status: 402 }, 'PAYMENT-REQUIRED'],
  ])('3: refused before paying: %j', async (unpaid, words) => {
    const { code, report, payments } = await buyFrom({ unpaid })
    expect({ code, payments }).toEqual({ code: 3, payments: [] })
    expect(report.message).toContain(words)
  })

  test('3: a paid request with a bad parameter is refused without a charge', async () => {
    const { code, payments } = await buyFrom({ script: [{ status: 400, code: 'invalid_parameter' }] })
    expect({ code, sent: payments.length }).toEqual({ code: 3, sent: 1 })
  })

  test('4: 402 after paying; nothing new is signed', async () => {
    const { code, report, payments } = await buyFrom({
      script: [{ status: 402, code: 'insufficient_funds' }],
    })
    expect({ code, sent: payments.length }).toEqual({ code: 4, sent: 1 })
    expect(report.message).toContain('insufficient_funds')
  })

  test('6: a forged receipt', async () => {
    const forge: SellerOptions['forge'] = (signed) => ({
      ...signed,
      payload: { ...signed.payload, amountAtomic: '1' },
    })
    const { code, report } = await buyFrom({ forge })
    expect(code).toBe(6)
    expect(report.receipt.checks.filter((check: { ok: boolean }) => !check.ok)).toMatchObject([
      { name: 'signature' },
      { name: 'amount' },
    ])
  })

  test('7: nobody there', async () => {
    const port = await freePort()
    const { code, stdout } = await buy([`http://127.0.0.1:${port}/x`, '--key-file', keyFile, '--json'])
    expect(code).toBe(7)
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'unreachable', signed: null })
  })
})

describe('one purchase is one payment, however often it is sent', () => {
  const pending = { status: 503, code: 'settlement_pending', headers: { 'retry-after': '0' } } as const

  test.each([
    ['settlement pending twice', [pending, pending, 'sell']],
    ['a cut connection', ['cut', 'sell']],
    ['409 with Retry-After', [{ status: 409, code: 'in_progress', headers: { 'retry-after': '0' } }, 'sell']],
    ['500', [{ status: 500, code: 'internal' }, 'sell']],
  ] as [string, NonNullable<SellerOptions['script']>][])(
    '%s: the same bytes go out again',
    async (_, script) => {
      const { code, report, payments } = await buyFrom({ script })
      expect(code).toBe(0)
      expect(payments).toHaveLength(script.length)
      expect(new Set(payments).size).toBe(1)
      expect(report.attempts).toHaveLength(script.length)
    },
  )

  test('5: unknown to the end; the payment is kept, and --resume fetches the answer with it', async () => {
    const first = await buyFrom({ script: ['hang', 'sell'] }, ['--timeout', '3'])
    expect(first.code).toBe(5)
    const file = first.report.resumeFile as string
    expect(file.startsWith(join(dataDir, 'purchases'))).toBe(true)
    expect((await stat(file)).mode & 0o077).toBe(0)
    expect(JSON.parse(await readFile(file, 'utf8')).paymentSignature).toBe(first.payments[0])

    const second = await buy(['--resume', file, '--json'])
    expect(second.code).toBe(0)
    expect(JSON.parse(second.stdout)).toMatchObject({ ok: true, resumeFile: null, receipt: { valid: true } })
    expect(new Set(seller!.payments).size).toBe(1)
    await expect(stat(file)).rejects.toThrow('ENOENT')
  })
})

describe('a payment waits until what it bought is kept', () => {
  test('2: a payment that cannot be kept is not sent, and does not count', async () => {
    await mkdir(join(dataDir, 'purchases'))
    await writeFile(join(dataDir, 'purchases/waiting'), 'where the folder should be')
    const { code, payments } = await buyFrom({})
    expect({ code, payments }).toEqual({ code: 2, payments: [] })
    const [day] = await readdir(join(dataDir, 'purchases/spent'))
    expect(await readdir(join(dataDir, 'purchases/spent', day!))).toEqual([])
  })

  test('5: nobody there when it is sent again; it was sent before, so it still waits and counts', async () => {
    const first = await buyFrom({ script: ['hang'] }, ['--timeout', '3'])
    await seller!.stop()
    const file = first.report.resumeFile as string
    const { code } = await buy(['--resume', file, '--timeout', '3'])
    expect(code).toBe(5)
    expect(JSON.parse(await readFile(file, 'utf8')).paymentSignature).toBe(first.payments[0])
    expect(await readdir(join(dataDir, 'purchases/spent'), { recursive: true })).toHaveLength(2)
  })

  test('5: the answer cannot be kept; once it can, the same payment fetches it', async () => {
    await mkdir(join(dataDir, 'purchases'))
    await writeFile(join(dataDir, 'purchases/receipts'), 'where the folder should be')
    const { code, report } = await buyFrom({})
    expect({ code, message: report.message }).toEqual({ code: 5, message: expect.stringContaining('kept') })
    await rm(join(dataDir, 'purchases/receipts'))
    expect((await buy(['--resume', report.resumeFile])).code).toBe(0)
    expect(await readdir(join(dataDir, 'purchases/receipts'))).toHaveLength(1)
    expect(new Set(seller!.payments).size).toBe(1)
  })
})

describe('what was left behind is sent again before anything new is signed', () => {
  /** A purchase that is killed while its payment is under way. */
  async function cutOff(options: SellerOptions, args: string[] = []) {
    seller = await startSeller(options)
    const words = [`${seller.base}/x402/v1/spread`, '--key-file', keyFile, ...args]
    const running = runMain(BUYER, { args: words, env: { NO_COLOR: '1', DATA_DIR: dataDir } })
    await running.says(/Signed/)
    await until('the payment has arrived', () => seller!.payments.length === 1)
    return { running, words }
  }

  test('the same command again: the same payment, and its answer', async () => {
    const { running, words } = await cutOff({ script: ['hang', 'sell'] })
    await running.kill()
    const { code, stdout, stderr } = await buy([...words, '--json'])
    expect(code).toBe(0)
    expect(stderr).toContain('is sent again, none is signed')
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, asked: null, receipt: { valid: true } })
    expect(seller!.payments).toHaveLength(2)
    expect(new Set(seller!.payments).size).toBe(1)
  })

  test('another request: a payment of its own, and a word about the one that waits', async () => {
    const { running, words } = await cutOff({ script: ['hang', 'sell'] })
    await running.kill()
    const { code, stderr } = await buy([...words, '--q', 'other'])
    expect(code).toBe(0)
    expect(stderr).toContain('--resume')
    expect(new Set(seller!.payments).size).toBe(2)
  })

  test('while its own process still sends it, it is nobody else’s', async () => {
    const { running, words } = await cutOff({ script: ['hang', 'sell'] })
    const { code, stderr } = await buy(words)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(new Set(seller!.payments).size).toBe(2)
    await running.kill()
  })

  test('Ctrl-C: 5 with what to do once a payment was signed, 130 before', async () => {
    const { running } = await cutOff({ script: ['hang'] })
    running.child.kill('SIGINT')
    expect((await running.exited).code).toBe(5)
    expect(running.stderr()).toContain('the same command again goes on with it')
    await seller!.stop()
    seller = await startSeller({ unpaid: 'hang' })
    const words = [`${seller.base}/x402/v1/spread`, '--key-file', keyFile]
    const unpaid = runMain(BUYER, { args: words, env: { DATA_DIR: dataDir } })
    await until('it asks', () => seller!.unpaid === 1)
    unpaid.child.kill('SIGINT')
    expect((await unpaid.exited).code).toBe(130)
  })

  test('what was sent counts, refused or not: it can be taken until it ends; what was never signed does not', async () => {
    const spent = async () => {
      const names = await readdir(join(dataDir, 'purchases/spent'), { recursive: true }).catch(() => [])
      return names.filter((name) => name.includes('.1000.')).length
    }
    await buy([`http://127.0.0.1:${await freePort()}/x`, '--key-file', keyFile])
    expect(await spent()).toBe(0)
    await buyFrom({ script: [{ status: 402, code: 'insufficient_funds' }] })
    expect(await spent()).toBe(1)
    await seller!.stop()
    await buyFrom({ script: ['hang'] }, ['--timeout', '3'])
    expect(await spent()).toBe(2)
  })
})

test.each(['//127.0.0.1:9/x', '/\\127.0.0.1:9/x'])(
  '%s names another service: nothing is asked',
  async (path) => {
    seller = await startSeller()
    const { code, stderr } = await buy([path, '--base', seller.base, '--key-file', keyFile])
    expect(code).toBe(2)
    expect(stderr).toContain('is no path of')
  },
)

describe('a SKU is bought only where the 402 confirms it', () => {
  test('the path follows from the name', async () => {
    seller = await startSeller({ sku: 'SKU_AG_BOT_FUEL_01' })
    const args = ['SKU_AG_BOT_FUEL_01', '--base', seller.base, '--key-file', keyFile, '--json']
    const { code, stdout } = await buy(args)
    expect(code).toBe(0)
    expect(JSON.parse(stdout).request.url).toBe(`${seller.base}/x402/v1/bot-fuel`)
  })

  test('another SKU there: nothing is signed', async () => {
    seller = await startSeller({ sku: 'SKU_AG_PING_01' })
    const { code } = await buy(['SKU_AG_SPREAD_01', '--base', seller.base, '--key-file', keyFile])
    expect({ code, payments: seller.payments }).toEqual({ code: 3, payments: [] })
  })
})

describe('what is shown', () => {
  test('without --json each step is told, without colours when it is no terminal', async () => {
    seller = await startSeller()
    const { code, stdout } = await buy([`${seller.base}/x402/v1/spread`, '--key-file', keyFile])
    expect(code).toBe(0)
    for (const label of [
      'Buying',
      'Asked',
      'Signed',
      'Settled',
      'Received',
      'Receipt',
      'Bought and verified',
    ])
      expect(stdout).toContain(label)
    expect(stdout).not.toContain('\u001b')
  })

  test('text of the seller cannot drive the terminal', async () => {
    seller = await startSeller({ result: { spread: { topic: '\u001b[2J\u202eevil' } } })
    const { stdout } = await buy([`${seller.base}/x402/v1/spread`, '--key-file', keyFile])
    expect(stdout).toContain('evil')
    expect(stdout).not.toMatch(/[\u001b\u202e]/)
  })

  test('nothing of the key appears anywhere, and no payment is left behind after a good end', async () => {
    const { stdout, stderr } = await buyFrom({})
    expect(stdout + stderr).not.toContain(key.slice(2))
    expect(await readdir(join(dataDir, 'purchases', 'waiting')).catch(() => [])).toEqual([])
  })
})
