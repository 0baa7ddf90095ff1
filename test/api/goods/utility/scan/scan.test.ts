import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AREAS } from '../../../../../api/goods/utility/scan/failure.ts'
import { FAILURES } from '../../../../../api/goods/utility/scan/failures.ts'
import { Scan } from '../../../../../api/goods/utility/scan/result.ts'
import { scan } from '../../../../../api/goods/utility/scan/scan.ts'
import { scanLog } from '../../../../../api/goods/utility/scan/scanLog.ts'

const classOf = (sample: string): string => scanLog(sample).failureClass
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

describe('4.1 rule 11: the class of failure in a log sample', () => {
  test.each([
    ['connection_refused', 'Error: connect ECONNREFUSED 10.0.0.7:5432'],
    ['connection_lost', 'read ECONNRESET at TLSWrap.onStreamRead'],
    ['timeout', 'urllib3: HTTPSConnectionPool: Read timed out. (read timeout=10)'],
    ['timeout', 'rpc error: code = DeadlineExceeded desc = context deadline exceeded'],
    ['timeout', 'read tcp 10.0.0.1:40312->10.0.0.7:443: i/o timeout'], //  Go
    ['timeout', 'GET https://x/ net::ERR_CONNECTION_TIMED_OUT'],
    ['connection_lost', '(psycopg2.OperationalError) server closed the connection unexpectedly'],
    ['dns', 'getaddrinfo ENOTFOUND api.exmaple.org'],
    ['tls', 'net::ERR_CERT_DATE_INVALID'],
    ['tls', 'Error: certificate has expired'],
    ['tls', 'x509: certificate signed by unknown authority'],
    ['unreachable', 'connect EHOSTUNREACH 10.1.2.3:80'],
    ['rate_limit', 'openai.RateLimitError: 429 Too Many Requests'],
    ['rate_limit', 'Request failed with status code 429'],
    ['auth', 'HTTP/1.1 401 Unauthorized'],
    ['auth', 'FATAL: password authentication failed for user "svc"'],
    ['permission', "EACCES: permission denied, open '/etc/x'"],
    ['permission', '10.0.0.1 - - [21/Nov/2026] "GET /a HTTP/1.1" 403 12'],
    ['out_of_memory', 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'],
    ['out_of_memory', 'Container killed: OOMKilled (exit code 137)'],
    ['out_of_memory', "ReplyError: OOM command not allowed when used memory > 'maxmemory'."],
    ['out_of_memory', 'PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted'],
    ['disk_full', 'write: No space left on device'],
    ['too_many_files', 'accept: EMFILE'],
    ['port_in_use', 'listen EADDRINUSE: address already in use :::3000'],
    ['db_lock', 'ERROR: deadlock detected'],
    ['db_lock', 'sqlite3.OperationalError: database is locked'],
    ['db_connection', 'FATAL: sorry, too many clients already'],
    ['db_statement', 'ERROR:  column "foo" does not exist at character 8'],
    ['db_statement', 'psycopg2.errors.UndefinedTable: relation "users" does not exist'],
    ['tls', 'curl: (60) SSL certificate problem: unable to get local issuer certificate'],
    ['auth', 'botocore.exceptions.NoCredentialsError: Unable to locate credentials'],
    ['code_error', 'System.NullReferenceException: Object reference not set to an instance of an object.'],
    ['code_error', 'PHP Fatal error:  Uncaught Error: Call to undefined function foo()'],
    ['db_constraint', 'ERROR: duplicate key value violates unique constraint "a"'],
    ['db_constraint', "ERROR 1062 (23000): Duplicate entry 'a' for key 'users.email'"],
    ['db_constraint', 'SQLSTATE[23000]: Integrity constraint violation: 1048'],
    ['db_constraint', 'ERROR:  value too long for type character varying(10)'],
    ['db_statement', 'ERROR:  invalid input syntax for type integer: "x"'],
    ['payment_insufficient_funds', '{"isValid":false,"invalidReason":"insufficient_funds"}'],
    ['payment_insufficient_funds', 'reverted: ERC20: transfer amount exceeds balance'],
    ['payment_invalid_signature', '"invalidReason":"invalid_exact_evm_signature"'],
    ['payment_nonce_used', '"errorReason":"invalid_exact_evm_nonce_already_used"'],
    ['payment_nonce_used', 'FiatTokenV2: authorization is used or canceled'],
    ['payment_window', 'invalid_exact_evm_payload_authorization_valid_before'],
    ['payment_terms', 'invalid_exact_evm_recipient_mismatch'],
    ['payment_settlement', 'invalid_exact_evm_transaction_simulation_failed'],
    ['payment_required', 'GET /x402/v1/ping -> HTTP/1.1 402'],
    ['payment_settlement', 'FacilitatorTimeoutError: Facilitator settle timed out'], //  its outcome is not known
    ['payment_blocked', 'reverted: Blacklistable: account is blacklisted'],
    ['unknown', '{"ok":false,"error":"channel_not_found"}'], //  of a chat, not of a payment channel
    ['missing_module', "ModuleNotFoundError: No module named 'x'"],
    ['code_error', "TypeError: Cannot read properties of undefined (reading 'a')"],
    ['bad_data', 'SyntaxError: Unexpected token < in JSON at position 0'],
    ['bad_data', "invalid character '<' looking for beginning of value"], //  Go
    ['crash', 'Segmentation fault (core dumped)'],
    ['crash', 'double free or corruption (fasttop)'],
    ['crash', "terminate called after throwing an instance of 'std::runtime_error'"],
    ['crash', 'Runtime exited with error: signal: killed'],
    ['stack_overflow', 'RangeError: Maximum call stack size exceeded'],
    ['not_found', '"GET /b HTTP/1.1" 404 9'],
    ['upstream', '502 Bad Gateway'],
    ['server_error', 'HTTP/1.1 500'],
    ['server_error', 'status=599'], // a status no row names
    ['bad_request', 'status: 418'],
    ['unschedulable', 'Warning  FailedScheduling  0/3 nodes are available: 3 Insufficient cpu.'],
    ['cors', "Access to fetch at 'https://x' from origin 'https://y' has been blocked by CORS policy"],
    ['unhealthy', 'Readiness probe failed: HTTP probe failed'],
    ['connection_refused', 'Liveness probe failed: dial tcp 10.0.0.7:80: connect: connection refused'],
    ['dependency_conflict', 'npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree'],
    ['dependency_conflict', 'ERROR: No matching distribution found for torch==9.9'],
    ['version_control', ' ! [rejected] main -> main (non-fast-forward)'],
    ['version_control', 'CONFLICT (content): Merge conflict in a.ts'],
    ['build', "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'."],
    ['build', 'error[E0382]: borrow of moved value: `a`'],
    ['build', "main.c:7:3: error: expected ';' before 'return'"],
    ['build', 'make[2]: *** [Makefile:12: all] Error 2'],
    ['build', 'Main.java:4: error: cannot find symbol'],
    ['build', 'BUILD FAILED in 3s'],
    ['tests_failed', '===== 1 failed, 12 passed in 0.31s ====='],
    ['tests_failed', ' Tests  2 failed | 5 passed (7)'],
    ['tests_failed', 'test result: FAILED. 3 passed; 1 failed; 0 ignored'],
    ['tests_failed', '--- FAIL: TestSum (0.00s)'],
    ['tests_failed', '  2 failing'],
    ['tests_failed', 'Tests run: 12, Failures: 2, Errors: 0, Skipped: 0'],
    ['tests_failed', 'Tests run: 12, Failures: 0, Errors: 1, Skipped: 0'],
    ['tests_failed', '12 examples, 1 failure'],
    ['tests_failed', '==== 1 failed in 0.03s ===='],
    ['tests_failed', '==== 1 failed, 1 warning in 0.03s ===='],
    ['tests_failed', '      Tests  1 failed (1)'],
    ['tests_failed', ' 1 FAILED TEST'],
    ['tests_failed', 'Ran 12 tests in 0.003s\n\nFAILED (failures=1)'],
    ['tests_failed', 'Failed!  - Failed:     1, Passed:    11, Skipped:     0, Total:    12'],
    ['tests_failed', 'FAILURES!\nTests: 12, Assertions: 34, Failures: 1.'],
    ['tests_failed', '    Executed 12 tests, with 1 failure (0 unexpected) in 0.02 seconds'],
    ['tests_failed', '# pass 11\n# fail 1'],
    ['build', './main.go:5:2: undefined: x'],
    ['build', './main.go:3:8: "os" imported and not used'],
    ['crash', 'x.service: Main process exited, code=killed, status=9/KILL'],
    ['crash', 'x.service: Main process exited, code=dumped, status=11/SEGV'],
    ['process_exit', 'npm error code 1\nnpm error path /x'],
    ['process_exit', 'ab12  web  Exited (1) 3 minutes ago'],
    ['process_exit', 'npm ERR! code ELIFECYCLE'],
    ['process_exit', 'exit status 1'],
    ['process_exit', 'Error: Process completed with exit code 1.'],
    ['process_exit', 'web-1 exited with code 2'],
    ['process_exit', 'systemd[1]: x.service: Main process exited, code=exited, status=1/FAILURE'],
    ['out_of_memory', 'web-1 exited with code 137'],
    ['unschedulable', '0/3 nodes are available: 3 Insufficient memory.'],
    ['unschedulable', 'pods "web" is forbidden: exceeded quota: small, requested: cpu=2'],
    ['rate_limit', 'HTTP/1.1 429: the project has exceeded quota for reads'],
    ['out_of_memory', '# There is insufficient memory for the Java Runtime Environment to continue.'],
    ['dependency_conflict', 'npm error Could not resolve dependency:'],
    ['dependency_conflict', 'npm ERR! code EBADENGINE'],
    ['unknown', 'the frobnicator failed'],
    ['unknown', '{"isValid":false,"invalidReason":"a_reason_of_tomorrow"}'],
    ['unknown', '"errorReason": "a_reason_of_tomorrow"'],
    ['unknown', 'body={\\"success\\":false}'],
    ['none', '{"isValid":true,"invalidReason":null,"success":true,"errorReason":""}'],
    ['none', '{"isValid":true,"invalidReason":"null"} {\\"success\\":true,\\"errorReason\\":\\"none\\"}'],
    ['unknown', '{"errorReason":"none_of_these"}'],
    ['none', 'server listening'],
    ['none', ''],
  ])('%s: %s', (failureClass, sample) => {
    expect(classOf(sample)).toBe(failureClass)
  })

  test.each([
    'INFO connect timeout=30000, rate limit 100',
    '{"level":30,"msg":"retry-after header respected"}',
    'room 404 is booked', //                 a number is no status
    'port 5000, 500 rows, v4.29',
    'the zoom of the broom', //              no words inside words
    'HTTP/1.1 200 OK',
    'PASS src/errors.test.ts (5.2 s)',
    'Starting error-handler middleware',
    'GET /errors 200 3 ms',
    'wrote error.log, failure.json, crash.d.ts',
    'mounted exception/handlers',
    'web-1 exited with code 0',
    'exit status 0',
    'Tests run: 12, Failures: 0, Errors: 0, Skipped: 0',
    '12 examples, 0 failures',
    'Failed tests: 0',
    'evicted_keys:7',
    'added CORS header for https://y',
    'x.service: Main process exited, code=exited, status=0/SUCCESS',
    'x.service: Main process exited, code=killed, status=15/TERM',
    'ab12  web  Exited (0) 3 minutes ago',
    '# pass 12\n# fail 0',
    'Executed 12 tests, with 0 failures (0 unexpected) in 0.02 seconds',
    'OK (12 tests, 34 assertions)',
    'npm warn EBADENGINE Unsupported engine {\nadded 5 packages in 2s',
    ' WARN  Unsupported engine: wanted: {"node":">=20"}\nDone in 2s',
    'npm WARN ERESOLVE overriding peer dependency\nnpm WARN Could not resolve dependency:\nadded 5 packages',
    'npm warn Conflicting peer dependency: react@18.0.0\nadded 5 packages',
    '100% tests passed, 0 tests failed out of 12',
    'Passed!  - Failed:     0, Passed:    12, Skipped:     0, Total:    12',
  ])('no failure: %s', (sample) => {
    expect(classOf(sample)).toBe('none')
  })

  test.each(['error - x', 'error.message=x', 'error: x.ts', 'errors.', 'failed/', 'x.error'])(
    'a failure of no known kind, not a name: %s',
    (sample) => {
      expect(classOf(sample)).toBe('unknown')
    },
  )

  test('a quiet line that tells of an error still counts', () => {
    expect(classOf('INFO request failed: ETIMEDOUT')).toBe('timeout')
  })
})

describe('precedence: the cause before what it causes', () => {
  test.each([
    ['HTTP/1.1 500 Internal Server Error\nError: connect ECONNREFUSED db:5432', 'connection_refused', 2],
    ['ERROR: could not extend file: No space left on device\nERROR: deadlock detected', 'disk_full', 1],
    ['TypeError: fetch failed\n  cause: getaddrinfo ENOTFOUND x', 'dns', 2],
    ['Payment Required\n"error":"insufficient_funds"', 'payment_insufficient_funds', 2],
    ['Back-off restarting failed container\nError: Cannot find module "x"', 'missing_module', 2],
    ['Startup probe failed: HTTP probe failed\nTypeError: x is not a function', 'code_error', 2],
    ['1 failed, 3 passed in 0.2s\nmake: *** [Makefile:5: test] Error 1', 'tests_failed', 1],
    [
      "Execution failed for task ':test'.\n> There were failing tests.\nBUILD FAILED in 3s",
      'tests_failed',
      2,
    ],
    ['[ERROR] Tests run: 3, Failures: 1, Errors: 0\n[INFO] BUILD FAILURE', 'tests_failed', 1],
  ])('%s', (sample, failureClass, line) => {
    const result = scanLog(sample)
    expect([result.failureClass, result.line]).toEqual([failureClass, line])
    expect(result.alsoSeen.length).toBeGreaterThan(0)
  })

  test('the order of the lines changes nothing but the line', () => {
    const lines = ['ENOSPC', 'ETIMEDOUT', 'HTTP/1.1 500', 'TypeError: x']
    fc.assert(
      fc.property(fc.shuffledSubarray(lines, { minLength: 4 }), (shuffled) => {
        const { failureClass, line, alsoSeen } = scanLog(shuffled.join('\n'))
        expect(failureClass).toBe('disk_full')
        expect(line).toBe(shuffled.indexOf('ENOSPC') + 1)
        expect(alsoSeen.map((one) => one.failureClass)).toEqual(['timeout', 'code_error', 'server_error'])
      }),
    )
  })

  test('an area asked for goes first, when the sample shows it', () => {
    const sample = 'ENOSPC\nHTTP/1.1 401 Unauthorized'
    expect(scanLog(sample).failureClass).toBe('disk_full')
    expect(scanLog(sample, 'access').failureClass).toBe('auth')
    expect(scanLog(sample, 'payment').failureClass).toBe('disk_full')
  })
})

describe('the table of failures', () => {
  test('what is printed with a number is looked for everywhere, in lower case', () => {
    const shown = FAILURES.flatMap(({ shows }) => shows ?? [])
    expect(shown.length).toBeGreaterThan(0)
    for (const { flags, source } of shown) expect([flags, source]).toEqual(['g', source.toLowerCase()])
  })

  test('names and statuses are said once; every area is used', () => {
    const statuses = FAILURES.flatMap((failure) => failure.statuses ?? [])
    expect(new Set(FAILURES.map(({ name }) => name)).size).toBe(FAILURES.length)
    expect(new Set(statuses).size).toBe(statuses.length)
    expect(new Set(FAILURES.map(({ area }) => area))).toEqual(new Set(AREAS))
  })

  test.each(FAILURES)('$name: each of its words and codes is seen', (failure) => {
    const { name, says, statuses = [], sqlStates = [] } = failure
    const samples = [
      ...says.map((words) => `ERROR [${words}]`),
      ...statuses.map((status) => `HTTP/1.1 ${status}`),
      ...sqlStates.map((state) => `SQLSTATE ${state}`),
    ]
    for (const sample of samples) {
      const { failureClass, alsoSeen } = scanLog(sample)
      expect([failureClass, ...alsoSeen.map((one) => one.failureClass)], sample).toContain(name)
    }
  })
})

describe('lines and sensitive strings', () => {
  test('lines end with LF, CRLF or CR; colours of a terminal do not hide a word', () => {
    const { failureClass, line, lines } = scanLog('a\r\nb\rc\n\u001b[31mECONNREFUSED\u001b[0m')
    expect([failureClass, line, lines]).toEqual(['connection_refused', 4, 4])
  })

  test('counts by kind with the first line of each', () => {
    const { sensitive } = scanLog('start\nuser ann@example.com\npassword=hunter22 ann@example.com')
    expect(sensitive).toMatchObject({ total: 3, firstLine: { email: 2, assignedSecret: 3 } })
    expect(sensitive.counts).toMatchObject({ email: 2, assignedSecret: 1, card: 0 })
  })
})

test('the class stands on the first line that shows it; twelve others are listed, the first of the order', () => {
  expect(scanLog('ok\netimedout\nok\netimedout').line).toBe(2)
  const all = scanLog(FAILURES.map(({ says }) => says[0] ?? '').join('\n'))
  const order = FAILURES.map(({ name }) => name)
  const listed = all.alsoSeen.map(({ failureClass }) => order.indexOf(failureClass))
  expect(listed).toHaveLength(12)
  expect(listed).toEqual(listed.toSorted((a, b) => a - b))
})

test.each(['xetimedout', 'etimedoutx'])('%s: a part of a word is no failure', (text) => {
  expect(scanLog(text).failureClass).toBe('none')
})

describe('properties', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 16 }),
    fc.constantFrom(
      'ECONNREFUSED',
      ' 500 ',
      'HTTP/1.1 ',
      '\r\n',
      '\u001b[3',
      'İ',
      '{jndi:ldap://x}',
      '%s%n',
      '\u2028',
      'error',
    ),
  )
  const anySample = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

  test('INP-11: any sample is answered in the published shape, its lines inside the sample', () => {
    fc.assert(
      fc.property(anySample, (sample) => {
        const result = Scan.strict().parse(scanLog(sample))
        const seen = [
          result.line ?? 1,
          ...result.alsoSeen.map(({ line }) => line),
          ...Object.values(result.sensitive.firstLine),
        ]
        for (const line of seen) expect(line).toBeLessThanOrEqual(Math.max(1, result.lines))
      }),
    )
  })

  test('INP-10: no word of the sample is in the answer', () => {
    const word = fc.string({ unit: fc.constantFrom(...'bdfhjkqvwxz'), minLength: 6, maxLength: 12 })
    fc.assert(
      fc.property(word, (secret) => {
        const answer = JSON.stringify(
          scanLog(`ERROR ${secret} ECONNREFUSED ${secret}@${secret}.com token=${secret}99`),
        )
        expect(answer).not.toContain(secret)
      }),
    )
  })
})

describe('the sample comes as raw or in the header X-Service-Payload', () => {
  const at = (input: unknown): string | null => {
    const parsed = scan.input.safeParse(input)
    return parsed.success
      ? null
      : `${parsed.error.issues[0]?.path.join('.')}: ${parsed.error.issues[0]?.message}`
  }
  const fits = 'a'.repeat(64 * 1024)

  test.each([
    [{ raw: 'x' }, { raw: 'x' }],
    [{ raw: fits }, { raw: fits }],
    [{ payload: base64({ raw: 'x' }) }, { raw: 'x' }],
    [{ payload: Buffer.from('\ufeff{"raw":"x"}').toString('base64') }, { raw: 'x' }], // as PowerShell writes it
    [{ payload: base64({ raw: 'x', area: 'code', more: 1 }) }, { raw: 'x', area: 'code' }],
    [{ payload: base64({ raw: fits }) }, { raw: fits }],
    [{ payload: base64({ raw: '€'.repeat(21_845) }) }, { raw: '€'.repeat(21_845) }], // 65,535 bytes
  ])('accepted: case %#', (input, parsed) => {
    expect(scan.input.parse(input)).toEqual(parsed)
  })

  test.each([
    [{}, 'raw: is needed: a log sample'],
    [{ raw: '' }, 'raw: is empty'],
    [{ raw: ' \n' }, 'raw: is empty'],
    [{ raw: `${fits}a` }, 'raw: longer than 65536 bytes'],
    [{ raw: '€'.repeat(21_846) }, 'raw: longer than 65536 bytes'],
    [
      { raw: 'x', payload: base64({ raw: 'x' }) },
      'raw: is given twice: in the query and in X-Service-Payload',
    ],
    [{ payload: '' }, 'X-Service-Payload: is not base64 of a JSON object'],
    [{ payload: '***' }, 'X-Service-Payload: is not base64 of a JSON object'],
    [{ payload: `*${base64({ raw: 'x' })}` }, 'X-Service-Payload: is not base64 of a JSON object'],
    [{ payload: base64('x') }, 'X-Service-Payload: is not base64 of a JSON object'],
    [{ payload: base64(null) }, 'X-Service-Payload: is not base64 of a JSON object'],
    [{ payload: base64([]) }, 'X-Service-Payload: is not base64 of a JSON object'],
    [
      { payload: Buffer.from('{"raw":"\xff"}', 'latin1').toString('base64') },
      'X-Service-Payload: is not base64 of a JSON object',
    ],
    [
      { payload: Buffer.from('{"raw":"x","raw":"y"}').toString('base64') },
      'X-Service-Payload: is not base64 of a JSON object',
    ],
    [{ payload: base64(base64({ raw: 'x' })) }, 'X-Service-Payload: is not base64 of a JSON object'],
    [{ payload: base64({ raw: 7 }) }, 'X-Service-Payload: the field raw is missing or invalid'],
    [{ payload: base64({ raw: `${fits}a` }) }, 'X-Service-Payload: the field raw is missing or invalid'],
    [
      { payload: base64({ raw: 'x', area: 'weather' }) },
      'X-Service-Payload: the field area is missing or invalid',
    ],
    [{ payload: base64({}) }, 'X-Service-Payload: the field raw is missing or invalid'],
    [{ payload: 'A'.repeat(3 * 1024 * 1024) }, 'X-Service-Payload: longer than 175104 characters'],
    [
      { payload: Buffer.from('['.repeat(100_000)).toString('base64') },
      'X-Service-Payload: is not base64 of a JSON object',
    ],
  ])('INP-09 refused: case %#', (input, message) => {
    expect(at(input)).toBe(message)
  })

  test('the good answers in the published shape, and stores nothing', async () => {
    const draft = await scan.answer({ raw: 'ETIMEDOUT' }, {} as never)
    const { scan: result } = (draft as unknown as { result: { scan: unknown } }).result
    expect(Scan.strict().parse(result)).toMatchObject({
      failureClass: 'timeout',
      retryable: true,
      storedAsReport: false,
    })
    expect(scan.description.length).toBeLessThan(500)
    expect([scan.listPriceMicroUsdc, scan.priceMicroUsdc]).toEqual([490_000n, 490_000n])
    expect(scan.input.parse({ payload: scan.payload!.example })).toEqual({ raw: scan.parameters[0]!.example })
  })
})
