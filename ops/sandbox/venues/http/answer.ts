/** One request as the routes see it: no sockets, so that a fault can change it or ask it again. */
export type Ask = {
  method: string
  path: string
  query: URLSearchParams
  body: string
  nowMs: number
}

export type Answer = { status: number; headers?: Record<string, string>; body: string | Buffer }

export type Routes = (ask: Ask) => Answer

export const json = (body: unknown, status = 200): Answer => ({ status, body: JSON.stringify(body) })
export const bytes = (body: Buffer): Answer => ({ status: 200, body })

/** Repeated names become lists, as both venues read them. */
export function queryObject(query: URLSearchParams): Record<string, string | string[]> {
  const object: Record<string, string | string[]> = {}
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name)
    object[name] = values.length === 1 ? values[0]! : values
  }
  return object
}
