/** A JSON object of a parsed document; only its own members count. */
export type JsonObject = Record<string, unknown>

/** An own member, whatever its name: `__proto__` and `toString` are data here. */
export const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as JsonObject)[name]
    : undefined

/** RFC 6901 pointer of the names on the way from the root. */
export const pointerTo = (...names: string[]): string =>
  names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Does the reference stay inside the document? */
export const isLocal = (ref: string): boolean => ref === '#' || ref.startsWith('#/')

/** What a local reference points at; undefined when nothing is there. */
export function followLocal(document: unknown, ref: string): unknown {
  if (ref === '#') return document
  return ref
    .slice(2)
    .split('/')
    .map(decodeName)
    .reduce<unknown>((value, name) => (name === null ? undefined : member(value, name)), document)
}

function decodeName(name: string): string | null {
  try {
    return decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return null
  }
}
