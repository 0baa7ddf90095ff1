import { type Answer, json } from '../http/answer.ts'

/** Errors of venue B: bare on bad requests, wrapped where a thing is missing, as recorded. */
export const badRequest = (details: string): Answer =>
  json({ code: 'bad_request', message: 'bad request', details, service: 'exchange' }, 400)

export const notFound = (): Answer =>
  json({ error: { code: 'not_found', message: 'not found', service: 'exchange' } }, 404)
