import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { loadConfig } from '../../config.ts'
import { payBy, RAILS } from './pay.ts'
import { readSandbox } from './sandbox.ts'

const USAGE = `npm run pay -- <rail> <amount> [--to ADDRESS] [--data-dir FOLDER]

Pays with worthless sandbox money, from the first test buyer to the service's receiver unless --to says otherwise.
Amounts are in whole coins: 2.49 for USDC, 0.0001 for BTC. Prints {rail, tx, to, atomic}.
Rails: ${RAILS.join(', ')}
`
const USUAL = join(dirname(fileURLToPath(import.meta.url)), '../../../.data/generator')

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean' }, to: { type: 'string' }, 'data-dir': { type: 'string' } },
  })
  const [rail, amount] = positionals
  if (values.help || rail === undefined || amount === undefined) process.stdout.write(USAGE)
  else {
    const dataDir = values['data-dir'] ?? (loadConfig(process.env, 'script').DATA_DIR || USUAL)
    const paid = await payBy(await readSandbox(dataDir), { rail, amount, to: values.to })
    process.stdout.write(`${JSON.stringify(paid)}\n`)
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
