import { describeError } from '../../ops/errors.ts'

/** Arguments as `read` finds them. When it throws, says why and how the command is used, and ends with exit code 2. */
export function orUsage<T>(usage: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    process.stderr.write(`${describeError(error)}\n${usage}`)
    process.exit(2)
  }
}

/** A whole number from 1 to `most`. @throws with the name of the option. */
export function whole(name: string, text: string | undefined, fallback: number, most: number): number {
  const value = text === undefined ? fallback : Number(text)
  if (!Number.isInteger(value) || value < 1 || value > most) throw new Error(`--${name}: 1 to ${most}`)
  return value
}
