import type { PublishedKey } from './key.ts'
import type { KeyRing } from './keyRing.ts'

/** Our name as a did:web: the origin, a port percent-encoded. @param publicUrl an origin. */
export const didOf = (publicUrl: string): string => `did:web:${encodeURIComponent(new URL(publicUrl).host)}`

/** The name of one of our keys in the header of a JWS. */
export const kidOf = (publicUrl: string, { keyId }: PublishedKey): string => `${didOf(publicUrl)}#${keyId}`

export const jwkOf = ({ x, keyId }: PublishedKey) =>
  ({ kty: 'OKP', crv: 'Ed25519', x, kid: keyId, alg: 'EdDSA', use: 'sig' }) as const

/** Every key of the ring, former ones and the next one too; the one that signs first. */
export function didDocument(ring: KeyRing, publicUrl: string) {
  const did = didOf(publicUrl)
  const keys = [...ring.values()]
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id: did,
    verificationMethod: keys.map((key) => ({
      id: kidOf(publicUrl, key),
      type: 'JsonWebKey2020' as const,
      controller: did,
      publicKeyJwk: jwkOf(key),
    })),
    assertionMethod: keys.map((key) => kidOf(publicUrl, key)),
  }
}
