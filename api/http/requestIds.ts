import { randomBytes } from 'node:crypto'

const SANE = /^[A-Za-z0-9._-]{8,64}$/

/**
 * X-Request-Id of an answer and of what is logged about it: the caller's own when it is harmless to repeat, else ours, which
 * no other process gives.
 */
export function createRequestIds(): (sent: string) => string {
  const process = randomBytes(6).toString('base64url')
  let count = 0
  return (sent) => (sent !== '' && SANE.test(sent) ? sent : `${process}.${(count++).toString(36)}`)
}
