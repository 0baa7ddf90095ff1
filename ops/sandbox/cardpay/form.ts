/** What a form holds: `a[b][0][c]=1` is `{a: {b: {0: {c: '1'}}}}`, as the provider's client writes it. */
export type Form = { [key: string]: string | Form }

const DEEPEST = 8

export function parseForm(text: string): Form {
  const form: Form = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/\]?\[|\]$/).filter((part) => part !== '')
    if (path.length === 0 || path.length > DEEPEST) continue
    let at = form
    for (const part of path.slice(0, -1)) {
      const known = at[part]
      const inner: Form = typeof known === 'object' ? known : Object.create(null)
      at[part] = inner
      at = inner
    }
    at[path.at(-1)!] = value
  }
  return form
}

/** The text at a path, or null. */
export function textAt(form: Form, ...path: string[]): string | null {
  let at: string | Form | undefined = form
  for (const part of path) at = typeof at === 'object' ? at[part] : undefined
  return typeof at === 'string' ? at : null
}
