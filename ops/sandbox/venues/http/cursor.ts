/**
 * Where a listing goes on: the rank of the event to look at next, the place inside it, or a number of
 * rows for sorted listings. Ranks outlive changes of the data between two pages. Opaque to clients.
 */
export type Cursor = { list: string; key: string; index: number }

export const encodeCursor = ({ list, key, index }: Cursor): string =>
  Buffer.from(JSON.stringify([list, key, index])).toString('base64url')

/** @returns null when the text is no cursor of this list. */
export function decodeCursor(list: string, text: string): Cursor | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (!Array.isArray(parsed) || parsed.length !== 3) return null
    const [name, key, index] = parsed
    if (name !== list || typeof key !== 'string' || !Number.isSafeInteger(index) || index < 0) return null
    return { list, key, index }
  } catch {
    return null
  }
}
