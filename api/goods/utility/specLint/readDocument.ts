import { isRecord } from '../../../../ops/jsonText.ts'
import { isRefusal } from '../json/refusal.ts'
import { findDocument, MAX_TEXT } from '../json/repairJson.ts'
import type { JsonObject } from './pointer.ts'
import type { Finding } from './result.ts'

/** The document, or why the text is none. */
export type Read = { document: JsonObject } | { unreadable: Finding; offset: number | null }

/**
 * Strict JSON with an object at its root; nothing is repaired here, but the answer says what the json read would do.
 */
export function readDocument(text: string): Read {
  if (text.length > MAX_TEXT) return unreadable('too_large')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return notJson(text)
  }
  return isRecord(value) ? { document: value } : unreadable('not_an_object')
}

function notJson(text: string): Read {
  if (looksLikeYaml(text)) return unreadable('yaml')
  const found = findDocument(text)
  return isRefusal(found)
    ? unreadable('not_json', found.offset)
    : unreadable('repairable_json', found.changes[0]?.offset ?? 0)
}

/** A line that JSON cannot begin with: a marker, or a bare name and a colon. */
export const YAML_LINE = /^(---|%YAML|[A-Za-z_][\w-]{0,63}\s*:)/

/** Judged by the first line that is not a comment. */
function looksLikeYaml(text: string): boolean {
  const line = text.split('\n').find((one) => one.trim() !== '' && !one.trimStart().startsWith('#')) ?? ''
  return YAML_LINE.test(line.trimStart())
}

const unreadable = (finding: Finding, offset: number | null = null): Read => ({
  unreadable: finding,
  offset,
})
