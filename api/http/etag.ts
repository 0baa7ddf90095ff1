import { hash } from 'node:crypto'

/** The strong tag of a text: a different text has a different tag. */
export const etagOf = (text: string | Buffer): string => `"${hash('sha256', text, 'hex').slice(0, 16)}"`

/**
 * Whether a caller has this version already (RFC 9110, 13.1.2): any of the tags it lists, weak or not, or `*`, which is
 * any version there is. Proxies that compress weaken a tag (`W/"…"`), and some send several.
 * @param ifNoneMatch the header; '' when absent
 * @param etag in quotes, made of a hash: no other tag holds it
 */
export const isKnown = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.includes(etag.slice(etag.indexOf('"'))) || ifNoneMatch.trim() === '*'
