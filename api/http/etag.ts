/**
 * Whether a caller has this version already. Proxies that compress weaken a tag (`W/"…"`), and some send several.
 * @param ifNoneMatch the header; '' when absent
 * @param etag in quotes, made of a hash: no other tag holds it
 */
export const isKnown = (ifNoneMatch: string, etag: string): boolean => ifNoneMatch.includes(etag)
