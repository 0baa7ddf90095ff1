import type { Span } from '../text/fold.ts'
import { PLACEHOLDER, SLOT } from './placeholder.ts'

/**
 * The secret is the last group that matched. @property of the commands it must be part of; absent: the pattern itself
 * names one.
 */
type Form = { pattern: RegExp; of?: readonly string[] }

const FORMS: readonly Form[] = [
  {
    //  `curl -u name:secret`, and not the user and group of `docker -u`
    pattern:
      /(?<=[ \t])(?:-u|--user)(?:=|[ \t]{0,5})(?:"([^"\s:]{0,64}):([^"\r\n]{3,128})"|'([^'\s:]{0,64}):([^'\r\n]{3,128})'|([^\s"':]{1,64}):([^\s"']{3,128}))(?!\S)/g,
    of: ['curl'],
  },
  {
    //  directly after the letter: with a blank in between, it is prompted for; numbers are the ports of `docker -p`
    pattern:
      /(?<=[ \t])-p(?![\d.:]+(?!\S))(?:"([^"\r\n]{3,128})"|'([^'\r\n]{3,128})'|([^\s"'=-][^\s"']{2,127}))(?!\S)/g,
    of: ['mysql', 'mariadb'],
  },
  {
    pattern:
      /\bsshpass[ \t]{1,8}-p[ \t]{0,8}(?:"([^"\r\n]{3,128})"|'([^'\r\n]{3,128})'|([^\s"']{3,128}))(?!\S)/g,
  },
  {
    pattern:
      /\bConvertTo-SecureString(?:[ \t]{1,8}-(?:String|AsPlainText|Force)\b){0,3}[ \t]{1,8}(?:"([^"\r\n]{3,128})"|'([^'\r\n]{3,128})')/gi,
  },
  {
    //  a file of logins (.netrc), in one line or several
    pattern:
      /\bmachine\s{1,8}[\w.:-]{1,253}\s{1,8}login\s{1,8}(\S{1,128})\s{1,8}password\s{1,8}(\S{3,128})(?!\S)/g,
  },
]
const MAX_COMMAND = 512
/** The rest of a command, up to where another one begins. */
const GOES_ON = /^(?:[^\r\n|;&\\]|&(?!&)|\\(?:\r?\n|[^\r\n]))*$/

/** Secrets in a command or a file of logins, except where a shell inserts one or the name is repeated. */
export function findCommandSecrets(text: string): Span[] {
  return FORMS.flatMap(({ pattern, of }) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const { 0: said, index } = match
      const parts = match.slice(1).filter((part) => part !== undefined)
      const [secret, name] = [parts.at(-1)!, parts.at(-2)]
      if (secret === name || SLOT.test(secret) || PLACEHOLDER.test(secret)) return []
      const before = text.slice(Math.max(0, index - MAX_COMMAND), index)
      if (of?.some((command) => isPartOf(command, before)) === false) return []
      const start = index + said.lastIndexOf(secret)
      return [{ start, end: start + secret.length }]
    }),
  )
}

const isPartOf = (command: string, before: string): boolean => {
  const at = before.lastIndexOf(command)
  return at >= 0 && GOES_ON.test(before.slice(at))
}
