/** Bearer tokens of this service, wherever they stand in a text. */
const TOKEN = /(?<![A-Za-z0-9_-])(feed|pass|permit|credit|unlock)_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g
/** Names under which other services hand out secrets. */
const NAMED =
  /^(.*token|.*secret|claimCode|unlockKey|password|.*apiKey|privateKey|redemption|creditSpendAuth)$/i

const SHOWN_CHARS = 4

/** `pass_ab12…`: enough to tell one from another. */
const cut = (text: string): string => `${text.slice(0, (text.indexOf('_') + 1 || 0) + SHOWN_CHARS)}…`

/** The same value without what somebody could spend. Numbers, and texts too short to be a secret, stay. */
export function withoutSecrets<Value>(value: Value): Value {
  return redact(value, false) as Value
}

const CUT_TOKEN = /(?<![A-Za-z0-9_-])(?:feed|pass|permit|credit|unlock)_[A-Za-z0-9_-]{4}…/

/** Whether a secret was cut here: the value is no longer the one that was delivered. */
export function lacksSecrets(value: unknown, secret = false): boolean {
  if (typeof value === 'string') return CUT_TOKEN.test(value) || (secret && value.endsWith('…'))
  if (Array.isArray(value)) return value.some((each) => lacksSecrets(each, secret))
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, each]) => lacksSecrets(each, NAMED.test(name)))
}

function redact(value: unknown, secret: boolean): unknown {
  if (typeof value === 'string')
    return secret && value.length >= 16 ? cut(value) : value.replace(TOKEN, (token) => cut(token))
  if (Array.isArray(value)) return value.map((each) => redact(each, secret))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, redact(each, NAMED.test(name))]),
  )
}
