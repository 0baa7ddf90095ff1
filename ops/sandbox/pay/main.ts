import { lastWords, RefusedOrder, readArguments } from '../../commandLine.ts'
import { loadConfig } from '../../config.ts'
import { sandboxFolder } from '../../sandboxFolder.ts'
import { payBy, RAILS } from './pay.ts'
import { readSandbox } from './sandbox.ts'

const USAGE = `npm run pay -- <rail> <amount> [--to ADDRESS] [--data-dir FOLDER]

Pays with worthless sandbox money, from the first test buyer to the service's receiver unless --to says otherwise.
Amounts are in whole coins: 2.49 for USDC, 0.0001 for BTC. Prints {rail, tx, to, atomic}.
Rails: ${RAILS.join(', ')}
--data-dir: folder of a sandbox; default: DATA_DIR, else the newest that runs
Exit codes: 0 paid, 2 wrong usage or no sandbox, 1 anything else.
`

try {
  const { values, positionals } = readArguments({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      to: { type: 'string' },
      'data-dir': { type: 'string' },
    },
  })
  if (values.help) process.stdout.write(USAGE)
  else {
    const [rail, amount, ...others] = positionals
    if (rail === undefined || amount === undefined || others.length > 0)
      throw new RefusedOrder('a rail and an amount are wanted')
    const folder = await sandboxFolder(values['data-dir'] ?? '', loadConfig(process.env, 'script').DATA_DIR)
    if (folder === null) throw new RefusedOrder('no sandbox is running here: start one with ./ops/start')
    const paid = await payBy(await readSandbox(folder), { rail, amount, to: values.to })
    process.stdout.write(`${JSON.stringify(paid)}\n`)
  }
} catch (error) {
  process.stderr.write(lastWords(error, 'npm run pay --'))
  process.exitCode = error instanceof RefusedOrder ? 2 : 1
}
