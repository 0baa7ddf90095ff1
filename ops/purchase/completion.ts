import type { Command } from './command.ts'
import { optionOf } from './options.ts'

export const SHELLS = ['bash', 'zsh'] as const
export type ShellName = (typeof SHELLS)[number]

/** Words that the tables know: commands, and of each its options and arguments. */
function wordsOf({ options, completes = [] }: Command): { options: string; words: string } {
  const shown = options.filter((name) => !optionOf(name).hidden)
  return { options: shown.map((name) => `--${name}`).join(' '), words: completes.join(' ') }
}

const isFiles = (commands: readonly Command[]): string =>
  [...new Set(commands.flatMap(({ options }) => options))]
    .filter((name) => optionOf(name).files)
    .map((name) => `--${name}`)
    .join('|')

/** A completion script for `source <(./ops/buy completion bash)`; everything in it comes from the tables. */
export function completionScript(shell: ShellName, commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const { options, words } = wordsOf(command)
    return `    ${command.name}) options="${options}"; words="${words}" ;;`
  })
  const body = `_ops_buy_words() { # what may come after the command in $1 and the word before in $2
  local options="" words=""
  case "$1" in
${cases.join('\n')}
    *) options="--help --json"; words="${commands.map(({ name }) => name).join(' ')}" ;;
  esac
  printf '%s %s' "$words" "$options"
}`
  const files = isFiles(commands)
  return shell === 'bash' ? bash(body, files) : zsh(body, files)
}

const bash = (body: string, files: string): string => `${body}
_ops_buy() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  case "$before" in
    ${files}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  local command=""
  [ "$COMP_CWORD" -gt 1 ] && command="\${COMP_WORDS[1]}"
  case "$command" in /*|SKU_*|http*) command=buy ;; esac
  COMPREPLY=($(compgen -W "$(_ops_buy_words "$command")" -- "$current"))
}
complete -o default -F _ops_buy buy ops/buy ./ops/buy
`

const zsh = (body: string, files: string): string => `#compdef buy ops/buy ./ops/buy
${body}
_ops_buy() {
  case "\${words[CURRENT-1]}" in
    ${files}) _files; return ;;
  esac
  local command=""
  (( CURRENT > 2 )) && command="\${words[2]}"
  case "$command" in /*|SKU_*|http*) command=buy ;; esac
  compadd -- \${(z)"$(_ops_buy_words "$command")"}
}
compdef _ops_buy buy ops/buy ./ops/buy
`
