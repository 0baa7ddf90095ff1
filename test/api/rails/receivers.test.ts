import { sha256 } from '@noble/hashes/sha2.js'
import { base58, bech32, bech32m, createBase58check } from '@scure/base'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRails } from '../../../api/rails/index.ts'
import {
  canonicalBitcoinAddress,
  refuseBitcoinAddress,
  refuseEvmAddress,
  refuseSolanaAddress,
} from '../../../api/rails/receivers/refuseReceiver.ts'
import { realClock } from '../../../ops/clock.ts'
import { ConfigError, loadConfig } from '../../../ops/config.ts'
import { createLog } from '../../../ops/log.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

describe('RAIL-12: EIP-55', () => {
  //  the vectors of EIP-55
  test.each([
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])('%s is good', (address) => expect(refuseEvmAddress(address)).toBeNull())

  test.each([
    ['one letter in the wrong case', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed', 'checksum'],
    ['a digit changed', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAec', 'checksum'],
    ['a digit missing', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe', '40 hex digits'],
    ['a digit more', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed0', '40 hex digits'],
    ['a capital X', '0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '40 hex digits'],
    ['zero', `0x${'0'.repeat(40)}`, 'zero address'],
  ])('%s', (_, address, why) => expect(refuseEvmAddress(address)).toContain(why))
})

describe('RAIL-12: EIP-55 has no checksum in one case', () => {
  test.each(['0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', '0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED'])(
    '%s is good',
    (address) => expect(refuseEvmAddress(address)).toBeNull(),
  )
})

describe('RAIL-12: Solana', () => {
  test.each([
    ['an account', '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV', null],
    ['a character that base58 lacks', '0EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV', '32 bytes'],
    ['too short', '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFL', '32 bytes'],
    ['the system program', '1'.repeat(32), 'system program'],
    ['an EVM address', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '32 bytes'],
  ])('%s', (_, address, why) => {
    const refusal = refuseSolanaAddress(address)
    if (why === null) expect(refusal).toBeNull()
    else expect(refusal).toContain(why)
  })
})

describe('RAIL-12: an account of Solana has one spelling, so that what is accepted is what nodes answer', () => {
  test('property: 32 bytes are accepted in that one alone', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        fc.pre(bytes.some((byte) => byte !== 0))
        const address = base58.encode(bytes)
        expect(refuseSolanaAddress(address)).toBeNull()
        for (const other of [`1${address}`, ` ${address}`, `${address}\n`])
          expect(refuseSolanaAddress(other)).toContain('32 bytes')
      }),
    )
  })
})

describe('RAIL-12: Bitcoin', () => {
  const check = createBase58check(sha256)
  //  from BIP-173 and BIP-350, and that of the first block
  test.each([
    ['P2WPKH', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    ['P2WSH', 'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3'],
    ['P2TR', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0'],
    ['P2PKH', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
    ['P2SH', '3P14159f73E4gFr7JterCCQh9QjiTjiZrG'],
  ])('%s of mainnet', (_, address) => {
    expect(refuseBitcoinAddress(address, 'mainnet')).toBeNull()
    expect(refuseBitcoinAddress(address, 'test')).toContain('another Bitcoin network')
  })

  test.each([
    ['testnet', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'],
    ['testnet P2PKH', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'],
    ['testnet P2SH', check.encode(Uint8Array.of(0xc4, ...Buffer.alloc(20, 1)))],
    ['regtest', bech32.encode('bcrt', [0, ...bech32.toWords(Buffer.alloc(20, 1))])],
  ])('an address of %s in production', (_, address) => {
    expect(refuseBitcoinAddress(address, 'mainnet')).toContain('another Bitcoin network')
    expect(refuseBitcoinAddress(address, 'test')).toBeNull()
  })

  test.each([
    ['P2WPKH', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'lower'],
    ['P2WSH', 'BC1QRP33G0Q5C5TXSP9ARYSRX4K6ZDKFS4NCE4XJ0GDCCCEFVPYSXF3QCCFMV3', 'lower'],
    ['P2TR', 'BC1P0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQZK5JJ0', 'lower'],
    ['in lower case already', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'lower'],
    ['P2PKH', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'own'],
    ['no address', 'Xy', 'own'],
  ])('%s: one spelling', (_, address, spelled) => {
    expect(canonicalBitcoinAddress(address)).toBe(spelled === 'lower' ? address.toLowerCase() : address)
  })

  const program = bech32.toWords(Buffer.alloc(32, 1))
  test.each([
    ['a letter changed', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'],
    ['a letter of a P2PKH changed', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb'],
    ['both cases', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4'],
    ['version 0 in bech32m', bech32m.encode('bc', [0, ...program])],
    ['version 1 in bech32', bech32.encode('bc', [1, ...program])],
    ['a version that nobody can spend from yet', bech32m.encode('bc', [2, ...program])],
    ['a program of another length', bech32.encode('bc', [0, ...bech32.toWords(Buffer.alloc(21, 1))])],
    [
      'a taproot program of another length',
      bech32m.encode('bc', [1, ...bech32.toWords(Buffer.alloc(20, 1))]),
    ],
    ['no program', bech32.encode('bc', [])],
    ['longer than an address', bech32m.encode('b'.repeat(40), [1, ...program], false)],
    ['a private key', check.encode(Uint8Array.of(0x80, ...Buffer.alloc(32, 1)))],
    ['a checksum over more than an address', check.encode(Uint8Array.of(0x00, ...Buffer.alloc(32, 1)))],
    ['nothing', ''],
    ['an EVM address', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ])('%s', (_, address) => {
    expect(refuseBitcoinAddress(address, 'mainnet')).toMatch(/^is no Bitcoin address/)
  })
})

describe('a rail is offered whole or not at all', () => {
  const open = (env: Record<string, string>) => {
    const config = loadConfig({ RECEIVER_ADDRESS: `0x${'42'.repeat(20)}`, ...env }, 'script')
    return createRails({ config, clock: realClock, log: createLog('test', 'silent') })
  }
  const refused = (env: Record<string, string>): string => {
    try {
      open(env)
      return 'accepted'
    } catch (error) {
      if (error instanceof ConfigError) return error.message
      throw error
    }
  }

  test('only Base configured: its two are offered, seven are published as unavailable', async () => {
    const rails = open({})
    expect(rails.rails.map(({ id }) => id)).toEqual(['usdc_base', 'eth_base'])
    expect(rails.unavailable.map(({ id, available }) => [id, available])).toEqual(
      ['eth_mainnet', 'usdc_eth', 'usdt_eth', 'usdc_polygon', 'usdc_arbitrum', 'sol', 'btc'].map((id) => [
        id,
        false,
      ]),
    )
    expect([rails.find('sol'), rails.find('sol_base'), rails.find('constructor')]).toEqual([null, null, null])
    await rails.close()
  })

  test('without a receiver nothing is offered on Base either', async () => {
    const rails = open({ RECEIVER_ADDRESS: '' })
    expect(rails.rails).toEqual([])
    await rails.close()
  })

  test('an alternate receiver that is not set is none', async () => {
    const rails = open({ SOLANA_RPC_URL: 'http://127.0.0.1:1', SOLANA_RECEIVER: SOLANA })
    expect(rails.find('sol')).toMatchObject({ receiverAddress: SOLANA, alternateReceivers: [] })
    await rails.close()
  })

  test('sol_base is a deposit address and no rail (RAIL-14)', async () => {
    const rails = open({ SOL_BASE_RECEIVER: `0x${'43'.repeat(20)}` })
    expect(rails.deposits).toEqual([
      { id: 'sol_base', chain: 'base', asset: 'SOL', receiverAddress: `0x${'43'.repeat(20)}` },
    ])
    expect(rails.rails.map(({ id }) => id)).not.toContain('sol_base')
    await rails.close()
  })

  const MISTYPED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed'
  const SOLANA = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV'
  const url = 'http://127.0.0.1:1'
  test.each([
    [{ ETHEREUM_RPC_URL: url }, 'ETHEREUM_RECEIVER: is missing (ETHEREUM_RPC_URL is set)'],
    [{ POLYGON_RPC_URL: url }, 'POLYGON_RECEIVER: is missing'],
    [{ ARBITRUM_RPC_URL: url }, 'ARBITRUM_RECEIVER: is missing'],
    [{ SOLANA_RECEIVER: SOLANA }, 'SOLANA_RPC_URL: is missing (SOLANA_RECEIVER is set)'],
    [{ BITCOIN_RECEIVER: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080' }, 'BITCOIN_API_URL: is missing'],
    [{ RECEIVER_ADDRESS: MISTYPED }, 'RECEIVER_ADDRESS: has a wrong'],
    [{ ETHEREUM_RECEIVER: MISTYPED }, 'ETHEREUM_RECEIVER: has a wrong'],
    [{ POLYGON_RECEIVER: MISTYPED }, 'POLYGON_RECEIVER: has a wrong'],
    [{ ARBITRUM_RECEIVER: MISTYPED }, 'ARBITRUM_RECEIVER: has a wrong'],
    [{ SOL_BASE_RECEIVER: MISTYPED }, 'SOL_BASE_RECEIVER: has a wrong'],
    [{ SOL_BASE_RECEIVER: USDC, SOL_BASE_TOKEN: MISTYPED }, 'SOL_BASE_TOKEN: has a wrong'],
    [{ SOL_BASE_TOKEN: `0x${'44'.repeat(20)}` }, 'SOL_BASE_RECEIVER: is missing (SOL_BASE_TOKEN is set)'],
    [{ SOL_BASE_RECEIVER: USDC, SOL_BASE_TOKEN: USDC.toLowerCase() }, 'SOL_BASE_TOKEN: is USDC'],
    [{ SOLANA_ALTERNATE_RECEIVER: SOLANA }, 'SOLANA_ALTERNATE_RECEIVER: must differ'],
    [
      { SOLANA_RECEIVER: SOLANA, SOLANA_ALTERNATE_RECEIVER: SOLANA },
      'SOLANA_ALTERNATE_RECEIVER: must differ',
    ],
    [{ SOLANA_ALTERNATE_RECEIVER: 'x' }, 'SOLANA_ALTERNATE_RECEIVER: must be 32 bytes'],
    [{ SOLANA_RECEIVER: 'x' }, 'SOLANA_RECEIVER: must be 32 bytes'],
  ])('%j stops the start by the key', (env: Record<string, string>, message) => {
    const words = refused(env)
    expect(words).toContain(message)
    for (const value of Object.values(env)) if (value.length > 3) expect(words).not.toContain(value)
  })

  test('live mode refuses a test address of Bitcoin; elsewhere it is taken', () => {
    const live = { MODE: 'live', VENUES: 'live', BITCOIN_API_URL: 'https://example.com' }
    const address = bech32.encode('bcrt', [0, ...bech32.toWords(Buffer.alloc(20, 1))])
    expect(refused({ BITCOIN_API_URL: live.BITCOIN_API_URL, BITCOIN_RECEIVER: address })).toBe('accepted')
    expect(refused({ ...live, BITCOIN_RECEIVER: address })).toContain('BITCOIN_RECEIVER: belongs to another')
    expect(refused({ ...live, BITCOIN_RECEIVER: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' })).toBe(
      'accepted',
    )
  })
})
