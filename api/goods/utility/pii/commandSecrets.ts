import type { Span } from '../text/fold.ts'
import { PLACEHOLDER, SLOT } from './placeholder.ts'

/** What matched, and where the command begins of which it must be a part. The secret is the last group that took part. */
type Form = { pattern: RegExp; commands?: { names: readonly string[]; rest: RegExp } }

const FORMS: readonly Form[] = [
  {
    //  `curl -u name:secret`, and not the user and group of `docker -u`
    pattern:
      /(?<=[ \t])(?:-u|--user)(?:=|[ \t]{0,5})(?:"([^"\s:]{0,64}):([^"\r\n]{3,128})"|'([^'\s:]{0,64}):([^'\r\n]{3,128})'|([^\s"':]{1,64}):([^\s"']{3,128}))(?!\S)/g,
    commands: { names: ['curl'], rest: /^(?:[^\r\n|;\\]|\\(?:\r?\n|[^\r\n]))*$/ },
  },
  {
    //  behind the letter at once: with a blank between them it is asked for; figures are the ports of `docker -p`
    pattern:
      /(?<=[ \t])-p(?![\d.:]+(?!\S))(?:"([^"\r\n]{3,128})"|'([^'\r\n]{3,128})'|([^\s"'=-][^\s"']{2,127}))(?!\S)/g,
    commands: {
      names: ['mysql', 'mariadb'],
      rest: /^[\w-]{5,24}[ \t](?:[^\r\n|;&\\]|\\(?:\r?\n|[^\r\n]))*$/,
    },
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

/** Secrets that a command or a file of logins carries: not where a shell puts one in, nor a name repeated. */
export function findCommandSecrets(text: string): Span[] {
  return FORMS.flatMap(({ pattern, commands }) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const { 0: said, index } = match
      const parts = match.slice(1).filter((part) => part !== undefined)
      const [secret, name] = [parts.at(-1)!, parts.at(-2)]
      if (secret === name || SLOT.test(secret) || PLACEHOLDER.test(secret)) return []
      const before = text.slice(Math.max(0, index - MAX_COMMAND), index)
      if (commands?.names.some((word) => isPartOf(word, commands.rest, before)) === false) return []
      const start = index + said.lastIndexOf(secret)
      return [{ start, end: start + secret.length }]
    }),
  )
}

const isPartOf = (command: string, rest: RegExp, before: string): boolean => {
  const at = before.lastIndexOf(command)
  return at >= 0 && rest.test(before.slice(at))
}
