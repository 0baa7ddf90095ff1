import type { ResponseObject } from '../../../api/openapi/build.ts'
import type { OpenApi } from '../../../api/openapi/openApi.ts'
import type { Answer } from '../../support/buyer.ts'
import { resolved, schemaChecker } from './support.ts'

/** Headers of HTTP and of browsers, which a description need not repeat. */
const OF_THE_EDGE: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'uwebsockets',
  'vary',
  'allow',
  'x-content-type-options',
  'content-security-policy',
  'referrer-policy',
  'x-robots-tag',
  'access-control-allow-origin',
  'access-control-expose-headers',
])

/** Checks real answers against the document. Each function returns what is wrong, or null. */
export function judgeOf(document: OpenApi) {
  const check = schemaChecker(document)

  /** A header that the document does not know, or one that it promises and that is not there. */
  function wrongHeader({ headers = {} }: ResponseObject, answer: Answer): string | null {
    const unknown = answer.headerNames.find((name) => !(name in headers || OF_THE_EDGE.has(name)))
    if (unknown !== undefined) return `header ${unknown} is not described`
    const missing = Object.entries(headers).find(
      ([name, header]) =>
        resolved<{ required?: boolean }>(document, header as { $ref: string }).required === true &&
        answer.header(name) === null,
    )
    return missing === undefined ? null : `header ${missing[0]} is missing`
  }

  /** Status, headers, media type and body. */
  function wrongWith(method: string, path: string, answer: Answer): string | null {
    const { responses } = document.paths[path]![method.toLowerCase() as 'get' | 'post']!
    const described = responses[String(answer.status)]
    if (described === undefined) return `${answer.status} is not described: ${answer.text.slice(0, 300)}`
    const response = resolved<ResponseObject>(document, described)
    const { content = {} } = response
    const header = wrongHeader(response, answer)
    if (header !== null) return `${answer.status}: ${header}`
    if (answer.status === 304 || answer.text === '') return null
    const type = answer.header('content-type')?.split(';')[0] ?? 'none'
    const media = content[type]
    if (media === undefined) return `${answer.status} ${type} is not described: ${answer.text.slice(0, 300)}`
    return type.endsWith('json') ? check(media.schema, answer.json) : null
  }

  return { check, wrongHeader, wrongWith }
}
export type Judge = ReturnType<typeof judgeOf>
