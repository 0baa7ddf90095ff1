import type { Hex } from 'viem'
import type { Log } from '../../ops/log.ts'
import { SECOND } from '../../ops/units.ts'
import { createAccount } from './account.ts'
import { createBroadcasts, type WriteDown } from './broadcasts.ts'
import { createGas, type SendProblem } from './gas.ts'
import type { SettleJob, SettleLedger } from './port.ts'
import type { Rpc } from './rpc.ts'
import type { SendOutcome } from './sendOutcome.ts'
import type { LoneCall } from './simulate.ts'
import type { SignedTx, Wallet } from './wallet.ts'

/** One account nonce that we have signed for. Its versions differ in fees only: at most one of them is ever mined. */
export type Flight = {
  nonce: number
  call: LoneCall
  jobs: SettleJob[]
  lone: boolean
  versions: SignedTx[] //          oldest first, never empty
  accepted: boolean //             a node has taken the newest version
  sentAtBlock: bigint //           when the newest version was first offered
  offeredAtBlock: bigint //        when it was offered last
  missingSinceMs: number | null // since when its nonce is mined but none of its versions is found
}

export const MAX_IN_FLIGHT = 8
const BUMP_AFTER_BLOCKS = 3n
const MAX_VERSIONS = 24
/** Landed flights kept in case of a reorganisation, and how long the account is watched for one. */
const KEPT_LANDED = 64
const WATCH_MS = 15 * SECOND
const MAX_HOLD_MS = 15 * SECOND
/** The next try begins by then; until a node takes it, nothing has changed. */
const NEXT_TRY_MS = 2 * SECOND

const STUCK: SendProblem = {
  code: 'gas_too_dear',
  text: 'a transaction is stuck and its fee has reached our limit',
}

export type Flights = ReturnType<typeof createFlights>

/**
 * The transactions of one account: which nonce is next, what is under way, what must be offered again or with
 * a higher fee. Several may be under way, in the order of their nonces. It decides nothing about payments.
 */
export function createFlights({
  rpc,
  wallet,
  ledger,
  log,
  nowMs,
  onSent,
}: {
  rpc: Rpc
  wallet: Wallet
  ledger: SettleLedger
  log: Log
  nowMs(): number
  onSent(kind: 'batch' | 'lone' | 'bump'): void
}) {
  const air: Flight[] = []
  const landed: Flight[] = []
  const broadcasts = createBroadcasts(ledger)
  const account = createAccount({ rpc, wallet, log })
  const gas = createGas({ rpc, wallet, baseFee: account.baseFee, nowMs })
  let lastLandedMs = Number.NEGATIVE_INFINITY
  let problem: SendProblem | null = null
  /** After a rejection nothing is signed for a while, longer each time: every try adds a hash to the ledger. */
  let hold = { streak: 0, untilMs: Number.NEGATIVE_INFINITY }

  async function adopt(): Promise<void> {
    await account.adopt()
    problem = await gas.refuseAny()
  }

  /** Reads where the account is now. A count that went back is a reorganisation: flights it dropped are sent again. */
  async function refresh(): Promise<void> {
    if (!account.isAdopted()) return adopt()
    await account.refresh()
    await reviewProblem()
    sendAgainDropped()
  }

  /** Whether what held up the last departure still does. */
  async function reviewProblem(): Promise<void> {
    //  one that was refused at our highest fee is no longer in the air, but still the reason why nothing is sent
    if (problem === STUCK && nowMs() <= hold.untilMs + NEXT_TRY_MS) return
    if (problem?.code === 'no_gas' || problem?.code === 'gas_too_dear') problem = await gas.refuseAny()
    else if (air.length === 0 && nowMs() > hold.untilMs) problem = null
  }

  function sendAgainDropped(): void {
    const dropped = landed.filter((flight) => !isMined(flight))
    if (dropped.length === 0) return
    log.warn(
      { transactions: dropped.length, block: Number(account.block()) },
      'a reorganisation dropped transactions',
    )
    for (const flight of dropped) {
      landed.splice(landed.indexOf(flight), 1)
      if (!air.some(({ nonce }) => nonce === flight.nonce))
        enterAir({ ...flight, accepted: false, missingSinceMs: null })
    }
  }

  function enterAir(flight: Flight): void {
    air.push(flight)
    air.sort((a, b) => a.nonce - b.nonce)
  }

  function leaveAir(flight: Flight): void {
    const at = air.indexOf(flight)
    if (at >= 0) air.splice(at, 1)
  }

  const isMined = ({ nonce }: Flight): boolean => nonce < account.mined()
  const nextNonce = (): number => account.nextNonce(air.map(({ nonce }) => nonce))

  /**
   * Signs, writes down, sends, in this order: a crash at any point leaves at most a transaction that
   * the ledger knows of. @returns false when nothing more can be sent now; `problem()` says why.
   */
  async function launch(
    call: LoneCall,
    jobs: SettleJob[],
    lone: boolean,
    write: WriteDown = broadcasts.first,
  ): Promise<boolean> {
    const offer = await gas.offer()
    const refusal = await gas.refuse(call.gas, offer)
    if (refusal !== null || problem !== STUCK) problem = refusal
    if (refusal !== null) return false
    const nonce = nextNonce()
    const signed = await wallet.sign(call, nonce, offer)
    await write({ jobs, nonce }, signed)
    const block = account.block()
    const flight: Flight = {
      nonce,
      call,
      jobs,
      lone,
      versions: [signed],
      accepted: false,
      sentAtBlock: block,
      offeredAtBlock: block,
      missingSinceMs: null,
    }
    enterAir(flight)
    onSent(lone ? 'lone' : 'batch')
    return offerAgain(flight)
  }

  /** Gives the newest version to the node. @returns whether it is there now. */
  async function offerAgain(flight: Flight): Promise<boolean> {
    flight.offeredAtBlock = account.block()
    const outcome = await wallet.send(flight.versions.at(-1)!)
    flight.accepted = outcome === 'accepted' || outcome === 'known' || outcome === 'spent'
    //  mined, as this node has it: no fee would do more. We may have to wait until the other one of two has it.
    if (outcome === 'spent') flight.sentAtBlock = account.block()
    if (flight.accepted) {
      problem = null
      hold.streak = 0
    } else await handleRefusal(flight, outcome)
    return flight.accepted
  }

  async function handleRefusal(flight: Flight, outcome: SendOutcome | 'unsure'): Promise<void> {
    if (outcome === 'unsure') {
      problem = { code: 'node_unsure', text: 'the node did not say whether it took a transaction' }
      return
    }
    if (outcome === 'underpriced') {
      if (await bump(flight)) {
        await offerAgain(flight) //  which sees to the next refusal, if there is one
        return
      }
    } else
      problem =
        outcome === 'no_gas'
          ? { code: 'no_gas', text: `settler ${wallet.address} cannot pay for gas: send it some` }
          : { code: 'send_rejected', text: 'the node rejects our transactions' }
    //  Explicitly refused and not known by any hash: nothing of it is out, so its nonce is free again.
    for (const { tx } of flight.versions)
      if (await wallet.knows(tx)) {
        flight.accepted = true //  whatever it said: it has one of them
        return
      }
    leaveAir(flight)
    hold = { streak: hold.streak + 1, untilMs: nowMs() + Math.min(MAX_HOLD_MS, SECOND * 2 ** hold.streak) }
  }

  /** Signs it again with a higher fee and the same nonce. @returns false when that is not possible. */
  async function bump(flight: Flight): Promise<boolean> {
    const next = gas.raised(flight.versions.at(-1)!.fees)
    if (next === null || flight.versions.length >= MAX_VERSIONS) {
      problem = STUCK
      return false
    }
    const signed = await wallet.sign(flight.call, flight.nonce, next)
    await broadcasts.again(flight, signed)
    flight.versions.push(signed)
    flight.sentAtBlock = account.block()
    onSent('bump')
    return true
  }

  /**
   * The node refused what was before it, and nothing else took that nonce: no fee would get this one mined, so its
   * payments leave anew in the gap. If the old one is mined as well, it moves nothing.
   * @returns false when nothing can be sent now.
   */
  async function fillGap(flight: Flight): Promise<boolean> {
    if (nowMs() < hold.untilMs) return false
    const { call, jobs, lone, nonce } = flight
    log.warn({ nonce }, 'a nonce before a transaction of ours was not used: it leaves again with that one')
    if (!(await launch(call, jobs, lone, broadcasts.again))) return false
    leaveAir(flight)
    return true
  }

  /** Offers again what the node may have lost; what holds up others gets a higher fee, or the free nonce before it. */
  async function nurse(): Promise<void> {
    for (const flight of [...air]) {
      if (isMined(flight)) continue
      const block = account.block()
      const stuck = flight === air[0] && flight.accepted && block - flight.sentAtBlock >= BUMP_AFTER_BLOCKS
      if (stuck && nextNonce() < flight.nonce) {
        if (!(await fillGap(flight))) return
        continue
      }
      const raised = stuck && (await bump(flight))
      if (raised || !flight.accepted || block > flight.offeredAtBlock + 1n) await offerAgain(flight)
      if (!flight.accepted) return //  those behind it have to wait for it
      if (stuck && !raised) problem = STUCK
    }
  }

  /** Its outcome is written down: it takes no nonce any more, but stays at hand for a reorganisation. */
  function conclude(flight: Flight): void {
    leaveAir(flight)
    landed.push(flight)
    if (landed.length > KEPT_LANDED) landed.shift()
    lastLandedMs = nowMs()
  }

  return {
    adopt,
    refresh,
    launch,
    nurse,
    conclude,
    fees: gas.offer,
    inAir: (): readonly Flight[] => air,
    /** Flights whose nonce is mined, oldest first. */
    arrived: (): Flight[] => air.filter(isMined),
    /** How many more may leave now. */
    room: (): number =>
      account.hasGhosts() || nowMs() < hold.untilMs || air.some(({ accepted }) => !accepted)
        ? 0
        : MAX_IN_FLIGHT - air.length,
    /** Something may have changed on chain that concerns us, although nothing new is to be sent. */
    isRestless: (): boolean =>
      air.length > 0 || account.hasGhosts() || problem !== null || nowMs() - lastLandedMs < WATCH_MS,
    isSpent: (tx: Hex): boolean => broadcasts.isSpent(tx, account.mined()),
    problem: (): SendProblem | null => problem,
    balance: gas.balance,
    lookAtBalance: gas.lookAtBalance,
  }
}
