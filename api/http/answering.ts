import { isProblem, type Problem } from '../errors.ts'
import type { Handler, HttpRequest, Reply } from './exchange.ts'
import { outageReply, problemReply } from './respond.ts'

/** Turns refusals into replies, and an unavailable store or provider into its own refusal. */
export const answering =
  (handler: (request: HttpRequest) => Reply | Problem | Promise<Reply | Problem>): Handler =>
  async (request) => {
    try {
      const answer = await handler(request)
      return isProblem(answer) ? problemReply(answer) : answer
    } catch (error) {
      return outageReply(error)
    }
  }
