import { literal, quoteName, type Setting } from './settings.ts'
import { ANALYST_LIMITS, type UserName } from './users.ts'

/** An answer that is held in memory may be this large, in the engine's representation. */
const MAX_BUFFERED_BYTES = 256 * 1024 * 1024

/**
 * Statements that go before the query on its connection: role, database, settings, parameters. The log comment is
 * how a running query is found again. `readonly` comes last, since it forbids all others.
 */
export function preamble(
  user: UserName,
  { queryId, database, buffered }: { queryId: string; database: string; buffered: boolean },
  settings: Setting[],
  params: Setting[],
): string {
  const readonly: Setting[] = user === 'analyst' ? [['readonly', '1']] : settings.filter(isReadonly)
  return [
    user === 'analyst' ? 'SET ROLE analyst; ' : '',
    database === '' ? '' : `USE ${quoteName(database)}; `,
    setStatement([
      ...(user === 'analyst' ? analystLimits : []),
      ...(buffered ? BUFFERED : []),
      ...settings.filter((setting) => !isReadonly(setting)),
      ['log_comment', queryId],
      ...params,
    ]),
    setStatement(readonly),
  ].join('')
}

const isReadonly = ([name]: Setting): boolean => name === 'readonly'

const analystLimits = Object.entries(ANALYST_LIMITS).map(([name, value]): Setting => [name, String(value)])

const BUFFERED: Setting[] = [
  ['max_result_bytes', String(MAX_BUFFERED_BYTES)],
  ['result_overflow_mode', 'throw'],
]

/** One SET for all of them, later ones win. Numbers and words alike go in as text: the engine converts. */
const setStatement = (settings: Setting[]): string =>
  settings.length === 0
    ? ''
    : `SET ${settings.map(([name, value]) => `${name} = ${literal(value)}`).join(', ')}; `
