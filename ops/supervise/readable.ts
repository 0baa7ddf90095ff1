import { z } from 'zod'
import { parseJsonOrNull } from '../jsonText.ts'

const Line = z.looseObject({
  level: z.enum(['debug', 'info', 'warn', 'error', 'fatal']),
  msg: z.string().optional(),
})

const HIDDEN = new Set(['level', 'msg', 'time', 'role', 'pid', 'stack'])
const LONGEST = 400

/**
 * A child's log line for a person: `message (key=value, …)`, with its level. null: no line of ours, so nothing
 * is known about how important it is.
 */
export function readLine(line: string): { level: z.infer<typeof Line>['level']; text: string } | null {
  if (!line.startsWith('{')) return null
  const parsed = Line.safeParse(parseJsonOrNull(line))
  if (!parsed.success) return null
  const { level, msg = '' } = parsed.data
  const details = Object.entries(parsed.data)
    .filter(([key]) => !HIDDEN.has(key))
    .map(([key, detail]) => `${key}=${typeof detail === 'string' ? detail : JSON.stringify(detail)}`)
  const text = details.length === 0 ? msg : `${msg} (${details.join(', ')})`
  return { level, text: plain(text).slice(0, LONGEST) }
}

/** Without control characters and those that reorder others: what a venue or buyer wrote must not steer the terminal. */
export const plain = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, ' ')
