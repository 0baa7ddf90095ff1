import { loadConfig } from '../config.ts'
import { type Arguments, readArguments } from './arguments.ts'
import type { Done, Shell } from './command.ts'
import { COMMANDS } from './commands/index.ts'
import { commandHelp, generalHelp } from './help.ts'
import { OUTCOMES, PurchaseEnd } from './outcomes.ts'
import { createProgress, NO_PROGRESS } from './progress.ts'
import { createPaint, printable } from './terminal.ts'

/** `./ops/buy`: reads the arguments, runs the command, shows how it ended. See help.ts. */
const PLAIN_COLUMNS = 100 // of a file or pipe
const MIN_COLUMNS = 60
const { stdout, stderr } = process
const argv = process.argv.slice(2)
let isRead = true
//  whoever reads may go away, as `head` does; a purchase goes on to its end all the same
stdout.on('error', () => {
  isRead = false
})

const shell: Shell = {
  write(text) {
    if (isRead) stdout.write(text)
  },
  warn(line) {
    shell.progress.stop()
    stderr.write(`${line}\n`)
  },
  async drained() {
    while (isRead && stdout.writableNeedDrain)
      await new Promise((resolve) => {
        stdout.once('drain', resolve)
        stdout.once('error', resolve)
      })
    return isRead
  },
  atInterrupt: { exitCode: () => OUTCOMES.interrupted.exitCode },
  progress: stderr.isTTY
    ? createProgress(
        (text) => stderr.write(text),
        () => performance.now(),
      )
    : NO_PROGRESS,
  paint: createPaint(stdout.isTTY === true && stdout.hasColors()),
  columns: Math.max(MIN_COLUMNS, stdout.columns ?? PLAIN_COLUMNS),
  dataDir: '',
  commands: COMMANDS,
}
process.once('SIGINT', () => {
  shell.progress.stop()
  process.exit(shell.atInterrupt.exitCode())
})

try {
  process.exitCode = await main(readArguments(argv, COMMANDS))
} catch (error) {
  if (!(error instanceof PurchaseEnd)) throw error
  process.exitCode = refuse(error)
} finally {
  shell.progress.stop()
}

async function main(args: Arguments): Promise<number> {
  const command = COMMANDS.find(({ name }) => name === args.command)
  if (args.help || command === undefined) {
    shell.write(command === undefined ? generalHelp(COMMANDS) : commandHelp(command))
    return 0
  }
  const { DATA_DIR, BUYER_KEY_FILE } = loadConfig(process.env, 'script')
  shell.dataDir = DATA_DIR
  return show(args, await command.run({ ...args, keyFile: args.keyFile || BUYER_KEY_FILE }, shell))
}

function show({ command, json }: Arguments, { outcome, message, data, text }: Done): number {
  const { exitCode } = OUTCOMES[outcome]
  const ok = exitCode === 0
  if (!json) shell.write(text)
  else if (data !== null)
    shell.write(`${JSON.stringify({ ok, command, outcome, exitCode, message, ...data })}\n`)
  return exitCode
}

/** A command that ended before it had anything to show. */
function refuse({ outcome, message }: PurchaseEnd): number {
  const { exitCode } = OUTCOMES[outcome]
  if (argv.includes('--json')) {
    shell.write(`${JSON.stringify({ ok: false, command: null, outcome, exitCode, message })}\n`)
    return exitCode
  }
  const [word] = argv
  const command = COMMANDS.some(({ name }) => name === word) ? `${word} ` : ''
  shell.warn(printable(message) + (outcome === 'usage' ? `\nSee ./ops/buy ${command}--help` : ''))
  return exitCode
}
