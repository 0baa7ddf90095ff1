import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { isProblem, PROBLEMS, type Problem, type ProblemCode } from '../../errors.ts'
import type { Reply } from '../../http/exchange.ts'
import type { RateLimit } from '../../http/rateLimit.ts'
import { readJson } from '../../http/readJson.ts'
import { jsonReply, NO_STORE, problemReply } from '../../http/respond.ts'
import type { Route } from '../../http/router.ts'
import { type Document, documentRoute, JSON_TYPE } from '../document.ts'
import { ServiceEntry, serviceEntries } from '../entry.ts'
import type { Facts } from '../facts.ts'
import { createRecommender, inWords } from './recommend.ts'

export const A2A_VERSION = '1.0'
/**
 * Versions that a client may ask for; patch numbers do not matter. A client that names none means ours, or fails by its
 * own shape.
 */
const SPOKEN = /^(1\.0(\.\d+)?)?$/

/** Base of the A2A interface (binding HTTP+JSON); paths below it are the protocol's. */
export const A2A_PATH = '/a2a'
export const SEND_PATH = `${A2A_PATH}/message:send`
export const TASKS_PATH = `${A2A_PATH}/tasks`
/** Paths of one task, and of actions on it: there are no tasks. */
const TASK_PATH = `${TASKS_PATH}/*`

export const SEND_MAX_BYTES = 32 * 1024
const MAX_PARTS = 32
const Id = z.string().max(256)

/** The parts of SendMessage (A2A 1.0) that are read here; all else a client may send is ignored. */
export const SendMessage = z.object({
  message: z.object({
    messageId: Id,
    contextId: Id.optional(),
    taskId: Id.optional(),
    role: z.literal('ROLE_USER'),
    parts: z
      .array(z.object({ text: z.string().optional() }))
      .min(1)
      .max(MAX_PARTS),
  }),
})

/** The answer: one message, no task. */
export const SentMessage = z.object({
  message: z.object({
    messageId: z.string(),
    contextId: z.string(),
    role: z.literal('ROLE_AGENT'),
    parts: z.tuple([
      z.object({ text: z.string(), mediaType: z.literal('text/plain') }),
      z.object({
        data: z.object({ services: z.array(ServiceEntry) }),
        mediaType: z.literal('application/json'),
      }),
    ]),
  }),
})

/** The answer of ListTasks, of which there are none. */
export const ListedTasks = z.object({
  tasks: z.tuple([]),
  nextPageToken: z.literal(''),
  pageSize: z.int(),
  totalSize: z.literal(0),
})
export const NO_TASKS: z.infer<typeof ListedTasks> = {
  tasks: [],
  nextPageToken: '',
  pageSize: 50,
  totalSize: 0,
}
const LIST_OF_TASKS: Document = {
  path: TASKS_PATH,
  type: JSON_TYPE,
  text: () => JSON.stringify(NO_TASKS),
}

/** The errors in the words of the protocol, with the canonical name of their status. */
const A2A_ERRORS = {
  TASK_NOT_FOUND: {
    status: 'NOT_FOUND',
    problem: 'not_found',
    message: 'There are no tasks here: every message is answered at once.',
  },
  VERSION_NOT_SUPPORTED: {
    status: 'UNIMPLEMENTED',
    problem: 'malformed_request',
    message: `A2A ${A2A_VERSION} is spoken here: send it as A2A-Version.`,
  },
  INVALID_PARAMS: {
    status: 'INVALID_ARGUMENT',
    problem: 'malformed_request',
    message: 'The body is not a SendMessage request with a text.',
  },
} as const satisfies Record<string, { status: string; problem: ProblemCode; message: string }>

/**
 * The A2A agent (1.0): a message in words is answered with the reads that fit. Stateless; nothing of a message is kept.
 * Refusals are problems like all of ours, with the protocol's own error in them.
 */
export function a2aRoutes(facts: Facts, limit: RateLimit): Route[] {
  const entries = serviceEntries(facts)
  const recommend = createRecommender(entries)
  return [
    {
      method: 'POST',
      path: SEND_PATH,
      limit,
      async handler(request) {
        if (!SPOKEN.test(request.header('a2a-version'))) return refused('VERSION_NOT_SUPPORTED')
        const read = await readJson(request, SendMessage, SEND_MAX_BYTES)
        if (isProblem(read) && read.problem === 'no_room') return problemReply(read)
        if (isProblem(read)) return refused('INVALID_PARAMS', read)
        const { taskId, contextId, parts } = read.body.message
        if (taskId !== undefined && taskId !== '') return refused('TASK_NOT_FOUND')
        const text = parts.map((part) => part.text ?? '').join(' ')
        const fitting = recommend(text)
        const named = fitting.length > 0 ? fitting : entries
        const answer: z.infer<typeof SentMessage> = {
          message: {
            messageId: randomUUID(),
            contextId: contextId || randomUUID(),
            role: 'ROLE_AGENT',
            parts: [
              { text: inWords(named, fitting.length > 0), mediaType: 'text/plain' },
              { data: { services: named }, mediaType: 'application/json' },
            ],
          },
        }
        return jsonReply(200, answer, [NO_STORE])
      },
    },
    { ...documentRoute(LIST_OF_TASKS, facts), limit },
    ...(['GET', 'POST'] as const).map((method) => ({
      method,
      path: TASK_PATH,
      limit,
      handler: () => refused('TASK_NOT_FOUND'),
    })),
  ]
}

function refused(
  reason: keyof typeof A2A_ERRORS,
  problem: Problem = { problem: A2A_ERRORS[reason].problem },
): Reply {
  const { status, message } = A2A_ERRORS[reason]
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' }
  const error = { code: PROBLEMS[problem.problem].status, status, message, details: [info] }
  return problemReply({ ...problem, detail: problem.detail ?? message, extra: { error } })
}
