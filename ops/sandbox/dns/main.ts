import { loadConfig } from '../../config.ts'
import { describeError } from '../../errors.ts'
import { createLog } from '../../log.ts'
import { onShutdown } from '../../shutdown.ts'
import { serveNames } from './server.ts'
import { ZONE } from './zone.ts'

/** The sandbox's DNS: what the api asks instead of a public resolver. Says its address when it listens. */
async function main(): Promise<void> {
  const config = loadConfig(process.env, 'script')
  const log = createLog('dns', config.LOG_LEVEL)
  const server = await serveNames({ zone: ZONE, host: config.HOST, port: config.DNS_PORT })
  onShutdown(log, () => server.close())
  const address = `${config.HOST}:${server.port}`
  log.info({ address, names: Object.keys(ZONE).length }, 'names are served')
  process.stdout.write(`${JSON.stringify({ ready: true, address })}\n`)
}

main().catch((error) => {
  process.stderr.write(`${describeError(error)}\n`)
  process.exit(1)
})
