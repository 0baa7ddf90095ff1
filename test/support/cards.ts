import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CardServer, serveCards } from '../../ops/sandbox/cardpay/server.ts'

export const SECRET_KEY = 'sk_test_of_the_test'
export const WEBHOOK_SECRET = 'whsec_of_the_test'

export type Cards = CardServer & {
  env: Record<string, string> //  for our processes
  tell(url: string): void //      where events go from now on
  stop(): Promise<void>
}

/** The sandbox's card provider in this process. It sends no events before `tell` is called. */
export async function startCards(): Promise<Cards> {
  const dir = await mkdtemp(join(tmpdir(), 'microdata-cards-'))
  const file = async (name: string, text: string) => {
    await writeFile(join(dir, name), text, { mode: 0o600 })
    return join(dir, name)
  }
  let webhookUrl = ''
  const server = await serveCards({
    host: '127.0.0.1',
    port: 0,
    secretKey: SECRET_KEY,
    webhookSecret: WEBHOOK_SECRET,
    webhookUrl: () => webhookUrl,
  })
  return {
    ...server,
    env: {
      STRIPE_API_URL: server.url,
      STRIPE_SECRET_KEY_FILE: await file('key', SECRET_KEY),
      STRIPE_WEBHOOK_SECRET_FILE: await file('webhook', WEBHOOK_SECRET),
    },
    tell: (url) => {
      webhookUrl = url
    },
    stop: async () => {
      await server.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
