import { accountDigest } from '../../api/entitlements/credit.ts'
import { digestOfToken } from '../../api/entitlements/token.ts'
import { SALES_JOURNAL } from '../../api/ledger/redis.ts'
import { TOKEN_ABI } from '../../ops/sandbox/chain/tokenAbi.ts'
import { get } from '../support/buyer.ts'
import { type Log, noteSpend, type Purchase, persist, type Shop } from './buyers.ts'
import { type StormWorld, settledDown } from './world.ts'

const SPREAD_MICRO = 1_000n
const PASS_CALLS = 600

/**
 * After the storm. First nobody asks: whatever a dead process left must be decided and answered by those who live. Then
 * everybody comes back with what he holds until he has his answer.
 */
export async function finishAll(shop: Shop): Promise<void> {
  const { log, world } = shop
  await settledDown(world)
  const open = log.purchases.filter(({ text, refused }) => text === null && refused === null)
  await Promise.all(open.map((purchase) => persist(shop, purchase)))
  for (const { spends } of log.accounts)
    for (const spend of spends)
      for (let at = 0; at < 100 && spend.text === null; at++)
        noteSpend(
          log,
          spend,
          await get(`${world.service.bases[0]}${spend.path}`, spend.headers).catch(() => null),
        )
  await settledDown(world)
}

/** Everything that must hold at the end (faults.md 4); one line for each that does not. */
export async function violations({ log, world }: Shop): Promise<string[]> {
  const found = [...log.wrong]
  const answered = log.purchases.filter(({ text }) => text !== null)
  for (const { kind, path, text, refused } of log.purchases)
    if (text === null) found.push(`I4, I5 ${kind} ${path} ended with ${refused ?? 'nothing'}`)
  found.push(...(await againstChain(world, log.purchases)))
  found.push(...(await resent(world, answered)))
  found.push(...(await againstJournal(world, log, answered)))
  found.push(...(await entitlements(world, log)))
  found.push(...(await leaks(world, log.secrets)))
  return found
}

/** I1, I2, I3: the chain's own word. */
async function againstChain({ chain }: StormWorld, purchases: Purchase[]): Promise<string[]> {
  const found: string[] = []
  let paid = 0n
  for (const { kind, payer, nonce, amount, text } of purchases) {
    const used = await chain.clients.reads.readContract({
      ...{ address: chain.usdc, abi: TOKEN_ABI, functionName: 'authorizationState' },
      args: [payer as `0x${string}`, nonce as `0x${string}`],
    })
    if (used && text === null) found.push(`I4 ${kind}: the money moved and nothing was delivered`)
    if (!used && text !== null) found.push(`I3 ${kind}: delivered without money`)
    if (used) paid += amount
  }
  const received = await chain.balance(chain.receiver)
  if (received !== paid) found.push(`I1 the receiver has ${received}, the buyers know of ${paid}`)
  return found
}

/** I16: whoever asks again gets the same bytes, from every process. */
async function resent({ service }: StormWorld, answered: Purchase[]): Promise<string[]> {
  const found: string[] = []
  for (const [at, { kind, path, headers, text }] of answered.entries()) {
    const again = await get(`${service.bases[at % 2]}${path}`, headers)
    if (again.text !== text) found.push(`I16 ${kind} ${path}: other bytes when asked again (${again.status})`)
  }
  return found
}

async function againstJournal(
  { service }: StormWorld,
  { accounts }: Log,
  answered: Purchase[],
): Promise<string[]> {
  const entries = await service.ledger.redis.xrange(SALES_JOURNAL, '-', '+')
  const sales = entries.map(([, fields]) => JSON.parse(fields[fields.indexOf('sale') + 1]!))
  const found: string[] = []
  if (new Set(sales.map(({ eventId }) => eventId)).size !== sales.length)
    found.push('I2 a sale is in the journal twice')
  const byCredit = sales.filter(({ rail }) => rail === 'store_credit').length
  const spends = accounts.flatMap((account) => account.spends).filter(({ text }) => text !== null).length
  if (sales.length - byCredit !== answered.length)
    found.push(`I1 ${sales.length - byCredit} sales are in the journal, ${answered.length} were delivered`)
  if (byCredit !== spends) found.push(`I11 ${byCredit} spends are in the journal, ${spends} were delivered`)
  return found
}

/** I11, I12. */
async function entitlements({ service }: StormWorld, { passes, accounts }: Log): Promise<string[]> {
  const { redis } = service.ledger
  const found: string[] = []
  for (const { token, delivered } of passes) {
    const left = Number(await redis.hget(`grant:pass:${digestOfToken(token)}`, 'calls'))
    if (left < 0 || delivered + left > PASS_CALLS)
      found.push(`I12 a pass delivered ${delivered} answers and has ${left} left`)
  }
  for (const { headers, spends, bought } of accounts) {
    const credited = bought.filter(({ text }) => text !== null).reduce((sum, { amount }) => sum + amount, 0n)
    if (credited === 0n) continue
    const account = `credit:account:${accountDigest(headers['x-agent-id']!)}`
    const balance = BigInt((await redis.hget(account, 'balance')) ?? -1)
    const spent = BigInt(spends.filter(({ text }) => text !== null).length) * SPREAD_MICRO
    if (balance !== credited - spent)
      found.push(`I11 an account has ${balance}: ${credited} were bought, ${spent} spent`)
  }
  return found
}

/** I21: no signature, secret or token in the ledger, the pipeline or any output. */
async function leaks({ service }: StormWorld, secrets: string[]): Promise<string[]> {
  const { redis } = service.ledger
  const texts = [...service.apis, service.worker!].map((running) => running.stdout() + running.stderr())
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key)
    texts.push(key)
    if (type === 'hash') texts.push(JSON.stringify(await redis.hgetall(key)))
    if (type === 'string') texts.push(String(await redis.get(key)))
    if (type === 'stream') texts.push(JSON.stringify(await redis.xrange(key, '-', '+')))
  }
  const all = texts.join('\n')
  return secrets
    .filter((secret) => all.includes(secret))
    .map((secret) => `I21 ${secret.slice(0, 6)}… is kept`)
}
