import { describe, expect, test } from 'vitest'
import { settlerRecord } from '../../../api/storefront/settlerRecord.ts'
import { loadConfig } from '../../../ops/config.ts'

const record = (env: Record<string, string>) => settlerRecord(loadConfig(env, 'script'))
const FIELDS = ['mode', 'facilitator', 'facilitatorUrl', 'settlerAddress', 'network', 'asset']
const OURS = `0x${'5e'.repeat(20)}`
const USDC = `0x${'c0'.repeat(20)}`

describe('2.4 the settler record: mode, facilitator flags, URL, settlerAddress, network, asset', () => {
  test('our own settler: its address, and no facilitator', () => {
    const own = record({ SETTLEMENT: 'self', SETTLER_ADDRESS: OURS, USDC_ADDRESS: USDC })
    expect(Object.keys(own)).toEqual(FIELDS)
    expect(own).toEqual({
      mode: 'self',
      facilitator: { verifies: false, settles: false },
      facilitatorUrl: null,
      settlerAddress: OURS,
      network: 'eip155:8453',
      asset: USDC,
    })
    expect(record({ SETTLEMENT: 'self' }).settlerAddress).toBeNull()
  })

  test('OPS-05 a facilitator: its origin, never its path or query, which may hold a key', () => {
    const FACILITATOR_URL = 'https://facilitator.example.com:8443/v2/s3cret'
    const config = loadConfig({ SETTLEMENT: 'facilitator', FACILITATOR_URL, SETTLER_ADDRESS: OURS }, 'script')
    const theirs = settlerRecord({ ...config, FACILITATOR_URL: `${FACILITATOR_URL}?key=s3cret` })
    expect(Object.keys(theirs)).toEqual(FIELDS)
    expect(theirs).toMatchObject({
      mode: 'facilitator',
      facilitator: { verifies: true, settles: true },
      facilitatorUrl: 'https://facilitator.example.com:8443',
      settlerAddress: null,
    })
  })
})
