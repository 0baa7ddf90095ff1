import type { Arguments, CommandShape } from './arguments.ts'
import type { Outcome } from './outcomes.ts'
import type { Progress } from './progress.ts'
import type { Paint } from './terminal.ts'

/** One verb of `./ops/buy`. Command line, help and completion are derived from these records. */
export type Command = CommandShape & {
  words: string //                            of the usage line: '<path | SKU | URL>'
  completes?: readonly string[] //            words that a shell offers
  summary: string
  notes?: string //                           more, for --help
  examples: readonly [line: string, what: string][]
  /** @throws PurchaseEnd */
  run(args: Arguments, shell: Shell): Promise<Done>
}

export type Interrupted = { outcome: Outcome; message: string | null }

/** What a command shows itself with. Nothing but `write` goes to standard output. */
export type Shell = {
  write(text: string): void
  warn(line: string): void //                 standard error
  /** Resolves when the reader of standard output has taken it; false: nobody reads any more. */
  drained(): Promise<boolean>
  atInterrupt(): Interrupted //               how it ends when it is stopped now; a command may set it
  progress: Progress
  paint: Paint
  columns: number
  dataDir: string //                          of the configuration, when the arguments name none
  commands: readonly Command[]
}

/**
 * How a command ended. With `--json` that is one object `{ok, command, outcome, exitCode, message, …data}`, else `text`;
 * `data` null: everything has been printed already.
 */
export type Done = {
  outcome: Outcome
  message: string | null
  data: object | null
  text: string
}

export const done = (data: object | null, text = ''): Done => ({
  outcome: 'done',
  message: null,
  data,
  text,
})
