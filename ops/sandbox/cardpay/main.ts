import { loadConfig } from '../../config.ts'
import { describeError } from '../../errors.ts'
import { createLog } from '../../log.ts'
import { onShutdown } from '../../shutdown.ts'
import { openFolder } from './keep.ts'
import { serveCards } from './server.ts'

/** The sandbox's card provider as a process. Says its address when it listens; keys and sales stay in DATA_DIR/cardpay. */
async function main(): Promise<void> {
  const config = loadConfig(process.env, 'script')
  const log = createLog('cardpay', config.LOG_LEVEL)
  const server = await serveCards({
    ...openFolder(config.DATA_DIR),
    host: config.HOST,
    port: config.CARDPAY_PORT,
    webhookUrl: () => `${config.publicUrl}/cardpay/webhook`,
  })
  onShutdown(log, () => server.close())
  log.info({ url: server.url }, 'cards are taken')
  process.stdout.write(`${JSON.stringify({ ready: true, url: server.url })}\n`)
}

main().catch((error) => {
  process.stderr.write(`${describeError(error)}\n`)
  process.exit(1)
})
