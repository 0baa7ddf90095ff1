import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** RFC 8785 text of a JSON value: the same value has one text, whatever order its keys came in. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new Error('assumption broken: only JSON values are signed')
  return text
}

/** Whether a value has such a text: an unpaired surrogate and a number beyond JSON have none. */
export function isSignable(value: unknown): boolean {
  try {
    canonicalJson(value)
    return true
  } catch {
    return false
  }
}

export const sha256Hex = (data: string | Uint8Array): string => hash('sha256', data, 'hex')
