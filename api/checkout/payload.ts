import { parseStrictJson } from '../../ops/strictJson.ts'

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/** X-Service-Payload: base64 of JSON in UTF-8. @returns undefined when it is anything else. */
export function readPayload(header: string): unknown {
  if (!BASE64.test(header)) return undefined
  try {
    return parseStrictJson(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'base64')))
  } catch {
    return undefined
  }
}
