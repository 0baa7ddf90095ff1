import { isRecord } from '../../../../ops/jsonText.ts'
import { type JsonObject, member, pointerTo } from './pointer.ts'
import { readDocument } from './readDocument.ts'
import { CHECKS, FINDINGS, type Issue, MAX_ISSUES, type SpecLint } from './result.ts'
import { missingSuccess, type Place } from './success.ts'

const MAX_VERSION = 32

/**
 * The three checks of spec 4.1 rule 9 over an OpenAPI document in JSON: a version field, at least one path, one 2xx
 * response. Pure, linear, never throws, follows only references inside the document.
 */
export function lintSpec(text: string): SpecLint {
  const read = readDocument(text)
  if ('unreadable' in read)
    return lintOf(null, [issueOf({ code: read.unreadable, pointer: '' }, read.offset)])
  const { document } = read
  const version = versionOf(document)
  const paths = pathItemsOf(document)
  const places = [
    ...('code' in version ? [version] : []),
    ...('code' in paths ? [paths] : []),
    ...('code' in paths ? [{ ...paths, code: 'no_operation' as const }] : missingSuccess(document, paths)),
  ]
  return lintOf(
    'code' in version ? null : version.stated,
    places.map((place) => issueOf(place)),
  )
}

function lintOf(version: string | null, issues: Issue[]): SpecLint {
  const passed = (check: (typeof CHECKS)[number]) =>
    issues.every((issue) => issue.check !== check && issue.check !== 'document')
  const checks = { version: passed('version'), path: passed('path'), success2xx: passed('success2xx') }
  const share = CHECKS.filter((check) => checks[check]).length / CHECKS.length
  return { score: Math.round(100 * share), checks, version, issues: issues.slice(0, MAX_ISSUES) }
}

const issueOf = ({ code, pointer }: Place, offset: number | null = null): Issue => ({
  ...FINDINGS[code],
  code,
  pointer: pointer.toWellFormed(), // half a surrogate pair cannot be signed
  offset,
})

function versionOf(document: JsonObject): { stated: string } | Place {
  const names = ['openapi', 'swagger'].filter((name) => Object.hasOwn(document, name))
  const stated = names.map((name) => member(document, name)).find(isVersion)
  if (stated !== undefined) return { stated: stated.slice(0, MAX_VERSION).toWellFormed() }
  const [first] = names
  return first === undefined
    ? { code: 'version_missing', pointer: '' }
    : { code: 'version_not_a_string', pointer: pointerTo(first) }
}

const isVersion = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** The path items: members of `paths` whose name begins with a slash; others are extensions. */
function pathItemsOf(document: JsonObject): [string, unknown][] | Place {
  const paths = member(document, 'paths')
  if (!isRecord(paths))
    return { code: 'paths_missing', pointer: Object.hasOwn(document, 'paths') ? '/paths' : '' }
  const items = Object.entries(paths).filter(([name]) => name.startsWith('/'))
  return items.length > 0 ? items : { code: 'paths_empty', pointer: '/paths' }
}
