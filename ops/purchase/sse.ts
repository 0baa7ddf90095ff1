/** One server-sent event. `id`: the newest id so far, '' when there was none. */
export type SseEvent = { kind: string; data: string; id: string }

/** More than this without an empty line is no event stream. */
const MAX_EVENT_CHARS = 8 * 1024 * 1024

/**
 * Reads server-sent events by the letter of the standard, from text in pieces of any length. Pure.
 * @throws RangeError when an event is beyond all bounds.
 */
export function createSseReader() {
  let rest = ''
  let started = false
  let lastId = ''
  let retryMs: number | null = null
  let kind = ''
  let data: string[] = []
  let chars = 0

  const line = (text: string): SseEvent | null => {
    if (text === '') {
      const event = data.length === 0 ? null : { kind: kind || 'message', data: data.join('\n'), id: lastId }
      kind = ''
      data = []
      chars = 0
      return event
    }
    const colon = text.indexOf(':')
    const field = colon < 0 ? text : text.slice(0, colon)
    const value = colon < 0 ? '' : text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'event') kind = value
    else if (field === 'data') data.push(value)
    else if (field === 'id' && !value.includes('\0')) lastId = value
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) retryMs = Number(value)
    chars += text.length
    return null
  }

  return {
    lastId: () => lastId,
    /** What the server asked for between two connections; null: it did not. */
    retryMs: () => retryMs,
    /** @returns the events that are complete now. */
    read(piece: string): SseEvent[] {
      rest += started ? piece : piece.replace(/^\ufeff/, '')
      started ||= piece !== ''
      const events: SseEvent[] = []
      for (;;) {
        const end = /\r\n|\n|\r(?!$)/.exec(rest) //  a CR at the very end may be half of a CRLF
        if (end === null) break
        const event = line(rest.slice(0, end.index))
        rest = rest.slice(end.index + end[0].length)
        if (event !== null) events.push(event)
      }
      if (chars + rest.length > MAX_EVENT_CHARS) throw new RangeError('an event without an end')
      return events
    },
  }
}
