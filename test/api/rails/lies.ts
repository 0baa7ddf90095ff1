type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type Lie = { name: string; said: unknown }

const GONE = Symbol('gone')

/** What somebody could say instead of one value: nothing, another type, and what is near to it or far from it. */
function instead(value: Json): (Json | typeof GONE)[] {
  const others: (Json | typeof GONE)[] = [GONE, null, true, 'x', {}, [], 0, -1, 1.5, 2 ** 53, 2 ** 63]
  if (typeof value === 'number') others.push(value + 1, value - 1, value * 2, -value, String(value))
  if (typeof value === 'string') others.push(`${value} `, value.toUpperCase(), value.slice(1))
  if (typeof value === 'boolean') others.push(!value)
  if (Array.isArray(value)) others.push([...value, ...value], value.slice(1), [...value].reverse())
  return others
}

/** Every answer that differs from the true one in a single value, at whatever depth it lies. */
export function* liesAbout(truth: unknown, extra: readonly Json[] = []): Generator<Lie> {
  const whole = JSON.parse(JSON.stringify(truth)) as Json
  for (const path of pathsOf(whole))
    for (const other of [...instead(at(whole, path)), ...extra]) {
      if (path.length === 0) {
        if (other !== GONE) yield { name: `the whole: ${JSON.stringify(other)}`, said: other }
        continue
      }
      const said = structuredClone(whole)
      const parent = at(said, path.slice(0, -1)) as Record<string, Json>
      const key = path.at(-1)!
      if (other === GONE) delete parent[key]
      else parent[key] = other
      yield { name: `${path.join('.')}: ${other === GONE ? 'gone' : JSON.stringify(other)}`, said }
    }
}

const at = (json: Json, path: readonly string[]): Json =>
  path.reduce((found, key) => (found as Record<string, Json>)[key]!, json)

function pathsOf(json: Json): string[][] {
  if (json === null || typeof json !== 'object') return [[]]
  return [[], ...Object.entries(json).flatMap(([key, value]) => pathsOf(value).map((path) => [key, ...path]))]
}
