import { z } from 'zod'
import { didDocument, jwkOf, kidOf } from '../receipts/did.ts'
import type { PublishedKey } from '../receipts/key.ts'
import { jsonDocument } from '../storefront/document.ts'
import { PLACES } from '../storefront/places.ts'

const Jwk = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  alg: z.literal('EdDSA'),
  use: z.literal('sig'),
})

/** One published key in the forms that libraries read. */
export const ReceiptKeyShown = z.object({
  keyId: z.string(),
  kid: z.string().describe('DID URL'),
  signs: z.boolean(),
  publicKeyPem: z.string(),
  publicKeyJwk: Jwk,
})

export const showKey = (key: PublishedKey, signs: boolean, publicUrl: string) => ({
  keyId: key.keyId,
  kid: kidOf(publicUrl, key),
  signs,
  publicKeyPem: key.publicKeyPem,
  publicKeyJwk: jwkOf(key),
})

export const DidDocument = z.object({
  '@context': z.array(z.url()),
  id: z.string(),
  verificationMethod: z.array(
    z.object({
      id: z.string(),
      type: z.literal('JsonWebKey2020'),
      controller: z.string(),
      publicKeyJwk: Jwk,
    }),
  ),
  assertionMethod: z.array(z.string()),
})

/** `/.well-known/did.json`: did:web of this service, with every key that receipts and offers are verified with. */
export const didWeb = jsonDocument(
  PLACES.did.path,
  DidDocument,
  ({ receiptKeys, publicUrl }) => didDocument(receiptKeys, publicUrl),
  'application/did+json',
)
