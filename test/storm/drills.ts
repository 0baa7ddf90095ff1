import { startFacilitator } from '../support/facilitator.ts'
import { isAlive, sleep } from '../support/process.ts'
import { badInputs, openAccount, passes, permits, twoAtOnce } from './buyers.ts'
import { losePower } from './power.ts'
import { call, HOUR_PASS, note, open, PING, type Purchase, persist, type Shop, SPREAD } from './purchase.ts'

type Drill = (shop: Shop) => Promise<void>

/** The api process that nobody but a drill buys from: it dies when it should, and not of somebody else. */
const CLERK = 2
/** Whatever a drill waits for has come by then, or will not come. */
const PATIENCE_MS = 20_000
const GAS_WEI = 10n ** 18n

/**
 * Restarts the clerk so that it dies at a step, and buys from it until it does. The buyer does not come back. On a slow
 * machine the worker may answer before the clerk comes to the step: then another purchase is tried.
 */
async function dieAt(
  step: string,
  shop: Shop,
  buy: () => Promise<Purchase | null>,
  env: Record<string, string> = {},
): Promise<void> {
  const { service } = shop.world
  const isAway = () => !isAlive(service.apis[CLERK]!.pid)
  await service.restartApi(CLERK, { ...env, FAULT_POINT: `${step}:kill` })
  const endMs = Date.now() + PATIENCE_MS
  while (!isAway() && Date.now() < endMs) {
    const purchase = await buy()
    if (purchase !== null) await askUntil(isAway, shop, purchase)
  }
  if (!isAway()) shop.log.wrong.push(`the drill failed: the clerk did not come to ${step}`)
  await service.restartApi(CLERK)
}

async function askUntil(isAway: () => boolean, shop: Shop, purchase: Purchase): Promise<void> {
  const clerk = shop.world.service.bases[CLERK]
  const endMs = Date.now() + PATIENCE_MS
  while (!isAway() && purchase.text === null && purchase.refused === null && Date.now() < endMs) {
    note(shop.log, purchase, await call(shop, purchase.path, purchase.headers, clerk))
    await sleep(100)
  }
}

/** The answer that brings credit is made and not stored yet: whoever answers for the dead one books it, once (CRA-07). */
const creditBooked: Drill = (shop) =>
  dieAt('CP9', shop, async () => (await openAccount(shop))?.purchase ?? null)

/** The money has moved, and nobody is left who knows that it has to be answered (CRA-06). */
const settledAndGone: Drill = (shop) => dieAt('CP8', shop, () => open(shop, 'settled and gone', SPREAD))

/**
 * The node has the transaction, the settler dies before it hears of it, and the seller's wait for it ends before there is
 * another settler (CRA-04). The buyer does not come back either.
 */
const settlerGone: Drill = async (shop) => {
  const { service, rpc } = shop.world
  const purchase = await open(shop, 'settler gone', `${PING}?echo=settler`)
  if (purchase === null) return
  const out = rpc.loseAnswerTo('eth_sendRawTransaction')
  const asked = call(shop, purchase.path, purchase.headers)
  await Promise.race([out, sleep(PATIENCE_MS)])
  await service.worker!.kill()
  await asked
  await service.startWorker()
}

/** A facilitator has moved the money, and its caller dies before it writes that down: it must have written before it asked. */
const facilitatorAsked: Drill = async (shop) => {
  const { chain } = shop.world
  const { owner } = chain.accounts //  another account than our settler's, which counts its own nonces
  await chain.clients.node.setBalance({ address: owner.address, value: GAS_WEI })
  const facilitator = await startFacilitator({ ...chain, accounts: { ...chain.accounts, settler: owner } })
  try {
    const env = { SETTLEMENT: 'facilitator', FACILITATOR_URL: facilitator.url }
    await dieAt('CP7', shop, () => open(shop, 'facilitator asked', SPREAD), env)
  } finally {
    await facilitator.close()
  }
}

/** The ledger's power fails within the second in which a pass was used: no call may come back. */
const powerCut: Drill = async (shop) => {
  const purchase = await open(shop, 'power cut', HOUR_PASS)
  if (purchase === null) return
  await persist(shop, purchase)
  if (purchase.text === null) return
  const token = JSON.parse(purchase.text).result.token as string
  const pass = { token, delivered: 0 }
  shop.log.passes.push(pass)
  shop.log.secrets.push(token)
  await losePower(shop.world, async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => call(shop, SPREAD, { 'x-service-pass': token })),
    )
    pass.delivered = answers.filter((answer) => answer?.status === 200).length
  })
}

const RACES = 6

/** Two requests with one payment before either is claimed: the claim decides, and it decides once. */
const race: Drill = async (shop) => {
  for (let at = 0; at < RACES; at++) await twoAtOnce(shop)
}

const DRILLS = [
  race,
  badInputs,
  permits,
  passes,
  creditBooked,
  settledAndGone,
  settlerGone,
  facilitatorAsked,
  powerCut,
]

/**
 * Forced schedules, before the storm and while nobody else buys: what chance may not bring within a minute happens here
 * every time. What they leave behind is judged at the end with all the rest.
 * @param check looks after each whether something is wrong already; then no other follows.
 */
export async function drill(shop: Shop, check: () => Promise<void>): Promise<void> {
  for (const step of DRILLS) {
    if (shop.isOver()) return
    await step(shop)
    await check()
  }
}
