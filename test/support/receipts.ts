import { verify } from 'node:crypto'
import canonicalize from 'canonicalize'
import { type Answer, get } from './buyer.ts'

/** The keys of receipts as a service publishes them. */
export const keysOf = async (base: string): Promise<Answer['json'][]> =>
  (await get(`${base}/.well-known/receipt-oracle.json`)).json.keys

/** Whether the published key verifies a receipt, as for a stranger: nothing of ours is used but what is served. */
export function holdsForStrangers(
  { format, payload, signature, keyId }: Answer['json'],
  keys: readonly Answer['json'][],
): boolean {
  const { publicKeyPem } = keys.find((key) => key.keyId === keyId)
  return verify(
    null,
    Buffer.from(`${format}|${canonicalize(payload)}`),
    publicKeyPem,
    Buffer.from(signature, 'base64'),
  )
}
