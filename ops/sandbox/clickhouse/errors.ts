import { ServiceError } from '../../errors.ts'

/** ClickHouse error numbers that this server raises by itself, with the names clients see. */
export const CODES = {
  BAD_ARGUMENTS: 36,
  NOT_IMPLEMENTED: 48,
  SYNTAX_ERROR: 62,
  UNKNOWN_TYPE_OF_QUERY: 78,
  UNKNOWN_SETTING: 115,
  READONLY: 164,
  REQUIRED_PASSWORD: 194,
  QUOTA_EXCEEDED: 201,
  TOO_MANY_SIMULTANEOUS_QUERIES: 202,
  QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING: 216,
  QUERY_IS_TOO_LARGE: 229,
  ABORTED: 236,
  NOT_ENOUGH_SPACE: 243,
  CANNOT_DECOMPRESS: 271,
  TOO_MANY_BYTES: 307,
  INTO_OUTFILE_NOT_ALLOWED: 358,
  TOO_MANY_ROWS_OR_BYTES: 396,
  BAD_REQUEST_PARAMETER: 408,
  ACCESS_DENIED: 497,
  AUTHENTICATION_FAILED: 516,
  UNKNOWN_EXCEPTION: 1002,
} as const
export type CodeName = keyof typeof CODES

/** What a client is told, in ClickHouse's words: number, name and text. */
export class QueryError extends ServiceError {
  readonly code: string //  of our own metrics: query_<name in lower case>
  readonly number: number
  readonly symbol: string //  UNKNOWN_TABLE
  constructor(number: number, symbol: string, message: string) {
    super(message)
    this.name = 'QueryError'
    this.number = number
    this.symbol = symbol
    this.code = `query_${symbol.toLowerCase()}`
  }
}

export const refuse = (name: CodeName, message: string): QueryError =>
  new QueryError(CODES[name], name, message)

/** As ClickHouse answers over HTTP: the status follows from the error number, 500 when nothing else fits. */
const STATUS_OF_CODES: [status: number, codes: number[]][] = [
  [
    400,
    [
      6, 8, 15, 25, 26, 27, 36, 37, 38, 41, 44, 53, 62, 72, 117, 123, 167, 168, 223, 321, 376, 427, 441, 675,
      676,
    ],
  ],
  [401, [194]],
  [403, [192, 193, 497, 512, 516]],
  [404, [46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 152, 336, 511]],
  [408, [159]],
  [411, [381]],
  [413, [229]],
  [415, [779]],
  [501, [48]],
  [503, [76, 209, 439]],
]
const STATUS = new Map(STATUS_OF_CODES.flatMap(([status, codes]) => codes.map((code) => [code, status])))

export const httpStatus = (code: number): number => STATUS.get(code) ?? 500

/** `Code: 60. DB::Exception: … (UNKNOWN_TABLE) (version 26.7.2.1 (official build))` and a line end. */
export const errorText = (error: QueryError, version: string): string =>
  `Code: ${error.number}. DB::Exception: ${error.message} (${error.symbol}) (version ${version} (official build))\n`

/**
 * The embedded engine's message as the server's: the number once, without the wrappings of an error that
 * passed through two layers, and without the names of the files that bodies and answers pass through.
 * @param folder of those files.
 */
export function parseEngineError(message: string, folder: string): QueryError {
  const number = /^Code: (\d+)\./.exec(message)?.[1]
  if (number === undefined) return refuse('UNKNOWN_EXCEPTION', message)
  const names = [...message.matchAll(/ \(([A-Z][A-Z0-9_]{2,})\)/g)].map((match) => match[1]!)
  const name = names.at(-1) ?? 'UNKNOWN_EXCEPTION'
  const text = message
    .replace(/^(?:Code: \d+\. DB::Exception: )+/, '')
    .replaceAll(` (${name})`, '')
    .replace(/ \(version [^()]*(?:\([^()]*\))?\)\.?/g, '')
    .replace(/: (?:While|while) executing File: data for INSERT was parsed from file/, '')
    .replaceAll(/\(in file\/uri [^)]*\):? ?/g, '')
    .split(folder)
    .join('')
    .trim()
  return new QueryError(Number(number), name, text)
}
