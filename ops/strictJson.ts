/**
 * JSON for money: `JSON.parse` keeps the last of two equal keys, honours `__proto__` and recurses without
 * bound, so two readers of one text may see two payments. Here such text is refused.
 */
export class StrictJsonError extends Error {}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const BLANK = /[ \t\n\r]*/y

/**
 * @param maxDepth nesting allowed; the bound of the text's length is the caller's.
 * @throws StrictJsonError on anything RFC 8259 refuses, a repeated key, `__proto__`, or too deep nesting.
 */
export function parseStrictJson(text: string, maxDepth = 16): unknown {
  let at = 0
  const fail = (why: string): never => {
    throw new StrictJsonError(`${why} at offset ${at}`)
  }
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match === null) return null
    at = pattern.lastIndex
    return match[0]
  }
  const skip = () => take(BLANK)
  const string = (): string => JSON.parse(take(STRING) ?? fail('string expected')) as string
  const literal = <T>(word: string, value: T): T => {
    if (!text.startsWith(word, at)) fail('value expected')
    at += word.length
    return value
  }
  const separated = (close: string, item: () => void) => {
    at++
    skip()
    if (text[at] === close) {
      at++
      return
    }
    for (;;) {
      item()
      skip()
      if (text[at] === close) break
      if (text[at] !== ',') fail(`',' or '${close}' expected`)
      at++
      skip()
    }
    at++
  }
  const value = (depth: number): unknown => {
    if (depth > maxDepth) fail('nested too deeply')
    switch (text[at]) {
      case '{': {
        const object: Record<string, unknown> = {}
        separated('}', () => {
          const key = string()
          if (key === '__proto__' || Object.hasOwn(object, key)) fail('key repeated or forbidden')
          skip()
          if (text[at] !== ':') fail("':' expected")
          at++
          skip()
          object[key] = value(depth + 1)
        })
        return object
      }
      case '[': {
        const array: unknown[] = []
        separated(']', () => {
          array.push(value(depth + 1))
        })
        return array
      }
      case '"':
        return string()
      case 't':
        return literal('true', true)
      case 'f':
        return literal('false', false)
      case 'n':
        return literal('null', null)
      default:
        return Number(take(NUMBER) ?? fail('value expected'))
    }
  }
  skip()
  const result = value(0)
  skip()
  if (at !== text.length) fail('text after the value')
  return result
}
