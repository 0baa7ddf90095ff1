import type { Command } from './command.ts'
import { type OptionName, optionOf } from './options.ts'

export const SHELLS = ['bash', 'zsh'] as const
export type ShellName = (typeof SHELLS)[number]

/** Words that the tables know for one command: its options and its arguments. */
function wordsOf({ options, completes = [] }: Command): { options: string; words: string } {
  const shown = options.filter((name) => !optionOf(name).hidden)
  return { options: shown.map((name) => `--${name}`).join(' '), words: completes.join(' ') }
}

/** Options whose value a shell can complete, as `--key-file|--payload`. */
const optionsWith = (commands: readonly Command[], has: (name: OptionName) => boolean): string =>
  [...new Set(commands.flatMap(({ options }) => options))]
    .filter(has)
    .map((name) => `--${name}`)
    .join('|')

/** `day|week` offers these words; `TEXT` stands for any text. */
const choicesOf = (name: OptionName): string[] => {
  const { value = '' } = optionOf(name)
  return /^[a-z]+(\|[a-z]+)+$/.test(value) ? value.split('|') : []
}

/**
 * A completion script for `source <(./ops/buy completion bash)`. Everything in it comes from the tables; paths are
 * fetched from the service when a word begins with a slash.
 */
export function completionScript(shell: ShellName, commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const { options, words } = wordsOf(command)
    return `    ${command.name}) options="${options}"; words="${words}" ;;`
  })
  const choices = [...new Set(commands.flatMap(({ options }) => options))].flatMap((name) => {
    const words = choicesOf(name).join(' ')
    return words === '' ? [] : [`    --${name}) printf '%s' "${words}"; return ;;`]
  })
  const body = `_ops_buy_words() { # what may come after the command in $1 and the word before in $2
  local options="" words=""
  case "$2" in
${choices.join('\n')}
  esac
  case "$1" in
${cases.join('\n')}
    *) options="--help --json"; words="${commands.map(({ name }) => name).join(' ')}" ;;
  esac
  printf '%s %s' "$words" "$options"
}`
  const values = {
    files: optionsWith(commands, (name) => optionOf(name).files === true),
    others: optionsWith(
      commands,
      (name) => optionOf(name).value !== undefined && !optionOf(name).files && choicesOf(name).length === 0,
    ),
  }
  return shell === 'bash' ? bash(body, values) : zsh(body, values)
}

type Values = { files: string; others: string }

/** An empty answer leaves the word to bash's own completion of files, which knows folders and blanks. */
const bash = (body: string, { files, others }: Values): string => `${body}
_ops_buy() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command=""
  COMPREPLY=()
  case "$before" in
    ${files}|${others}) return ;;
  esac
  [ "$COMP_CWORD" -gt 1 ] && command="\${COMP_WORDS[1]}"
  case "$command:$current" in
    :/*|buy:/*|inspect:/*) COMPREPLY=($(compgen -W "$("$1" completion paths 2>/dev/null)" -- "$current")); return ;;
  esac
  case "$command" in /*|SKU_*|http*) command=buy ;; esac
  COMPREPLY=($(compgen -W "$(_ops_buy_words "$command" "$before")" -- "$current"))
}
complete -o default -F _ops_buy buy ops/buy ./ops/buy
`

const zsh = (body: string, { files, others }: Values): string => `#compdef buy ops/buy ./ops/buy
${body}
_ops_buy() {
  case "\${words[CURRENT-1]}" in
    ${files}) _files; return ;;
    ${others}) return ;;
  esac
  local command=""
  (( CURRENT > 2 )) && command="\${words[2]}"
  case "$command:\${words[CURRENT]}" in
    :/*|buy:/*|inspect:/*) compadd -- \${(f)"$("\${words[1]}" completion paths 2>/dev/null)"}; return ;;
  esac
  case "$command" in /*|SKU_*|http*) command=buy ;; esac
  compadd -- \${(z)"$(_ops_buy_words "$command" "\${words[CURRENT-1]}")"}
}
compdef _ops_buy buy ops/buy ./ops/buy
`
