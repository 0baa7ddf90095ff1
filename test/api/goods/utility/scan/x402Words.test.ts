import { readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { scanLog } from '../../../../../api/goods/utility/scan/scanLog.ts'

/** Everything that the built modules of a package say in a given form. */
function wordsOf(entry: string, form: RegExp): string[] {
  const folder = dirname(fileURLToPath(import.meta.resolve(entry)))
  const modules = readdirSync(folder).filter((name) => name.endsWith('.mjs'))
  const words = modules.flatMap((name) =>
    [...readFileSync(`${folder}/${name}`, 'utf8').matchAll(form)].map((match) => match[1]!),
  )
  return [...new Set(words)].sort()
}
/** As a facilitator answers them: no other word of the sample says that something failed. */
const areaOf = (reason: string) => scanLog(`{"isValid":false,"invalidReason":"${reason}"}`).area

describe('every reason that x402’s SDK gives is a failure with a next action', () => {
  const refusals = wordsOf('@x402/evm', /\bvar Err\w+ = "([a-z0-9_]+)"/g)
  const signIns = wordsOf('@x402/extensions', /"(invalid_siwx_[a-z_]+)"/g)

  test('the SDK still says them in this form', () => {
    expect(refusals).toContain('invalid_exact_evm_signature')
    expect(refusals.length).toBeGreaterThan(80)
    expect(signIns.length).toBeGreaterThan(10)
  })
  test.each(refusals)('%s', (reason) => {
    expect(areaOf(reason)).toBe('payment')
  })
  test.each(signIns)('%s', (reason) => {
    expect(scanLog(`"${reason}"`).failureClass).toBe('auth')
  })
})

describe('so are those of the specification, of other facilitators and of the SDK’s own server', () => {
  test.each([
    'insufficient_funds',
    'invalid_exact_evm_payload_authorization_valid_after',
    'invalid_exact_evm_payload_authorization_valid_before',
    'invalid_exact_evm_payload_authorization_value_mismatch',
    'invalid_exact_evm_payload_signature',
    'invalid_exact_evm_payload_recipient_mismatch',
    'invalid_exact_evm_payload_undeployed_smart_wallet',
    'invalid_network',
    'invalid_payload',
    'invalid_payment_requirements',
    'invalid_scheme',
    'unsupported_scheme',
    'invalid_x402_version',
    'invalid_transaction_state',
    'unexpected_verify_error',
    'unexpected_settle_error',
    'invalid_exact_evm_payload_from_address_kyt',
    'invalid_exact_evm_payload_to_address_kyt',
    'No matching payment requirements',
    'Unsupported x402 version: undefined',
    'Payment required',
    'Settlement failed',
    'extension_echo_mismatch',
  ])('%s', (reason) => {
    expect(areaOf(reason)).toBe('payment')
  })
})

/** The offer of a 402, as the stock client's fetch sees it. */
const offering = (amount: string) => async () =>
  new Response('{}', {
    status: 402,
    headers: {
      'payment-required': Buffer.from(
        JSON.stringify({
          x402Version: 2,
          error: 'Payment required',
          resource: { url: 'https://a.example/x402/v1/ping', description: '', mimeType: '' },
          accepts: [
            {
              scheme: 'exact',
              network: 'eip155:8453',
              amount,
              asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
              payTo: `0x${'2'.repeat(40)}`,
              maxTimeoutSeconds: 300,
              extra: { name: 'USD Coin', version: '2' },
            },
          ],
        }),
      ).toString('base64'),
    },
  })

describe('what the stock client refuses to sign: nothing was paid, and the client has to be told', () => {
  const scheme = new ExactEvmScheme(privateKeyToAccount(`0x${'1'.repeat(64)}`))
  const signing = () => new x402Client().register('eip155:*', scheme)
  const saidBy = (client: x402Client, amount: string): Promise<string> =>
    wrapFetchWithPayment(
      offering(amount) as typeof fetch,
      client,
    )('https://a.example/x402/v1/ping').then(
      () => 'it was signed',
      (error) => String(error),
    )

  test.each<[string, string, x402Client]>([
    ['more than its cap', '2000000', signing()],
    ['a network it has no signer for', '1000', new x402Client().register('eip155:1', scheme)],
    ['anything, without a signer', '1000', new x402Client()],
  ])('%s', async (_, amount, client) => {
    expect(scanLog(await saidBy(client, amount))).toMatchObject({
      failureClass: 'payment_not_signed',
      alsoSeen: [],
    })
  })

  test.each<[string, x402Client]>([
    ['a hook says no', signing().onBeforePaymentCreation(async () => ({ abort: true, reason: 'too dear' }))],
    ['a policy leaves no offer', signing().registerPolicy(() => [])],
  ])('%s', async (_, client) => {
    expect(scanLog(await saidBy(client, '1000'))).toMatchObject({
      failureClass: 'payment_not_signed',
      alsoSeen: [],
    })
  })

  test.each([
    ['connection_refused', 'connect ECONNREFUSED 127.0.0.1:8545'],
    ['timeout', 'The request timed out.'],
    ['unknown', 'the device is locked'],
  ])('what broke in the signer is no cap: %s, %s', async (failureClass, message) => {
    const client = signing().onBeforePaymentCreation(async () => {
      throw new Error(message)
    })
    const said = await saidBy(client, '1000')
    expect(said).toContain('Failed to create payment payload')
    expect(scanLog(said)).toMatchObject({ failureClass, alsoSeen: [] })
  })
})
