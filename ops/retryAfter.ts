import { SECOND } from './units.ts'

/** `Retry-After`: seconds or an HTTP date. @returns ms from `nowMs`, at least 0; null when absent or unreadable. */
export function parseRetryAfter(value: string | string[] | undefined, nowMs: number): number | null {
  if (typeof value !== 'string') return null
  if (/^\d{1,9}$/.test(value)) return Number(value) * SECOND
  if (!/^[A-Z][a-z]{2}, /.test(value)) return null
  const atMs = Date.parse(value)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs)
}
