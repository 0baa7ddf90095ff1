import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { drainPending, Session } from 'chdb'
import { ChdbNodeEngine, QueryClass } from 'chdb/durable/node'
import { assert, messageOf } from '../../errors.ts'
import { CODES, parseEngineError, QueryError } from './errors.ts'
import { literal, quoteName } from './settings.ts'
import { configXml, usersXml } from './users.ts'

export type Statement = {
  count: number //  0: it does not parse
  kind: 'read' | 'write' | 'control' | 'unknown'
}

export type Ran = {
  bytes: Uint8Array //   the answer, unless it was written to a file
  rows: number //        of the answer, or inserted
  bytesCounted: number // of the same, in the engine's own representation
  elapsedNs: number
}

export type Format = { name: string; contentType: string }

export type Engine = {
  version: string
  timezone: string
  formats: ReadonlyMap<string, Format> //  by lower-case name
  folder: string //                        bodies and answers pass through it; emptied at start
  tableFunctions: ReadonlySet<string> //   lower-case names
  analyze(sql: string): Promise<Statement>
  /** One statement as the engine's parser prints it. @throws QueryError, with its words for what does not parse. */
  canonical(sql: string): Promise<string>
  /** Statements in order, on a connection of their own. @throws QueryError; the first one that fails ends it. */
  run(sql: string, defaultFormat?: string): Promise<Ran>
  /** Asks the engine to stop what runs under this log comment. */
  cancel(comment: string): Promise<void>
  close(): Promise<void>
}

const KINDS: Partial<Record<QueryClass, Statement['kind']>> = {
  [QueryClass.ReadOnly]: 'read',
  [QueryClass.Mutating]: 'write',
  [QueryClass.MutatingGlobal]: 'write',
  [QueryClass.Control]: 'control',
}

/**
 * The embedded engine on one directory: one process a directory, and one directory a process. Each request
 * gets a connection of its own (0.1 ms), so settings, parameters and roles of two requests never meet; the
 * first connection stays open because the last one to close ends the engine.
 */
export async function openEngine(directory: string, database: string): Promise<Engine> {
  const root = resolve(directory)
  if (/[*?{}[\]'\\]/.test(root)) throw new Error(`DATA_DIR: must not contain * ? { } [ ] ' or \\: ${root}`)
  const folder = join(root, 'http', '/')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const configPath = join(folder, 'config.xml')
  await writeFile(join(folder, 'users.xml'), usersXml(database))
  await writeFile(configPath, configXml(join(folder, 'users.xml')))
  const keeper = new Session(root, { connectionArgs: [`--config-file=${configPath}`] })
  const parser = new ChdbNodeEngine({ extraArgs: ['--implicit_select=0', '--max_query_size=16777216'] })
  await parser.start({ dataPath: root, backupsAllowedPath: folder })
  const toQueryError = (error: unknown) => parseEngineError(messageOf(error), folder)

  const run: Engine['run'] = async (sql, defaultFormat = 'TabSeparated') => {
    const connection = new Session(root)
    try {
      const result = await connection.queryAsync(sql, { format: defaultFormat })
      return {
        bytes: result.bytes(),
        rows: result.rowsRead,
        bytesCounted: result.bytesRead,
        elapsedNs: Math.round(result.elapsed * 1e9),
      }
    } catch (error) {
      const known = toQueryError(error)
      if (isDead(known)) setImmediate(() => assert(false, 'the engine lives')) //  the supervisor restarts us
      throw known
    } finally {
      connection.close()
    }
  }
  const lines = async (sql: string, format?: string) =>
    Buffer.from((await run(sql, format)).bytes)
      .toString('utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))

  await run(`CREATE DATABASE IF NOT EXISTS ${quoteName(database)}`)
  const [[version = '', timezone = 'UTC'] = []] = await lines('SELECT version(), timezone()')
  const formats = await lines('SELECT name, content_type FROM system.formats WHERE is_output')
  const tableFunctions = await lines('SELECT lower(name) FROM system.table_functions')
  return {
    version,
    timezone,
    formats: new Map(
      formats.map(([name = '', type = '']) => [name.toLowerCase(), { name, contentType: type }]),
    ),
    folder,
    tableFunctions: new Set(tableFunctions.map(([name = '']) => name)),
    run,
    async analyze(sql) {
      const { statementCount, queryClass } = await parser.analyze(sql, 'default')
      return { count: statementCount, kind: KINDS[queryClass] ?? 'unknown' }
    },
    async canonical(sql) {
      const { bytes } = await run(
        `SET param_query = ${literal(escapeField(sql))}; SELECT formatQuerySingleLine({query:String})`,
        'TSVRaw',
      ).catch((error: QueryError) => {
        throw new QueryError(
          error.number,
          error.symbol,
          error.message.replace(/: In scope SELECT formatQuerySingleLine\(.*$/s, '.'),
        )
      })
      return Buffer.from(bytes).toString('utf8')
    },
    async cancel(comment) {
      await run(`KILL QUERY WHERE Settings['log_comment'] = ${literal(comment)} ASYNC`)
    },
    async close() {
      await parser.close()
      keeper.close()
      await drainPending()
    },
  }
}

/** After a crash inside the engine every later query ends with this. */
const isDead = ({ number, message }: QueryError): boolean =>
  number === CODES.ABORTED && message.includes('fatal error')

/** A parameter's text is read with tab-separated escapes. */
const escapeField = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n')
