/** Characters of text in an input, whatever its shape; numbers and the like count one. */
export function sizeOf(input: unknown): number {
  if (typeof input === 'string') return input.length
  if (typeof input !== 'object' || input === null) return 1
  return Object.values(input).reduce<number>((sum, value) => sum + sizeOf(value), 0)
}
