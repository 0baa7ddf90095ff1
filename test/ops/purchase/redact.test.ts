import { describe, expect, test } from 'vitest'
import { withoutSecrets } from '../../../ops/purchase/redact.ts'

const token = (kind: string) => `${kind}_${'aB3-'.repeat(10)}xyz`

describe('what somebody could spend is not shown', () => {
  test.each(['feed', 'pass', 'permit', 'credit', 'unlock'])('a %s token, wherever it stands', (kind) => {
    const shown = JSON.stringify(
      withoutSecrets({ deep: [{ any: token(kind) }], hint: `send ${token(kind)} as a header` }),
    )
    expect(shown).not.toContain(token(kind).slice(0, 12))
    expect(shown).toContain(`${kind}_aB3-…`)
  })

  test.each([
    'token',
    'feedToken',
    'claimCode',
    'unlockKey',
    'secret',
    'clientSecret',
    'redemption',
    'apiKey',
  ])('a long text under the name %s, of whichever service', (name) => {
    expect(withoutSecrets({ [name]: 'x'.repeat(16) })).toEqual({ [name]: 'xxxx…' })
  })

  test('everything else stays as it is', () => {
    const value = {
      transaction: `0x${'ab'.repeat(32)}`,
      tokenName: 'USD Coin is its name',
      signature: 'c'.repeat(88),
      token: 'short',
      numbers: [1, null, true],
      kind: 'pass_through of no token at all, it is a word',
    }
    expect(withoutSecrets(value)).toEqual(value)
  })
})
