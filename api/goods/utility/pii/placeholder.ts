/** Not a value but a placeholder, a type, a page, or a value already masked. */
export const PLACEHOLDER =
  /^(?:[*x.•_-]+|null|none|undefined|true|false|redacted|masked|hidden|required|invalid|missing|changeme|string|varchar|u?int8array|buffer|bytes|boolean|credentials|incorrect|example[\w-]{0,12}|(?:0x)?your[\w-]{0,24}|(?:insert|enter|paste)[-_][\w-]{0,24}|replace[-_]?(?:me|this)|password|secret|\$.*|%.*|https?:.*)$/i
/** Where a shell or a template puts the secret in. */
export const SLOT = /[${}<>*]|^(?:REPLACE|YOUR_)/
