import { z } from 'zod'
import { parseStrictJsonBytes } from '../../ops/strictJson.ts'
import { isSignable } from '../receipts/canonical.ts'

/** Refusal of an input that a receipt could not cover, before anything is opened or bound (I4). */
export const UNSIGNABLE = 'holds text or numbers that cannot be signed'

/** Which input a good takes, for whoever reads a schema. */
export const PAYLOAD_WORDS =
  'Input of what is bought: the parameters of its GET by name, or what its deliveryNote in /agent-store.json says'

/** Input of a good in the body of a purchase. */
export const Payload = z.record(z.string(), z.unknown()).refine(isSignable, UNSIGNABLE)

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/** X-Service-Payload: base64 of JSON in UTF-8. @returns undefined when it is anything else. */
export function readPayload(header: string): unknown {
  if (!BASE64.test(header)) return undefined
  try {
    return parseStrictJsonBytes(Buffer.from(header, 'base64'))
  } catch {
    return undefined
  }
}
