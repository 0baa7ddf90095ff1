import { readFile } from 'node:fs/promises'
import { parseStrictJson } from '../../strictJson.ts'
import type { Arguments } from '../arguments.ts'
import { buyWithMoney, endOfPurchase, resume } from '../buying.ts'
import type { Command, Shell } from '../command.ts'
import { readWithCredit, readWithPass } from '../entitled.ts'
import { COMMON, PAYING } from '../options.ts'
import { PurchaseEnd } from '../outcomes.ts'
import { readPayment } from '../pending.ts'
import { findSeller, findWallet } from '../seller.ts'
import { readPointer, resolveTarget } from '../target.ts'

export const buy: Command = {
  name: 'buy',
  words: '<path | SKU | URL>',
  maxWords: 1,
  summary: 'Buys one answer and checks its transfer, receipt and data. The word buy may be left out.',
  notes:
    'Pays with money, or with --pass or --credit out of what is kept. When a payment for the same request still waits for its outcome, that one is sent again and nothing new is signed.',
  examples: [
    ['/x402/v1/spread --q "fed rate"', 'from the sandbox that runs here'],
    ['SKU_AG_PING_01 --param echo=hello', 'by its SKU'],
    ['/x402/v1/spread --pass', 'under the kept hour pass'],
    ['https://host.example/x402/v1/spread --key-file k', 'from anybody who speaks x402'],
  ],
  options: [
    'q',
    'param',
    'payload',
    'agent-id',
    'pass',
    'credit',
    'idempotency-key',
    'resume',
    ...PAYING,
    ...COMMON,
  ],
  async run(args, shell) {
    if (args.resume !== '') return endOfPurchase(await goOn(args, shell), args)
    const [word] = args.words
    if (word === undefined) throw new PurchaseEnd('usage', 'what shall be bought? Give a path, SKU or URL')
    if (args.idempotencyKey !== '' && args.payWith !== 'credit')
      throw new PurchaseEnd('usage', '--idempotency-key goes with --credit')
    const pointer = readPointer(word)
    const origin = pointer.kind === 'url' ? pointer.url.origin : args.base
    const seller = await findSeller(args, shell.dataDir, origin)
    const headers = await ownHeaders(args)
    const target = () => resolveTarget(pointer, seller.base, args.parameters)
    if (args.payWith === 'pass')
      return endOfPurchase(await readWithPass(args, shell, seller, { ...(await target()), headers }), args)
    if (args.payWith === 'credit')
      return endOfPurchase(await readWithCredit(args, shell, seller, { ...(await target()), headers }), args)
    const wallet = await findWallet(args.keyFile, seller)
    const wanted = { seller, wallet, target: await target(), headers }
    return endOfPurchase(await buyWithMoney(args, shell, wanted), args)
  },
}

async function goOn(args: Arguments, shell: Shell) {
  if (args.words.length > 0)
    throw new PurchaseEnd('usage', '--resume already says what was bought; leave the path away')
  const payment = await readPayment(args.resume)
  const seller = await findSeller(args, shell.dataDir, new URL(payment.url).origin)
  return await resume(args, shell, seller, { file: args.resume, payment })
}

/** Headers that describe the request; the one that pays comes later. */
async function ownHeaders({ agentId, payloadFile }: Arguments): Promise<Record<string, string>> {
  const refuse = (why: string) => new PurchaseEnd('usage', `--payload ${payloadFile}: ${why}`)
  const headers: Record<string, string> = {}
  if (agentId !== '') headers['x-agent-id'] = agentId
  if (payloadFile === '') return headers
  const text = await readFile(payloadFile, 'utf8').catch(() => {
    throw refuse('cannot be read')
  })
  try {
    headers['x-service-payload'] = Buffer.from(JSON.stringify(parseStrictJson(text))).toString('base64')
  } catch {
    throw refuse('holds no JSON')
  }
  return headers
}
