import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Admission } from './admission.ts'
import { type Answer, freeSpace, removeFile, sizeOf } from './answer.ts'
import { type Body, type Budget, spool, type Text } from './body.ts'
import type { Engine, Ran } from './engine.ts'
import { type QueryError, refuse } from './errors.ts'
import { queryParams } from './params.ts'
import { type Plan, planQuery } from './plan.ts'
import { preamble } from './preamble.ts'
import type { HttpQuery } from './request.ts'
import { engineSettings } from './settings.ts'
import type { UserName } from './users.ts'

export type Executor = {
  /** Runs one query to its end. The caller removes the answer's file. @throws QueryError */
  execute(job: Job): Promise<Answer>
  /** From now on queries are refused; those that run go on. */
  close(): void
  /** Stops what runs, writes too, and waits until nothing does. */
  stop(): Promise<void>
}

export type Job = {
  user: UserName
  query: HttpQuery
  text: Text
  body: Body
  readOnlyMethod: boolean
  gone: AbortSignal //  aborted when the client is gone: a read is stopped, a change goes on
}

const WATCH_MS = 50
const MIB = 1024 * 1024
const LARGE_BYTES = 16 * MIB
const NEARLY_FULL_BYTES = 64 * MIB
const FULL_BYTES = 1 * MIB

/**
 * @param limits.maxAnswerBytes largest file of an answer; past it the query ends with code 396.
 * @param limits.maxSpoolBytes of all INSERT bodies together that were received and not yet inserted.
 */
export function createExecutor(
  engine: Engine,
  admission: Admission,
  { maxAnswerBytes, maxSpoolBytes }: { maxAnswerBytes: number; maxSpoolBytes: number },
): Executor {
  const running = new Set<string>()
  const budget: Budget = { leftBytes: maxSpoolBytes }
  let files = 0
  let closed = false

  async function execute(job: Job): Promise<Answer> {
    const { user, query, text } = job
    if (closed) throw refuse('ABORTED', 'The server is shutting down.')
    const settings = engineSettings(query.params, user)
    const params = queryParams(query.params)
    const plan = await planQuery(engine, text, job, params)
    const buffered = plan.kind === 'read' && !plan.answersToFile
    const before = preamble(user, { ...query, buffered }, settings, params)
    if (running.has(query.queryId))
      throw refuse(
        'QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING',
        `Query with id = ${query.queryId} is already running.`,
      )
    const file = join(engine.folder, String(files++))
    running.add(query.queryId)
    try {
      return plan.dataAt === null
        ? await runAnswering(job, plan, before + plan.statement(file), file)
        : await runInserting(job, plan, before + plan.statement(file), { file, dataAt: plan.dataAt })
    } finally {
      running.delete(query.queryId)
    }
  }

  async function runAnswering(job: Job, plan: Plan, sql: string, file: string): Promise<Answer> {
    const leave = await admission.enter(job.user, job.gone)
    try {
      const ran = await runWatched(job, plan, sql, file)
      return { ran, file: plan.answersToFile ? file : null, format: formatOf(plan), inserted: false }
    } catch (error) {
      await removeFile(file)
      throw error
    } finally {
      leave()
    }
  }

  /** The place is taken only when all data is here: a slow sender holds no one up. */
  async function runInserting(
    job: Job,
    plan: Plan,
    sql: string,
    { file, dataAt }: { file: string; dataAt: number },
  ): Promise<Answer> {
    const data = await spool(file, job.text, dataAt, job.body, budget)
    try {
      const leave = await admission.enter(job.user, job.gone)
      try {
        return { ran: await engine.run(sql), file: null, format: formatOf(plan), inserted: true }
      } finally {
        leave()
      }
    } finally {
      await data.remove()
    }
  }

  const formatOf = (plan: Plan) =>
    engine.formats.get(plan.format.toLowerCase()) ?? {
      name: plan.format,
      contentType: 'text/plain; charset=UTF-8',
    }

  /**
   * Runs a statement and looks at the file it writes: the engine keeps quiet about a disk that gets full and would
   * leave us with a cut answer. So a large answer ends before the disk is full, and none is sent from a full one.
   */
  async function runWatched({ query, gone }: Job, plan: Plan, sql: string, file: string): Promise<Ran> {
    let refusal: QueryError | null = null
    const measure = async (atEnd: boolean) => {
      if (!plan.answersToFile || refusal !== null) return
      const [bytes, freeBytes] = await Promise.all([sizeOf(file), freeSpace(engine.folder)])
      if (bytes > maxAnswerBytes)
        refusal = refuse('TOO_MANY_ROWS_OR_BYTES', `Limit for result exceeded, max bytes: ${maxAnswerBytes}.`)
      else if (freeBytes < (atEnd || bytes < LARGE_BYTES ? FULL_BYTES : NEARLY_FULL_BYTES))
        refusal = refuse('NOT_ENOUGH_SPACE', 'No space left for the answer.')
    }
    // Again and again: a stop that comes before the engine has begun finds nothing to stop.
    const watch = setInterval(async () => {
      await measure(false)
      if (refusal !== null || (gone.aborted && plan.kind === 'read')) await cancel(query.queryId)
    }, WATCH_MS)
    try {
      const ran = await engine.run(sql, query.defaultFormat)
      await measure(true)
      if (refusal === null) return ran
    } catch (error) {
      if (refusal === null) throw error
    } finally {
      clearInterval(watch)
    }
    throw refusal
  }

  const cancel = (queryId: string) => engine.cancel(queryId).catch(() => undefined)

  return {
    execute,
    close: () => {
      closed = true
    },
    async stop() {
      while (running.size > 0) {
        await Promise.all([...running].map(cancel))
        await sleep(WATCH_MS)
      }
    },
  }
}
