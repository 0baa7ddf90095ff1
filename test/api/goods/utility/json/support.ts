import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { repairJson } from '../../../../../api/goods/utility/json/repairJson.ts'
import type { Repaired } from '../../../../../api/goods/utility/json/result.ts'
import { REPOSITORY } from '../../../../support/process.ts'

/** The acceptance corpora; a test over them is skipped where they are absent. */
export const CORPORA = `${REPOSITORY}/../shared/corpora`
export const hasCorpora = existsSync(CORPORA)

/** The repair of a text that must be repairable. */
export function repaired(text: string): typeof Repaired._output {
  const repair = repairJson(text)
  expect(repair, JSON.stringify(text)).toMatchObject({ ok: true })
  return repair as typeof Repaired._output
}

/** The names of the changes, in their order. */
export const kindsOf = (text: string): string[] => repaired(text).changes.map(({ kind }) => kind)

/** Why and where a text is refused; null when it is not. */
export function refusalOf(text: string): [reason: string, offset: number] | null {
  const repair = repairJson(text)
  return repair.ok ? null : [repair.reason, repair.offset]
}
