import type { webcrypto } from 'node:crypto'

export const utf8 = (text: string) => new TextEncoder().encode(text)

/** Standard base64 in its one spelling; null of anything else: `atob` takes blanks, lost padding and stray bits too. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    const bytes = atob(base64)
    return btoa(bytes) === base64 ? Uint8Array.from(bytes, (char) => char.charCodeAt(0)) : null
  } catch {
    return null
  }
}

/**
 * Whether a signature holds, by the browser's own Ed25519.
 * @param x the public key, base64url
 * @returns null: this browser has no Ed25519
 */
export async function ed25519Holds(
  subtle: webcrypto.SubtleCrypto,
  {
    x,
    signature,
    signed,
  }: { x: string; signature: Uint8Array<ArrayBuffer>; signed: Uint8Array<ArrayBuffer> },
): Promise<boolean | null> {
  let key: webcrypto.CryptoKey
  try {
    key = await subtle.importKey('jwk', { kty: 'OKP', crv: 'Ed25519', x }, { name: 'Ed25519' }, false, [
      'verify',
    ])
  } catch {
    return null
  }
  return subtle.verify({ name: 'Ed25519' }, key, signature, signed)
}
