import type { Command } from './command.ts'
import { LIMITS, type OptionName, optionOf, SELLER } from './options.ts'
import { OUTCOMES } from './outcomes.ts'
import { hanging, wrap } from './terminal.ts'

const COLUMNS = 110
/** Wide enough for the longest name of a command and of an option. */
const NAME_WIDTH = 31

const entry = (name: string, text: string): string =>
  hanging(`  ${name.padEnd(NAME_WIDTH)}`, NAME_WIDTH + 2, wrap(text, COLUMNS - NAME_WIDTH - 2))
    .map((line) => `${line}\n`)
    .join('')

/** Codes come from the table, so that they cannot differ from what happens. */
const exitCodes = `Exit codes\n${[...new Set(Object.values(OUTCOMES).map(({ exitCode }) => exitCode))]
  .map((code) => {
    const means = Object.values(OUTCOMES).flatMap(({ exitCode, means }) => (exitCode === code ? [means] : []))
    return `  ${String(code).padEnd(4)}${means.join('; ')}\n`
  })
  .join('')}`

/** `./ops/buy --help` */
export const generalHelp = (
  commands: readonly Command[],
): string => `Buys from the sandbox that runs here, or from any x402 service, with the stock x402 client, and checks everything
that can be checked.

  ./ops/buy <path | SKU | URL> [options]      the same as ./ops/buy buy …
  ./ops/buy <command> [options]

Commands
${commands.map(({ name, words, summary }) => entry(`${name} ${words}`.trim(), summary)).join('')}
  ./ops/buy <command> --help                  its options and examples

A payment is signed once. When the answer is lost or settlement takes long, the same payment is sent again, as the
service asks with Retry-After; the service takes it at most once. It is kept in a file until its outcome is known:
the same command again, or --resume, fetches what was paid for.
What was bought is kept below DATA_DIR/purchases, readable by you only. Secrets are not printed without --show-secrets.
Colours only on a terminal; NO_COLOR is honoured.

${exitCodes}`

/** `./ops/buy <command> --help` */
export function commandHelp(command: Command): string {
  const { name, words, summary, notes, examples, options } = command
  const shown = (names: readonly OptionName[]) => names.map(optionEntry).join('')
  const shared = [...LIMITS, ...SELLER]
  const own = options.filter((option) => !shared.includes(option as never) && !optionOf(option).hidden)
  const limits = LIMITS.filter((option) => options.includes(option))
  const seller = SELLER.filter((option) => options.includes(option))
  const example = ([line, what]: readonly [string, string]) => `  ./ops/buy ${line.padEnd(48)}  ${what}\n`
  return [
    `${summary}\n\n  ./ops/buy ${`${name} ${words}`.trim()} [options]\n`,
    ...(notes === undefined ? [] : [`${wrap(notes, COLUMNS).join('\n')}\n`]),
    ...(examples.length === 0 ? [] : [`Examples\n${examples.map(example).join('')}`]),
    `Options\n${shown(own)}`,
    ...(limits.length === 0 ? [] : [`Limits\n${shown(limits)}`]),
    ...(seller.length === 0 ? [] : [`From whom\n${shown(seller)}`]),
    exitCodes,
  ].join('\n')
}

function optionEntry(name: OptionName): string {
  const { value, short, help } = optionOf(name)
  return entry(
    `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    help,
  )
}
