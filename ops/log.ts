import { type Logger, pino } from 'pino'

export type Log = Logger

/**
 * JSON lines on standard output; the supervisor makes them readable. What may never be in a log
 * (signatures, tokens, secrets, a buyer's text) is not passed to it; the redaction is the second net.
 */
export function createLog(role: string, level: string): Log {
  return pino({
    level,
    base: { role, pid: process.pid },
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: [
        'signature',
        'token',
        'secret',
        'privateKey',
        'authorization',
        'headers',
        'query',
        '*.signature',
        '*.token',
        '*.secret',
        '*.query',
      ],
      censor: '[redacted]',
    },
  })
}
