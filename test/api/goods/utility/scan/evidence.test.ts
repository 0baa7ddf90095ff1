import { describe, expect, test } from 'vitest'
import { scanLog } from '../../../../../api/goods/utility/scan/scanLog.ts'

const classOf = (sample: string): string => scanLog(sample).failureClass
const classesIn = (sample: string): string[] => {
  const { failureClass, alsoSeen } = scanLog(sample)
  return [failureClass, ...alsoSeen.map((one) => one.failureClass)]
}

describe('4.1 rule 11: a number is a status where a program says so, and a count where it counts', () => {
  test.each([
    'GET /search 200 OK returned 450 items in 20 ms',
    'upstream response 512 bytes',
    'SELECT returned 500 rows',
    'returned 500 customers', //      any plural
    'returned 450,000 rows',
    'response 450ms',
    'response 450 ms',
    'response 500kb',
    'response 404.5 kB',
    'returned 500_000',
    'error 450 ms after the start of 500 jobs: none',
    'said "hello" 404 times',
    'http 500 requests',
    'GET /a 404 ms',
    'get 500 in cash',
    'forget /a 500 now',
    `GET /${'a'.repeat(201)} 404 1 ms`,
  ])('no status: %s', (sample) => {
    expect(classOf(sample)).not.toMatch(/server_error|bad_request|not_found|upstream/)
  })

  test.each([
    ['server_error', 'upstream returned 500'],
    ['server_error', 'returned 500 status'],
    ['server_error', 'returned 500 as usual'],
    ['server_error', 'returned 500 errors'],
    ['server_error', 'returned 500 in 20 ms'],
    ['server_error', 'Request failed with status code 500.'], // a sentence ends
    ['server_error', 'returned 500, 3 times'],
    ['server_error', 'status=500 bytes=162'], //                 a field of its own
    ['server_error', '{"status":500,"rows":2}'],
    ['server_error', 'error 500 occurs at night'], //           only behind `returned` and `response` any plural counts
    ['permission', 'response 403 access denied'],
    ['auth', 'returned 401 requires a login'],
    ['rate_limit', 'returned 429 too many requests'],
    ['not_found', '10.0.0.1 - - "GET /b HTTP/1.1" 404 9'],
    ['not_found', 'error 404: no page'],
    ['server_error', 'GET /api/x 500 in 32ms'], //          as frameworks print a request
    ['upstream', '\u001b[0mPOST /a?b=c \u001b[31m502\u001b[0m 12.3 ms - 150'],
    ['not_found', `DELETE /${'a'.repeat(200)} 404 1 ms`],
  ])('%s: %s', (failureClass, sample) => {
    expect(classesIn(sample)).toContain(failureClass)
  })
})

describe('4.1 rule 11: 40001 is a lock where it is called a state or a code', () => {
  test.each([
    ['connection_refused', 'Error: connect ECONNREFUSED 10.0.0.5:40001'],
    ['none', 'disk usage 40001 blocks'],
    ['none', 'started pid 40001, listening'],
    ['none', 'errcode: 40001'], //            of another service
    ['none', 'code=400011'],
    ['db_lock', 'SQLSTATE[40001]: Serialization failure'],
    ['db_lock', 'restart transaction (SQLSTATE 40001)'],
    ['db_lock', 'SQL Error: 0, SQLState: 40001'],
    ['db_lock', "  code: '40001',"],
    ['db_lock', '{"code":"40001"}'],
    ['db_statement', "SQLSTATE[42S02]: 1146 Table 'a.b'"],
    ['db_lock', 'code=40001'],
    ['db_lock', 'ERROR 1213 (40001): x'], //  as MySQL writes it
  ])('%s: %s', (failureClass, sample) => {
    expect(classesIn(sample)).toEqual([failureClass])
  })
})
