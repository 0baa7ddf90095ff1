/** How programs say that nothing failed, in lower case. A number beside a thing is not a count: `worker 0 failed`. */
const ZERO_COUNTS = [
  //  no errors, without any failures, no failed tests; `no error handler` tells of something else
  /\b(?:no|without|zero)(?: any| known| new| fatal| critical)? (?:(?:errors|failures|warnings|exceptions|crashes|failed)\b|(?:error|failure|warning|exception)\b(?! ?\w)|(?:error|failure|exception) (?=(?:found|detected|reported|occurred|was|were|in|at|on)\b))/g,
  //  0 errors, 0 type errors, 0 Error(s)
  /(?<![\w.,])0 (?:(?:fatal|compile|compilation|type|lint|build|test|syntax) )?(?:(?:errors|failures|warnings|exceptions|crashes)\b|(?:error|failure|warning)\(s\))/g,
  //  0 failed, 0 tests failed, where the number begins a line or an entry of a list
  /(?:^[ \t]{0,16}|[:,;|\]*-] {1,8}|[([]|\b(?:and|passed|succeeded|ok|skipped|info|debug) {1,4})0 (?:(?:tests?|specs?|examples?|assertions?) )?(?:failed|error|failure|fatal|critical|aborted|crashed)\b/gm,
  //  errors: 0, failed=0, failed tests: 0, error count: 0, error rate: 0.00%
  /\b(?:errors|failures|warnings|exceptions|failed(?: [a-z]{1,16}s)?|aborted|crashed|(?:error|failure|warning)(?:\(s\)|[ _-](?:count|total|rate)))["']?[ \t]{0,4}[:=][ \t]{0,8}["']?0(?:\.0{1,4})?%?(?![\w%]|\.[0-9])/g,
  //  "error":null, error=<nil>, "errors":[]; `error: null` may be a message that is empty
  /\b(?:errors?|failures?|exceptions?|failed|fatal|panic|aborted|crashed)(?:\\?["'] ?: ?|=)(?:(?:0|null|nil|none|false)\b(?![.-])|<nil>|\[\]|\{\}|""|'')/g,
] as const

/**
 * The text with blanks in place of what says that nothing failed, so that offsets are unchanged. @param text in lower
 * case
 */
export const withoutZeroCounts = (text: string): string =>
  ZERO_COUNTS.reduce((left, said) => left.replace(said, (match) => ' '.repeat(match.length)), text)
