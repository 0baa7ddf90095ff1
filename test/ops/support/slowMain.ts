import { existsSync } from 'node:fs'
import { createLog } from '../../../ops/log.ts'
import { endBySignal, onShutdown } from '../../../ops/shutdown.ts'

/** A main that blocks until a file exists, like one whose modules take long to evaluate: `slowMain.ts <way> <file>`. */
const [way, file = ''] = process.argv.slice(2)
process.stdout.write('busy\n')
while (!existsSync(file));
if (way === 'command') endBySignal()
else onShutdown(createLog('child', 'info'), async () => {})
setInterval(() => {}, 60_000)
