import { z } from 'zod'

/** The three checks of spec 4.1 rule 9, and `document`: there was nothing to check. */
export const CHECKS = ['version', 'path', 'success2xx'] as const

/** Everything that can be found, and what to do about it. A closed list. */
export const FINDINGS = {
  too_large: { check: 'document', message: 'The text is longer than this read accepts.' },
  yaml: { check: 'document', message: 'This looks like YAML; only JSON is read. Convert it first.' },
  not_json: { check: 'document', message: 'This is not JSON; offset says where reading stopped.' },
  repairable_json: {
    check: 'document',
    message: 'This is not JSON; offset says where it first differs. The json read repairs it.',
  },
  not_an_object: { check: 'document', message: 'The document is not a JSON object.' },
  version_missing: { check: 'version', message: 'No "openapi" (or "swagger") field.' },
  version_not_a_string: {
    check: 'version',
    message: 'The version is not a non-empty string, as in "3.1.0".',
  },
  paths_missing: { check: 'path', message: 'No "paths" object.' },
  paths_empty: { check: 'path', message: 'No path: a name in "paths" that begins with "/".' },
  no_operation: { check: 'success2xx', message: 'No path has an operation.' },
  no_2xx: { check: 'success2xx', message: 'No operation has a response named 200–299 or 2XX.' },
  ref_not_followed: {
    check: 'success2xx',
    message: 'This $ref was not followed: only "#/…" inside the document is, nothing is fetched.',
  },
  ref_unresolved: { check: 'success2xx', message: 'This $ref leads to nothing.' },
} as const satisfies Record<string, { check: (typeof CHECKS)[number] | 'document'; message: string }>

export type Finding = keyof typeof FINDINGS

/** Most issues listed in one answer. */
export const MAX_ISSUES = 20

export const Issue = z.object({
  check: z.enum([...CHECKS, 'document']),
  code: z.enum(Object.keys(FINDINGS) as [Finding, ...Finding[]]),
  pointer: z.string().describe("RFC 6901; '' is the whole document"),
  offset: z.int().nonnegative().nullable().describe('In UTF-16 code units of a text that is not JSON'),
  message: z.string(),
})
export type Issue = z.infer<typeof Issue>

/** Three checks and no more: a document that passes may still break the OpenAPI schema. */
export const SpecLint = z.object({
  score: z.int().min(0).max(100).describe('The share of the checks that passed'),
  checks: z.object({ version: z.boolean(), path: z.boolean(), success2xx: z.boolean() }),
  version: z.string().nullable().describe('As the document states it, shortened to 32 characters'),
  issues: z.array(Issue).max(MAX_ISSUES),
})
export type SpecLint = z.infer<typeof SpecLint>
