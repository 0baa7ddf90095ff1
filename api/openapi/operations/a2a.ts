import type { z } from 'zod'
import { MAX_CHARS, MAX_WORDS } from '../../storefront/a2a/recommend.ts'
import {
  A2A_VERSION,
  ListedTasks,
  NO_TASKS,
  SEND_MAX_BYTES,
  SEND_PATH,
  SendMessage,
  SentMessage,
  TASKS_PATH,
} from '../../storefront/a2a/routes.ts'
import { atMost, json, type Operation } from '../operation.ts'

/** The A2A agent (binding HTTP+JSON): it names the reads that fit a request in words. */
export const A2A: readonly Operation[] = [
  {
    method: 'POST',
    path: SEND_PATH,
    id: 'a2aSendMessage',
    tag: 'discovery',
    summary: 'A2A 1.0 SendMessage: which reads fit a request in words, and how to buy them',
    description: 'Free. One message in, one message out; nothing is kept, and there are no tasks.',
    parameters: [
      {
        in: 'header',
        name: 'A2A-Version',
        example: A2A_VERSION,
        description: 'The version you speak; if omitted, this one is assumed',
      },
    ],
    body: {
      schema: SendMessage,
      example: {
        message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'repair broken JSON' }] },
      } satisfies z.infer<typeof SendMessage>,
      limit: `${atMost(SEND_MAX_BYTES)}; of the text the first ${MAX_CHARS} characters and ${MAX_WORDS} different words count`,
    },
    answers: {
      200: {
        description: 'The reads in words, and as entries of /x402/services.json',
        content: json(SentMessage, {
          message: {
            messageId: '5f1c3c1e-1d0b-4a53-9a51-6f0a3f3c8a11',
            contextId: '0b6e6d0e-3c38-4d0c-8a5e-2f1d6e4b7c22',
            role: 'ROLE_AGENT',
            parts: [
              { text: 'These reads fit, best first: ...', mediaType: 'text/plain' },
              { data: { services: [] }, mediaType: 'application/json' },
            ],
          },
        } satisfies z.infer<typeof SentMessage>),
      },
    },
    problems: ['malformed_request', 'invalid_parameter', 'body_too_large', 'not_found'],
  },
  {
    method: 'GET',
    path: TASKS_PATH,
    id: 'a2aListTasks',
    tag: 'discovery',
    summary: 'A2A 1.0 ListTasks: there are none',
    answers: {
      200: {
        description: 'Always empty',
        headers: ['cache-control'],
        content: json(ListedTasks, NO_TASKS),
      },
      304: { description: 'The same as before' },
    },
    problems: [],
  },
  ...(['GET', 'POST'] as const).map((method) => ({
    method,
    path: `${TASKS_PATH}/{id}` as const,
    id: `a2aTask${method === 'GET' ? '' : 'Action'}`,
    tag: 'discovery' as const,
    summary: 'A2A 1.0: there are no tasks, so none is found',
    parameters: [{ in: 'path' as const, name: 'id', required: true, description: 'Any', example: 't-1' }],
    answers: {},
    problems: ['not_found' as const],
  })),
]
