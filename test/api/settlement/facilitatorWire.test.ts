import { describe, expect, test } from 'vitest'
import {
  contradictsUs,
  readFacilitatorAuth,
  readListed,
  readReason,
} from '../../../api/settlement/facilitatorWire.ts'

describe('x402-v2 2.4: foreign reasons in our words', () => {
  test.each([
    ['insufficient_funds', 'insufficient_funds'],
    ['invalid_exact_evm_insufficient_balance', 'insufficient_funds'],
    ['invalid_exact_evm_nonce_already_used', 'nonce_used'],
    ['invalid_exact_evm_payload_authorization_valid_before', 'expired'],
    ['invalid_exact_evm_payload_authorization_valid_after', 'not_yet_valid'],
    ['invalid_exact_evm_payload_signature', 'bad_signature'],
    ['invalid_exact_evm_signature', 'bad_signature'],
    ['invalid_exact_evm_failed_to_parse_signature', 'bad_signature'],
    ['invalid_exact_evm_payload_from_address_kyt', 'blocked_party'],
    ['eip6492_factory_not_allowed', 'wallet_not_supported'],
    ['invalid_exact_evm_payload_undeployed_smart_wallet', 'wallet_not_supported'],
    ['smart_wallet_deployment_failed', 'wallet_not_supported'],
    ['invalid_exact_evm_transaction_simulation_failed', 'transfer_failed'],
    ['invalid_transaction_state', 'transfer_failed'],
    ['nonce_used', 'nonce_used'],
    ['authorization_used', 'nonce_used'],
    ['INSUFFICIENT_FUNDS', 'insufficient_funds'],
    ['account_is_blacklisted', 'blocked_party'], //  SIG-09
    ['payer_sanctioned', 'blocked_party'],
    ['token_paused', 'token_paused'],
    ['unexpected_settle_error', null],
    ['something new', null],
    ['', null],
    [null, null],
    [undefined, null],
  ])('%s: %s', (reason, ours) => expect(readReason(reason)).toBe(ours))

  test.each([
    ['invalid_network', true],
    ['unsupported_scheme', true],
    ['invalid_exact_evm_missing_eip712_domain', true],
    ['invalid_exact_evm_token_name_mismatch', true],
    ['asset_not_deployed_contract', true],
    ['invalid_exact_evm_payload_to_address_kyt', true], //  SIG-09: it blocks us, and so every payer
    ['invalid_exact_evm_payload_from_address_kyt', false],
    ['invalid_exact_evm_signature', false],
    [null, false],
  ])('%s is about our terms: %s', (reason, ours) => expect(contradictsUs(reason)).toBe(ours))
})

describe('x402-v2 3.1 EXTENSION-RESPONSES: what became of our listing', () => {
  const of = (value: unknown) => readListed(Buffer.from(JSON.stringify(value)).toString('base64'), 'bazaar')

  test.each([
    [{ bazaar: { status: 'success' } }, { status: 'success', reason: null }],
    [
      { bazaar: { status: 'processing' }, more: { status: 'x' } },
      { status: 'processing', reason: null },
    ],
    [
      { bazaar: { status: 'rejected', rejectedReason: 'invalid_schema' } },
      { status: 'rejected', reason: 'invalid_schema' },
    ],
    [
      { bazaar: { status: 'rejected', rejectedReason: 'see https://rpc.example/key' } },
      { status: 'rejected', reason: 'other' },
    ],
    [{ bazaar: { status: 'a word of theirs' } }, { status: 'other', reason: null }],
    [{ other: { status: 'success' } }, null],
    [{ bazaar: 'success' }, null],
    [[], null],
  ])('%j', (value, listed) => expect(of(value)).toEqual(listed))

  test.each([
    null,
    '',
    'not base64!',
    Buffer.from('{"bazaar"').toString('base64'),
    'A'.repeat(16 * 1024 + 1),
  ])('garbage says nothing', (header) => expect(readListed(header, 'bazaar')).toBeNull())
})

describe('FACILITATOR_AUTH_FILE', () => {
  test.each([
    ['not json'],
    ['[]'],
    ['{"authorization":"flat"}'],
    ['{"verify":{"a b":"x"}}'],
    ['{"verify":{"a":"x\\r\\ny"}}'],
  ])('a header file that is none is named, not quoted: %s', (text) => {
    expect(() => readFacilitatorAuth(text)).toThrow(/^FACILITATOR_AUTH_FILE: must be JSON .*headers$/)
  })
})
