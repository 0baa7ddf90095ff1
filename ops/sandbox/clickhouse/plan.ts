import type { Text } from './body.ts'
import type { Engine } from './engine.ts'
import { type QueryError, refuse } from './errors.ts'
import { isUnambiguous } from './lexer.ts'
import { refuseReading } from './reading.ts'
import type { HttpQuery } from './request.ts'
import type { Setting } from './settings.ts'
import {
  findFileClause,
  findTail,
  hasMoreAfterValues,
  type InsertHead,
  insertFromFile,
  intoFile,
  killByOurIds,
} from './statement.ts'
import type { UserName } from './users.ts'

/** One query, judged and ready to run. */
export type Plan = {
  kind: 'read' | 'write' | 'insert'
  format: string //           of the answer
  dataAt: number | null //    where the data of an INSERT starts
  answersToFile: boolean //   else the answer is held in memory
  /** The statement, with the path of its data or its answer in it. */
  statement(path: string): string
}

/**
 * Decides what a text is and whether this user may run it. The engine's own parser counts and classifies; its
 * grants and `readonly` refuse once more when it runs.
 * @param readOnlyMethod GET and HEAD change nothing.
 */
export async function planQuery(
  engine: Engine,
  text: Text,
  { user, query, readOnlyMethod }: { user: UserName; query: HttpQuery; readOnlyMethod: boolean },
  params: Setting[],
): Promise<Plan> {
  const { insert } = text
  const sql = decode(insert === null ? text.bytes : text.bytes.subarray(0, insert.dataAt))
  const { count, kind } = await engine.analyze(sql)
  if (count === 0) throw await syntaxError(engine, sql)
  if (count > 1) throw multiStatements()
  const refusal = kind === 'read' ? null : refuseChange(sql, user, readOnlyMethod)
  if (refusal !== null) throw refusal
  if (insert !== null) return planInsert(text, insert, query)
  if (kind !== 'read') return planWrite(sql, query)
  const canonical = user === 'analyst' ? await engine.canonical(sql) : null
  if (canonical !== null) {
    const name = refuseFileClause(canonical) ?? refuseReading(canonical, params, engine.tableFunctions)
    if (name !== null) throw name
  }
  return planRead(engine, sql, canonical, query)
}

/**
 * Most answers go through a file: the clause is added to the text as it came, or as the engine prints it, and the
 * engine's parser has to find it in the right place. Where it does not (EXPLAIN AST …), the answer stays in memory.
 */
async function planRead(
  engine: Engine,
  sql: string,
  canonical: string | null,
  query: HttpQuery,
): Promise<Plan> {
  const common = { kind: 'read', dataAt: null } as const
  for (const asPrinted of [false, true]) {
    const text = asPrinted ? (canonical ?? (await engine.canonical(sql))) : sql
    const tail = findTail(text)
    if (!isUnambiguous(text) || !(await writesFile(engine, intoFile(text, tail, '/file')))) continue
    return {
      ...common,
      format: tail.format ?? query.defaultFormat,
      answersToFile: true,
      statement: (path) => intoFile(text, tail, path),
    }
  }
  const format = findTail(sql).format ?? query.defaultFormat
  return { ...common, format, answersToFile: false, statement: () => sql }
}

/** A read that writes a file is no read to the engine. */
const writesFile = async (engine: Engine, sql: string): Promise<boolean> => {
  const { count, kind } = await engine.analyze(sql)
  return count === 1 && kind === 'control'
}

const planWrite = (sql: string, query: HttpQuery): Plan => ({
  kind: 'write',
  format: findTail(sql).format ?? query.defaultFormat,
  dataAt: null,
  answersToFile: false,
  statement: () => killByOurIds(sql),
})

function planInsert(text: Text, insert: InsertHead, query: HttpQuery): Plan {
  const { dataAt, format } = insert
  const head = text.bytes.toString('latin1', 0, dataAt)
  if (!isUnambiguous(head))
    throw refuse('SYNTAX_ERROR', 'Syntax error: cannot tell where the data of this INSERT starts.')
  if (text.ended && format === 'Values' && hasMoreAfterValues(text.bytes.toString('latin1', dataAt)))
    throw multiStatements()
  return {
    kind: 'insert',
    format: query.defaultFormat,
    dataAt,
    answersToFile: false,
    statement: (path) => decode(Buffer.from(insertFromFile(head, insert, path), 'latin1')),
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw refuse('BAD_ARGUMENTS', 'The query is not valid UTF-8.')
  }
}

const multiStatements = (): QueryError =>
  refuse('SYNTAX_ERROR', 'Syntax error (Multi-statements are not allowed).')

/** The engine's own words for a text that does not parse, found without running any of it. */
const syntaxError = (engine: Engine, sql: string): Promise<QueryError> =>
  engine.canonical(sql).then(
    () => refuse('SYNTAX_ERROR', 'Syntax error.'),
    (error: QueryError) => error,
  )

/** The embedded engine is its own client, and these make a client touch files. */
function refuseFileClause(sql: string): QueryError | null {
  const clause = findFileClause(sql)
  if (clause === 'INTO OUTFILE') return refuse('INTO_OUTFILE_NOT_ALLOWED', 'INTO OUTFILE is not allowed.')
  if (clause === 'FROM INFILE')
    return refuse('UNKNOWN_TYPE_OF_QUERY', 'FROM INFILE is read by a client and cannot be sent to a server.')
  return null
}

function refuseChange(sql: string, user: UserName, readOnlyMethod: boolean): QueryError | null {
  const refusal = refuseFileClause(sql)
  if (refusal !== null) return refusal
  if (user === 'analyst')
    return refuse(
      'ACCESS_DENIED',
      'analyst: Not enough privileges. This user reads: SELECT, SHOW, DESCRIBE, EXPLAIN, EXISTS.',
    )
  if (!readOnlyMethod) return null
  return refuse(
    'READONLY',
    'Cannot execute query in readonly mode. For queries over HTTP, method GET implies readonly. You should use method POST for modifying queries.',
  )
}
