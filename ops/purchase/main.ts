import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadConfig } from '../config.ts'
import { type Arguments, readArguments } from './arguments.ts'
import { OUTCOMES, PurchaseEnd } from './outcomes.ts'
import { readPayment } from './pending.ts'
import { type Order, purchase } from './purchase.ts'
import { createNarrator } from './render.ts'
import { findSandbox, type Sandbox } from './sandbox.ts'
import { readPointer, resolveTarget } from './target.ts'
import { createPaint } from './terminal.ts'
import { USAGE } from './usage.ts'
import { walletOfFile } from './wallet.ts'

/** `./ops/buy`: reads the arguments, finds wallet and service, buys, shows. See usage.ts. */
const WORLDS = join(dirname(fileURLToPath(import.meta.url)), '../../.data')
const PLAIN_COLUMNS = 100 // of a file or pipe
const MIN_COLUMNS = 60
const argv = process.argv.slice(2)
const json = argv.includes('--json')
const write = (text: string) => process.stdout.write(text)

try {
  process.exitCode = await main(readArguments(argv))
} catch (error) {
  if (!(error instanceof PurchaseEnd)) throw error
  const { exitCode } = OUTCOMES[error.outcome]
  if (json)
    write(`${JSON.stringify({ ok: false, outcome: error.outcome, exitCode, message: error.message })}\n`)
  else process.stderr.write(`${error.message}\n${error.outcome === 'usage' ? 'See ./ops/buy --help\n' : ''}`)
  process.exitCode = exitCode
}

async function main(args: Arguments): Promise<number> {
  if (args.help) {
    write(USAGE)
    return 0
  }
  const order = await readOrder(args)
  const { stdout } = process
  const paint = createPaint(stdout.isTTY === true && stdout.hasColors())
  const narrate = createNarrator(write, paint, Math.max(MIN_COLUMNS, stdout.columns ?? PLAIN_COLUMNS))
  process.once('SIGINT', () => {
    process.stderr.write(
      `\nStopped. A payment that was sent waits in ${order.pendingDir}; go on with --resume.\n`,
    )
    process.exit(OUTCOMES.unknown.exitCode)
  })
  const report = await purchase(order, json ? () => {} : narrate)
  if (json) write(`${JSON.stringify(report)}\n`)
  return report.exitCode
}

/** Who sells, who pays, and where to look afterwards. The sandbox is looked for only when something of it is needed. */
async function readOrder(args: Arguments): Promise<Order> {
  const dataDir = args.dataDir || loadConfig(process.env, 'script').DATA_DIR
  const common = { timeoutMs: args.timeoutMs }
  if (args.resume !== '') {
    const payment = await readPayment(args.resume)
    const sandbox = await sandboxAt(new URL(payment.url).origin, dataDir)
    return {
      ...{ ...common, url: payment.url, sku: null, pendingDir: dirname(args.resume) },
      how: { kind: 'resume', payment, file: args.resume },
      ...afterwards(args, sandbox),
    }
  }
  const pointer = readPointer(args.target)
  const elsewhere = pointer.kind === 'url' ? pointer.url.origin : args.base
  const sandbox = elsewhere === '' ? await findSandbox(dataDir, WORLDS) : await sandboxAt(elsewhere, dataDir)
  const wallet = args.keyFile === '' ? (sandbox?.wallet ?? null) : await walletOfFile(args.keyFile)
  if (wallet === null) {
    const why =
      sandbox === null ? `${elsewhere} is not the sandbox that runs here` : 'this sandbox has no buyers'
    throw new PurchaseEnd('usage', `${why}; pay with --key-file FILE`)
  }
  const target = await resolveTarget(pointer, elsewhere || sandbox!.url, args.parameters)
  return {
    ...{ ...common, ...target, pendingDir: join(sandbox?.dataDir ?? (dataDir || WORLDS), 'purchases') },
    how: { kind: 'sign', wallet, maxMicroUsdc: args.maxMicroUsdc },
    ...afterwards(args, sandbox),
  }
}

function afterwards({ rpc }: Arguments, sandbox: Sandbox | null) {
  return { rpcUrl: rpc || sandbox?.rpcUrl || null, clickhouse: sandbox?.clickhouse ?? null }
}

/** The sandbox here, if it is the one that sells at this origin. */
async function sandboxAt(origin: string, dataDir: string): Promise<Sandbox | null> {
  const sandbox = await findSandbox(dataDir, WORLDS).catch(() => null)
  return sandbox?.url === origin ? sandbox : null
}
