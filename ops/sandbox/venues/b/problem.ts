import { type Answer, json } from '../http/answer.ts'

/** Errors of venue B, as recorded: bare for bad requests, wrapped for missing things. */
export const badRequest = (details: string): Answer =>
  json({ code: 'bad_request', message: 'bad request', details, service: 'exchange' }, 400)

export const notFound = (): Answer =>
  json({ error: { code: 'not_found', message: 'not found', service: 'exchange' } }, 404)
