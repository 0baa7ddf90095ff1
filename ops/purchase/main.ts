import { ConfigError, loadConfig, systemEnvironment } from '../config.ts'
import { messageOf } from '../errors.ts'
import { type Arguments, readArguments } from './arguments.ts'
import type { Done, Interrupted, Shell } from './command.ts'
import { COMMANDS } from './commands/index.ts'
import { commandHelp, generalHelp } from './help.ts'
import { INTERRUPTED, OUTCOMES, PurchaseEnd } from './outcomes.ts'
import { createProgress, NO_PROGRESS } from './progress.ts'
import { createPaint, printable } from './terminal.ts'

/** `./ops/buy`: reads the arguments, runs the command, shows how it ended. See help.ts. */
const PLAIN_COLUMNS = 100 // of a file or pipe
const MIN_COLUMNS = 40
const { stdout, stderr } = process
const argv = process.argv.slice(2)
let isRead = true
//  the reader of our output may go away, as `head` does; a purchase still goes on to its end
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
  atInterrupt: () => INTERRUPTED,
  progress:
    stderr.isTTY && systemEnvironment(process.env).TERM !== 'dumb'
      ? createProgress(
          (text) => stderr.write(text),
          () => performance.now(),
          () => stderr.columns || PLAIN_COLUMNS,
        )
      : NO_PROGRESS,
  paint: createPaint(stdout.isTTY === true && stdout.hasColors()),
  columns: Math.max(MIN_COLUMNS, stdout.columns ?? PLAIN_COLUMNS),
  dataDir: '',
  commands: COMMANDS,
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    shell.progress.stop()
    const end = shell.atInterrupt()
    process.exit(end.outcome === 'done' ? OUTCOMES.done.exitCode : refuse(end))
  })

try {
  process.exitCode = await main(readArguments(argv, COMMANDS))
} catch (error) {
  process.exitCode = refuse(error instanceof PurchaseEnd ? error : failed(error))
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

/** Any error that nobody foresaw. A payment that is under way still waits in its file. */
function failed(error: unknown): Interrupted {
  const why = messageOf(error)
  if (error instanceof ConfigError) return { outcome: 'usage', message: why }
  const { outcome, message } = shell.atInterrupt()
  return outcome === 'unknown'
    ? { outcome, message: `${why}\n${message}` }
    : { outcome: 'failed', message: `${why}; no payment was sent` }
}

/** A command that ended before it had anything to show. */
function refuse({ outcome, message }: Interrupted): number {
  const { exitCode } = OUTCOMES[outcome]
  if (argv.includes('--json')) {
    shell.write(`${JSON.stringify({ ok: false, command: null, outcome, exitCode, message })}\n`)
    return exitCode
  }
  const [word] = argv
  const command = COMMANDS.some(({ name }) => name === word) ? `${word} ` : ''
  const lines = (message ?? '').split('\n').map(printable)
  if (outcome === 'usage') lines.push(`See ./ops/buy ${command}--help`)
  shell.warn(lines.join('\n'))
  return exitCode
}
