import { type Failure, phrases } from './failure.ts'

/** Failures as the caller meets them: limits, time, rights, code, requests. */
export const SYMPTOMS: readonly Failure[] = [
  {
    name: 'rate_limit',
    area: 'request',
    retryable: true,
    next: 'Wait as Retry-After says, then back off with jitter; lower the rate of calls.',
    says: phrases(`
      too many requests | rate limit | rate-limit | ratelimit | rate_limit | rate limited | throttled
      throttlingexception | throttling | quota exceeded | quota_exceeded | resource_exhausted | slowdown
      request limit exceeded | retry-after | insufficient_quota`),
    statuses: [429],
  },
  {
    name: 'cors',
    area: 'access',
    retryable: false,
    next: 'Let the server answer the preflight with Access-Control-Allow-Origin for this origin, or call it from a server.',
    says: phrases(`
      blocked by cors policy | cross-origin request blocked | cors error | cors request did not succeed
      cors preflight channel did not succeed | cors preflight response did not succeed
      cors header ‘access-control-allow-origin’ | no 'access-control-allow-origin' header
      not allowed by access-control-allow-origin | not allowed by access-control-allow-headers`),
  },
  {
    name: 'timeout',
    area: 'network',
    retryable: true,
    next: 'Find which side is slow; retry with backoff only what may safely run twice.',
    says: phrases(`
      timed out | etimedout | esockettimedout | timeouterror | timeoutexception | sockettimeoutexception
      timeout exceeded | request timeout | read timeout | connect timeout | connection timeout
      und_err_connect_timeout | und_err_headers_timeout | deadline exceeded | deadline_exceeded
      timeout of | timeout after | gateway timeout | gateway time-out | aborterror | context deadline
      i/o timeout | err_timed_out | err_connection_timed_out | statement timeout | wait timeout | timeout waiting | timeout expired | error: timeout | timeout error
      failed: timeout`),
    statuses: [408, 504, 522, 524],
  },
  {
    name: 'connection_lost',
    area: 'network',
    retryable: true,
    next: 'Retry what may safely run twice; check the idle limits of proxies between the two.',
    says: phrases(`
      econnreset | connection reset | socket hang up | epipe | broken pipe | econnaborted
      connection closed | connection aborted | unexpected eof | und_err_socket | other side closed
      premature close | remote end closed | connectionreseterror | err_stream_premature_close
      server closed the connection | fetch failed | network error | err_network | software caused connection abort | connectionabortederror
      brokenpipeerror`),
  },
  {
    name: 'auth',
    area: 'access',
    retryable: false,
    next: 'Renew or correct the credentials and repeat the request.',
    says: phrases(`
      unauthorized | unauthenticated | invalid api key | invalid_api_key | incorrect api key
      invalid token | invalid_token | token expired | jwt expired | tokenexpirederror | jsonwebtokenerror
      expiredtoken | invalid_grant | authentication failed | password authentication failed
      authentication required | login failed | bad credentials | invalid credentials
      noauth authentication | wrongpass | signaturedoesnotmatch | invalidaccesskeyid
      unable to locate credentials | nocredentialserror | could not load credentials | invalid username or password
      permission denied (publickey) | access denied for user | 28p01 | invalid_siwx`),
    statuses: [401, 407, 511],
  },
  {
    name: 'permission',
    area: 'access',
    retryable: false,
    next: 'Grant the missing right, or use an identity that has it.',
    says: phrases(`
      forbidden | permission denied | eacces | eperm | access denied | accessdenied
      accessdeniedexception | operation not permitted | not authorized | insufficient permissions
      insufficient_scope | permissionerror | unauthorizedoperation | csrf | unavailable for legal reasons`),
    statuses: [403, 451],
  },
  {
    name: 'stack_overflow',
    area: 'code',
    retryable: false,
    next: 'Find the call that repeats in the trace and give it an end.',
    says: phrases(`
      maximum call stack size exceeded | stackoverflowerror | stack overflow
      maximum recursion depth exceeded | recursionerror`),
  },
  {
    name: 'crash',
    area: 'code',
    retryable: false,
    next: 'Keep the core dump and the last lines before it; look for native code and signals.',
    says: phrases(`
      segmentation fault | sigsegv | sigabrt | sigbus | sigkill | core dumped | panic: | panicked at
      fatal signal | illegal instruction | exit code 139 | exit code 134 | goroutine 1 [running]
      double free or corruption | stack smashing detected | terminate called after throwing | signal: killed
      crashloopbackoff | nil pointer dereference | invalid memory address`),
    //  SIGTERM and SIGINT, 15 and 2, are how a service is told to stop
    shows: [/\bmain process exited, code=(?:dumped|killed, status=(?:[346789]|11)\/)/g],
  },
  {
    name: 'missing_module',
    area: 'code',
    retryable: false,
    next: 'Install the dependency or correct the import, then build again.',
    says: phrases(`
      cannot find module | module_not_found | err_module_not_found | modulenotfounderror | no module named
      importerror | noclassdeffounderror | classnotfoundexception | cannot find package
      executable file not found | is not recognized as an internal or external command
      unresolved import | cannot open shared object file | package not found | command not found
      exec format error | enoexec`),
  },
  {
    name: 'bad_data',
    area: 'code',
    retryable: false,
    next: 'Look at the bytes that came in: often an error page or a cut message where JSON was expected.',
    says: phrases(`
      jsondecodeerror | unexpected token | unexpected end of json | json parse error | json.parse
      invalid json | malformed json | unicodedecodeerror | zoderror | validationerror | validation error
      schema validation | invalid_type | parse error | looking for beginning of value | unmarshal | deserialization | not valid json`),
    statuses: [422],
  },
  {
    name: 'configuration',
    area: 'code',
    retryable: false,
    next: 'Set what is missing or wrong in the configuration, then start again.',
    says: phrases(`
      missing environment variable | environment variable | invalid configuration | configuration error
      config error | missing required | not configured | unknown option | invalid argument | keyerror`),
  },
  {
    name: 'code_error',
    area: 'code',
    retryable: false,
    next: 'Open the first line of the trace that is yours; a value is not what the code takes it for.',
    says: phrases(`
      typeerror | referenceerror | rangeerror | nullpointerexception | attributeerror | nameerror
      valueerror | indexerror | zerodivisionerror | cannot read properties of | cannot read property
      is not a function | is not defined | undefined method | nomethoderror | indexoutofboundsexception
      illegalargumentexception | illegalstateexception | assertionerror | assertion failed | syntaxerror
      indentationerror | unhandledpromiserejection | unhandled rejection | uncaught exception
      unhandled exception | nullreferenceexception | object reference not set | argumentnullexception
      invalidoperationexception | arrayindexoutofboundsexception | classcastexception | numberformatexception
      unboundlocalerror | call to undefined | undefined variable | undefined index`),
  },
  {
    name: 'unhealthy',
    area: 'host',
    retryable: true,
    next: 'Read the log of the program that is probed from its start; give it more time only if it starts in the end.',
    says: phrases(`
      liveness probe failed | readiness probe failed | startup probe failed | health check failed
      healthcheck failed | failed health check | failed health checks | failed its health check | is unhealthy
      failed elb health checks | back-off restarting failed container`),
  },
  {
    name: 'dependency_conflict',
    area: 'code',
    retryable: false,
    next: 'Choose versions that fit each other and the runtime, then renew the lock file.',
    says: phrases(`
      unable to resolve dependency tree | resolutionimpossible | no matching distribution found
      could not find a version that satisfies | conflicting dependencies | version solving failed
      failed to select a version | no matching version found | err_pnpm_outdated_lockfile | etarget
      lock file are not in sync | could not find compatible versions | incompatible with this version of`),
    //  a warning of these goes with installations that succeed
    shows: [
      /(?<!\bwarn {1,2}(?:ebadengine )?)\b(?:eresolve|ebadengine|unsupported engine|could not resolve dependency|conflicting peer dependency)\b/g,
    ],
  },
  {
    name: 'version_control',
    area: 'code',
    retryable: false,
    next: 'Bring the working copy up to date, resolve what conflicts, and push again.',
    says: phrases(`
      automatic merge failed | merge conflict in | failed to push some refs | non-fast-forward
      not a git repository | would be overwritten by merge | would be overwritten by checkout
      refusing to merge unrelated histories | did not match any file(s) known to git`),
  },
  {
    name: 'tests_failed',
    area: 'code',
    retryable: false,
    next: 'Run the first failed test alone; compare what it expects with what it received.',
    says: phrases(`
      there were failing tests | there are test failures | test suite failed to run | test result: failed
      --- fail: | some tests failed`),
    shows: [
      /\bfailed tests:(?! {0,8}0\b)/g,
      /(?<![\w.,:])[1-9][0-9]{0,5} (?:failing\b|(?:tests?|specs?|examples?|assertions?) failed\b|failed tests?\b)/g,
      //  pytest, vitest, jest, cargo: 2 failed, 3 passed · 2 failed | 5 passed (7) · 1 failed in 0.3s
      /(?<![\w.,:])[1-9][0-9]{0,5} failed[,;|]? {0,3}(?:\| {0,3})?[0-9]{1,7} (?:passed|skipped|total|todo|ignored|errors?|warnings?|deselected|xfailed|xpassed)\b/g,
      /(?<![\w.,:])[1-9][0-9]{0,5} failed (?:in [0-9]|\([0-9])/g,
      /\b[0-9]{1,7} passed[,;|]? {0,3}(?:\| {0,3})?[1-9][0-9]{0,5} failed\b/g,
      /\bfailed \((?:failures|errors)=[1-9]/g, // unittest
      /\bfailed: {1,8}[1-9][0-9]{0,5}, {1,2}passed:/g, // dotnet
      /\btests run: [0-9]{1,7}, {1,2}(?:failures: [1-9]|failures: 0, {1,2}errors: [1-9])/g, // Maven
      /\bassertions: [0-9]{1,7}, (?:errors: [0-9]{1,7}, )?failures: [1-9]/g, // PHPUnit
      /\bexecuted [0-9]{1,7} tests?, with [1-9]/g, // XCTest
      /\b[0-9]{1,7} examples?, [1-9][0-9]{0,5} failures?\b/g, // RSpec
      /# fail [1-9]/g, // TAP
    ],
  },
  {
    name: 'build',
    area: 'code',
    retryable: false,
    next: 'Open the file and line of the first message of the compiler; those after it may follow from it.',
    says: phrases(`
      failed to compile | compilation failed | compilation error | compile error | could not compile | build failed
      build failure | undefined reference to | linker command failed | undefined symbols for architecture
      ld returned 1 exit status | cannot find symbol | failed to solve | module build failed | build error occurred
      execution failed for task`),
    shows: [
      /\berror (?:ts[0-9]{4,5}|cs[0-9]{4}|c[0-9]{4}|lnk[0-9]{4}):|\berror\[e[0-9]{4}\]/g,
      /\.(?:c|cc|cpp|cxx|h|hpp|m|go|rs|java|kt|swift|scala|zig):[0-9]{1,7}:(?:[0-9]{1,6}:)? (?:fatal )?error: /g,
      /\.go:[0-9]{1,7}:[0-9]{1,6}: (?:undefined: |declared and not used|"[^"\n]{1,100}" imported and not used|cannot use |syntax error: |missing return)/g,
      /\bmake(?:\[[0-9]{1,3}\])?: \*\*\* /g,
    ],
  },
  {
    name: 'not_found',
    area: 'request',
    retryable: false,
    next: 'Check path and identifier; the thing is not there.',
    says: phrases(`
      enoent | no such file or directory | filenotfounderror | filenotfoundexception | nosuchkey
      not found | record not found | does not exist | no such container | manifest unknown | errimagepull | imagepullbackoff
      : is a directory | : not a directory | eisdir | enotdir`),
    statuses: [404, 410],
  },
  {
    name: 'conflict',
    area: 'request',
    retryable: false,
    next: 'Read the present state again and decide anew; something else changed it first.',
    says: phrases(`
      conflict | version mismatch | already exists | eexist | file exists | fileexistserror | optimistic lock | staleobjectstate
      precondition failed | directory not empty | enotempty | device or resource busy | text file busy | ebusy | etxtbsy`),
    statuses: [409, 412, 423],
  },
  {
    name: 'too_large',
    area: 'request',
    retryable: false,
    next: 'Send less at once: split or compress.',
    says: phrases(`
      payload too large | request entity too large | body too large | content too large | uri too long
      header fields too large | message too long | emsgsize | entity.too.large`),
    statuses: [413, 414, 431],
  },
  {
    name: 'bad_request',
    area: 'request',
    retryable: false,
    next: 'Correct the request as the answer says; repeating it unchanged fails again.',
    says: phrases(`
      bad request | method not allowed | unsupported media type | not acceptable | invalid request
      invalid_request | invalid_request_error | unprocessable`),
    statuses: [400, 405, 406, 411, 415, 417, 426],
  },
  {
    name: 'upstream',
    area: 'network',
    retryable: true,
    next: 'Look at the service behind the proxy; retry with backoff.',
    says: phrases(`
      bad gateway | service unavailable | service_unavailable | upstream connect error
      upstream prematurely closed | no healthy upstream | overloaded | overloaded_error
      temporarily unavailable | no live upstreams | unavailable`),
    statuses: [502, 503, 520, 529],
  },
  {
    name: 'server_error',
    area: 'code',
    retryable: true,
    next: 'Find the same moment in the log of the server that answered.',
    says: phrases(`internal server error | internal_server_error | internal error`),
    statuses: [500, 501],
  },
  {
    name: 'process_exit',
    area: 'code',
    retryable: false,
    next: 'The program ended by itself with that status: what it wrote just before tells why; send those lines too.',
    says: phrases(`
      elifecycle | returned non-zero exit status | non-zero exit code | exited unexpectedly | exited with a non-zero
      command failed with exit code | process completed with exit code 1`),
    shows: [
      /\bmain process exited, code=exited, status=[1-9]/g,
      /\bnpm err(?:or|!) code [1-9][0-9]{0,2}\b/g,
      /\bexited \([1-9][0-9]{0,2}\)/g,
      /\bexit(?:ed)?(?:[ _-]?(?:code|status)|(?: with)?(?: a)?(?: code| status| error code| exit code))["']?(?:[:=] ?| is | of | )[1-9][0-9]{0,2}\b(?![.,][0-9])/g,
    ],
  },
]
