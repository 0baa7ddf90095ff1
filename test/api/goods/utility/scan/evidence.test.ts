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
    ['server_error', 'error 500 occurs at night'], //           any plural counts only after `returned` and `response`
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

describe('4.1 rule 11: a request that is logged as information has failed all the same', () => {
  test.each([
    ['server_error', 'time=12:00 level=info msg="request completed" method=GET path=/a status=500'],
    ['server_error', '{"level":30,"res":{"statusCode":500},"msg":"request completed"}'],
    ['upstream', 'heroku[router]: at=info method=GET path="/" dyno=web.1 status=503 bytes=0'],
    ['not_found', 'info: GET /api/x 404 12.3 ms'],
  ])('%s: %s', (failureClass, sample) => {
    expect(classOf(sample)).toBe(failureClass)
  })

  test.each([
    'INFO will retry on status 503',
    'INFO settings retry_status=503, connect timeout=30000',
    'level=info msg=done status=200 bytes=500',
    'info: GET /api/x 200 404 ms',
    'INFO requests by status: 404=0 500=0',
    'INFO http status=404 count=0',
  ])('none: %s', (sample) => {
    expect(classOf(sample)).toBe('none')
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

describe('4.1 rule 11: a status as clients of HTTP tell it', () => {
  test.each([
    ['upstream', 'curl: (22) The requested URL returned error: 503'],
    ['auth', "fatal: unable to access 'https://a.example/': The requested URL returned error: 401"],
    ['not_found', 'requests.exceptions.HTTPError: 410 Client Error: Gone for url: https://a.example/'],
    ['timeout', 'failed: 524 Server Error: <none> for url: https://a.example/'],
    ['not_found', "httpx.HTTPStatusError: Client error '410 Gone' for url 'https://a.example/'"],
    ['rate_limit', 'RateLimitError: 429 You exceeded your current quota'],
    ['bad_request', 'Error: 400 {"detail":"x"}'],
    ['not_found', "aiohttp.client_exceptions.ClientResponseError: 410, message='Gone'"],
    ['not_found', 'HttpClientErrorException: 410 Gone: [no body]'],
    ['not_found', 'Response status code does not indicate success: 410 (Gone).'],
    ['not_found', 'Client error: `GET http://a/` resulted in a `410 Gone` response'],
    ['auth', 'An error occurred (401) when calling the HeadObject operation'],
    ['not_found', 'npm error code E404'],
    ['permission', '451 Unavailable For Legal Reasons'],
    ['connection_lost', 'ConnectionAbortedError: [Errno 103] Software caused connection abort'],
    ['conflict', "FileExistsError: [Errno 17] File exists: '/tmp/a'"],
    ['unreachable', 'dial tcp 10.0.0.1:80: connect: network is down'],
  ])('%s: %s', (name, sample) => {
    expect(classOf(sample)).toBe(name)
  })

  test.each([
    ['configuration', 'KeyError: 404'], //           a key, a value, a comparison: no status
    ['code_error', 'ValueError: 429 is not a valid choice'],
    ['code_error', 'AssertionError: 401 != 200'],
    ['unknown', 'error: 404 files differ'],
    ['unknown', 'failed: 450 ms over budget'],
  ])('%s: %s', (name, sample) => {
    expect(classesIn(sample)).toEqual([name])
  })
})

describe('4.1 rule 11: what errno says, by itself', () => {
  test.each([
    ['missing_module', 'exec /app: exec format error'],
    ['not_found', 'cat: /tmp: Is a directory'],
    ['not_found', 'open /etc/hosts/x: not a directory'],
    ['not_found', 'EISDIR: illegal operation on a directory, read'],
    ['conflict', "rmdir: failed to remove 'x': Directory not empty"],
    ['conflict', 'umount: /mnt: device or resource busy'],
    ['conflict', 'cp: cannot create regular file: Text file busy'],
    ['conflict', 'EBUSY: resource busy or locked, unlink'],
    ['port_in_use', 'bind: Cannot assign requested address'],
    ['port_in_use', 'listen EADDRNOTAVAIL: address not available 10.0.0.1:80'],
    ['disk_error', 'ls: cannot open directory: Stale file handle'],
    ['out_of_memory', 'bash: fork: retry: Resource temporarily unavailable'],
    ['out_of_memory', 'Error: spawn EAGAIN'],
    ['none', 'what you see is a directory of names'],
    ['none', 'INFO: /tmp: is a directory'],
  ])('%s: %s', (failureClass, sample) => {
    expect(classOf(sample)).toBe(failureClass)
  })

  test.each([
    ['not_found', 'unexpected status from HEAD request to https://r.io/v2/a/manifests/b: 410'],
    ['not_found', 'Completed 410 Gone in 5ms'],
    ['not_found', 'Completed 404 in 3ms (ActiveRecord: 1ms)'],
    ['server_error', 'Completed 500 Internal Server Error in 12ms (Views: 1ms)'],
    ['rate_limit', 'Completed 429 Too Many Requests in 2ms'],
    ['none', 'Completed 410 tasks in 5ms'],
    ['none', 'Completed 500 requests in 12ms'],
    ['none', 'Completed 410 of 500'],
    ['none', 'Completed 200 OK in 3ms'],
  ])('a status, %s: %s', (failureClass, sample) => {
    expect(classOf(sample)).toBe(failureClass)
  })
})
