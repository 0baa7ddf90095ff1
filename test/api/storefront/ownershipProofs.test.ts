import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { openApi } from '../../../api/openapi/openApi.ts'
import { wellKnownX402 } from '../../../api/storefront/documents/wellKnownX402.ts'
import { ownershipProofs } from '../../../api/storefront/ownershipProofs.ts'
import { loadConfig } from '../../../ops/config.ts'
import { someFacts } from '../../support/facts.ts'

const ORIGIN = 'https://data.example.com'
const [receiver, onEthereum, stranger] = [1, 2, 3].map((n) =>
  privateKeyToAccount(`0x${String(n).repeat(64)}`),
)
const proofOf = (account = receiver!, message = ORIGIN) => account.signMessage({ message })

const read = (OWNERSHIP_PROOFS: string) =>
  ownershipProofs({
    ...loadConfig({ PUBLIC_URL: `${ORIGIN}/` }, 'script'),
    RECEIVER_ADDRESS: receiver!.address,
    ETHEREUM_RECEIVER: onEthereum!.address,
    OWNERSHIP_PROOFS,
  })

describe('ecosystem 3.2 and 3.3: proofs that who is paid stands behind this origin', () => {
  test('none, one, one of each receiving address', async () => {
    expect([read(''), read(' , ')]).toEqual([[], []])
    const [first, second] = [await proofOf(), await proofOf(onEthereum)]
    expect(read(first)).toEqual([first])
    expect(read(` ${first} , ${second.toUpperCase().replace('0X', '0x')},`)).toEqual([first, second])
  })

  test.each([
    ['a stranger’s', () => proofOf(stranger), `is signed by ${stranger!.address.toLowerCase()}`],
    ['over the origin with a slash', () => proofOf(receiver, `${ORIGIN}/`), 'is signed by 0x'],
    ['over another origin', () => proofOf(receiver, 'https://example.com'), 'is signed by 0x'],
    ['no hex', () => 'proof', 'is no signature'],
    ['too short', async () => (await proofOf()).slice(0, -4), 'is no signature'],
    ['empty', () => '0x', 'is no signature'],
  ])('%s is refused, with what is wanted', async (_, make, words) => {
    const proofs = `${await proofOf()},${await make()}`
    expect(() => read(proofs)).toThrow(`OWNERSHIP_PROOFS: number 2 ${words}`)
    expect(() => read(proofs)).toThrow(`of a receiving address over ${ORIGIN}`)
  })

  test('are published where directories look; where there are none the extensions are left out', async () => {
    const proofs = [await proofOf()]
    const published = (ownershipProofs: string[]) => {
      const facts = someFacts({ ownershipProofs })
      const listed = wellKnownX402.map(({ text }) => JSON.parse(String(text(facts))).ownershipProofs)
      const api: Record<string, unknown> = openApi(facts)
      return { listed, extensions: [api['x-agentcash-provenance'], api['x-discovery']] }
    }
    const both = { ownershipProofs: proofs }
    expect(published(proofs)).toEqual({ listed: [proofs, proofs], extensions: [both, both] })
    expect(published([])).toEqual({ listed: [[], []], extensions: [undefined, undefined] })
  })
})
