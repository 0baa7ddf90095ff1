import { accountDigest } from '../../api/entitlements/credit.ts'
import { digestOfToken } from '../../api/entitlements/token.ts'
import { KEYS } from '../../api/ledger/keys.ts'
import { TOKEN_ABI } from '../../ops/sandbox/chain/tokenAbi.ts'
import { get } from '../support/buyer.ts'
import { needlesIn, redisTexts } from '../support/canaries.ts'
import { until } from '../support/process.ts'
import { holdsForStrangers, keysOf } from '../support/receipts.ts'
import { type Log, type Purchase, persist, persistSpend, type Shop } from './purchase.ts'
import { type StormWorld, settledDown } from './world.ts'

const SPREAD_MICRO = 1_000n
const PASS_CALLS = 600

/**
 * After the storm. First nobody asks: whatever a dead process left must be decided and answered by those who live. Then
 * everybody comes back with what he holds until he has his answer. @returns what must not be so before they come back.
 */
export async function finishAll(shop: Shop): Promise<string[]> {
  const { log, world } = shop
  const late = [...(await undecided(world)), ...(await unanswered(shop))]
  const open = log.purchases.filter(({ text, refused }) => text === null && refused === null)
  await Promise.all(open.map((purchase) => persist(shop, purchase)))
  const spends = log.accounts.flatMap((account) => account.spends)
  await Promise.all(spends.map((spend) => persistSpend(shop, spend)))
  return [...late, ...(await undecided(world))]
}

/** I9. */
const undecided = async (world: StormWorld): Promise<string[]> =>
  (await settledDown(world)) ? [] : ['I9 claims stay undecided or unanswered although nothing is broken']

/** Whether the money of a purchase has moved. A node that is too busy to say is asked again. */
async function isUsed(
  { chain }: StormWorld,
  { payer, proof }: Pick<Purchase, 'payer' | 'proof'>,
): Promise<boolean> {
  if ('tx' in proof) return true
  const read = () =>
    chain.clients.reads.readContract({
      address: chain.usdc,
      abi: TOKEN_ABI,
      functionName: 'authorizationState',
      args: [payer as `0x${string}`, proof.nonce],
    })
  const ask = () =>
    read().then(
      (used) => ({ used }),
      () => null,
    )
  return (await until('the chain says whether a nonce is used', ask)).used
}

/** I4, CRA-04: money that moved is answered in the ledger although its buyer never came back. */
async function unanswered({ world, log }: Shop): Promise<string[]> {
  const { chain, service } = world
  const found: string[] = []
  for (const purchase of log.purchases) {
    const { kind, payer, proof, text } = purchase
    if (text !== null || 'tx' in proof || !(await isUsed(world, purchase))) continue
    const key = `auth:8453:${chain.usdc.toLowerCase()}:${payer}:${proof.nonce}`
    const claim = await service.ledger.ledger.find(key)
    if (claim?.answer == null)
      found.push(`I4 ${kind}: the money moved, and the ledger says ${claim?.state ?? 'nothing'}`)
  }
  return found
}

/** I3 while the storm goes on: of every sale once, whether the chain knows of its money. */
export function createPaidCheck({ world, log }: Shop): () => Promise<void> {
  const checked = new WeakSet<Purchase>()
  return async () => {
    for (const purchase of log.purchases) {
      if (purchase.text === null || checked.has(purchase)) continue
      checked.add(purchase)
      if (!(await isUsed(world, purchase))) log.wrong.push(`I3 ${purchase.kind}: delivered without money`)
    }
  }
}

/** Everything that must hold at the end (faults.md 4); one line for each that does not. */
export async function violations({ log, world }: Shop): Promise<string[]> {
  const found = [...log.wrong]
  const answered = log.purchases.filter(({ text }) => text !== null)
  for (const purchase of log.purchases) {
    const { kind, path, text, refused } = purchase
    //  whoever comes back after his payment's time, and was never heard before, has paid nothing and gets nothing
    const isTooLate = refused === 'expired' && !(await isUsed(world, purchase))
    if (text === null && !isTooLate) found.push(`I4, I5 ${kind} ${path} ended with ${refused ?? 'nothing'}`)
  }
  for (const { spends } of log.accounts)
    for (const { text, last } of spends)
      if (text === null) found.push(`I5 a spend of credit ended with ${last ?? 'nothing'}`)
  found.push(...(await againstChain(world, log.purchases)))
  found.push(...(await refusedForGood(world, log)))
  found.push(...(await receipts(world, answered)))
  found.push(...(await resent(world, answered)))
  found.push(...(await againstJournal(world, log, answered)))
  found.push(...(await entitlements(world, log)))
  found.push(...(await leaks(world, log.secrets)))
  return found
}

/** I1, I3, I4: the chain's own word. */
async function againstChain(world: StormWorld, purchases: Purchase[]): Promise<string[]> {
  const { chain } = world
  const found: string[] = []
  let paid = 0n
  for (const purchase of purchases) {
    const { kind, amount, text } = purchase
    const used = await isUsed(world, purchase)
    if (used && text === null) found.push(`I4 ${kind}: the money moved and nothing was delivered`)
    if (!used && text !== null) found.push(`I3 ${kind}: delivered without money`)
    if (used) paid += amount
  }
  const received = await chain.balance(chain.receiver)
  if (received !== paid) found.push(`I1 the receiver has ${received}, the buyers know of ${paid}`)
  return found
}

/** I8, I15: what came with a request that buys nothing has not moved. */
async function refusedForGood(world: StormWorld, { refused }: Log): Promise<string[]> {
  const found: string[] = []
  for (const payment of refused)
    if (await isUsed(world, payment)) found.push(`I8 ${payment.kind}: charged although it was refused`)
  return found
}

/** I19: each sale has a receipt of its own, which holds for strangers, is over what it paid for, and over nothing else. */
async function receipts({ doors }: StormWorld, answered: Purchase[]): Promise<string[]> {
  const keys = await keysOf(doors[0]!)
  const found: string[] = []
  const ids = new Set<string>()
  for (const { kind, path, payer, amount, text } of answered) {
    const { paymentAttestation: receipt } = JSON.parse(text!).result
    const { payload } = receipt
    ids.add(receipt.attestationId)
    if (!holdsForStrangers(receipt, keys)) found.push(`I19 ${kind} ${path}: a receipt that does not hold`)
    if (holdsForStrangers({ ...receipt, payload: { ...payload, amountAtomic: '0' } }, keys))
      found.push(`I19 ${kind} ${path}: a receipt that was altered holds`)
    if (payload.payer !== payer || BigInt(payload.amountAtomic) !== amount)
      found.push(`I19 ${kind} ${path}: its receipt says ${payload.amountAtomic} by ${payload.payer}`)
  }
  if (ids.size !== answered.length) found.push(`I19 ${answered.length} sales have ${ids.size} receipts`)
  return found
}

/** I16: whoever asks again gets the same bytes, from every process. */
async function resent({ doors }: StormWorld, answered: Purchase[]): Promise<string[]> {
  const found: string[] = []
  for (const [at, { kind, path, headers, text }] of answered.entries()) {
    const again = await get(`${doors[at % doors.length]}${path}`, headers)
    if (again.text !== text) found.push(`I16 ${kind} ${path}: other bytes when asked again (${again.status})`)
  }
  return found
}

async function againstJournal(
  { service }: StormWorld,
  { accounts }: Log,
  answered: Purchase[],
): Promise<string[]> {
  const entries = await service.ledger.redis.xrange(KEYS.sales, '-', '+')
  const sales = entries.flatMap(([, fields]) => {
    const at = fields.indexOf('sale') //  the journal also says when money left again
    return at === -1 ? [] : [JSON.parse(fields[at + 1]!)]
  })
  const found: string[] = []
  if (new Set(sales.map(({ eventId }) => eventId)).size !== sales.length)
    found.push('I2 a sale is in the journal twice')
  if (new Set(sales.map(({ tx, logIndex }) => `${tx}:${logIndex}`)).size !== sales.length)
    found.push('I2 a transfer has paid for two sales')
  const byCredit = sales.filter(({ rail }) => rail === 'store_credit').length
  const spends = accounts.flatMap((account) => account.spends).filter(({ text }) => text !== null).length
  if (sales.length - byCredit !== answered.length)
    found.push(`I1 ${sales.length - byCredit} sales are in the journal, ${answered.length} were delivered`)
  if (byCredit !== spends) found.push(`I11 ${byCredit} spends are in the journal, ${spends} were delivered`)
  return found
}

/** I11, I12, I13. */
async function entitlements({ service }: StormWorld, { passes, permits, accounts }: Log): Promise<string[]> {
  const { redis } = service.ledger
  const found: string[] = []
  for (const { token, delivered } of passes) {
    const left = Number(await redis.hget(`grant:pass:${digestOfToken(token)}`, 'calls'))
    if (left < 0 || delivered + left > PASS_CALLS)
      found.push(`I12 a pass delivered ${delivered} answers and has ${left} left`)
  }
  for (const { granted } of permits)
    if (granted.size !== 1) found.push(`I13 a permit for one call was redeemed ${granted.size} times`)
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
  const outputs = [...service.apis, service.worker!].map((running) => running.stdout() + running.stderr())
  const kept = await redisTexts(service.ledger.redis)
  return [...needlesIn([...outputs, ...kept].join('\n'), secrets)].map(
    (secret) => `I21 ${secret.slice(0, 6)}… is kept`,
  )
}
