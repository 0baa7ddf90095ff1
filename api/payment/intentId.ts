import { createCipheriv, createHmac, randomFillSync, timingSafeEqual } from 'node:crypto'

/**
 * A legacy intent that needs no storage: everything it promises is inside its id, authenticated by us.
 *   1 version · 6 issued (Unix ms) · 4 amount (micro-USDC) · 5 random · 16 MAC
 *
 * The MAC is AES-CBC-MAC over exactly two blocks: the digest of path and receiver, and the 16 bytes above. The length
 * is fixed, so CBC-MAC is sound. The first block is the same for every id of a path, so an id costs one block, and many
 * ids cost one call of the cipher: the call is the expensive part, and every 402 has an id. An id is void on another
 * path.
 */
export type LegacyIntent = { issuedMs: number; amountMicroUsdc: bigint }
/** @property payTo the receiver it names; in the reader's own spelling if that is still the current one. */
export type ReadIntent = LegacyIntent & { payTo: string }

export type IntentIds = {
  issue(intent: LegacyIntent): string
  /** One id for each amount, micro-USDC. */
  issueAll(issuedMs: number, amounts: readonly number[]): string[]
  /**
   * null when the id is not ours, or was issued for another path.
   * @param receivers former receivers that the id may name.
   */
  read(id: string, receivers?: readonly string[]): ReadIntent | null
}

const UNNAMED_VERSION = 1
const VERSION = 2
const BLOCK = 16
const MAX_AMOUNT = 0xffff_ffffn

/**
 * @param payTo the receiver its 402s name; '' as until 2026-11-23, when intents named none: then the current receiver.
 */
export function createIntentIds(secret: Buffer, path: string, payTo = ''): IntentIds {
  const key = createHmac('sha256', secret).update('intent-key').digest().subarray(0, BLOCK)
  const aes = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  const stateOf = (receiver: string): Buffer => {
    const promised = receiver === '' ? `intent-path|${path}` : `intent-path|${path}|${receiver.toLowerCase()}`
    return encrypt(aes, createHmac('sha256', secret).update(promised).digest().subarray(0, BLOCK))
  }
  const unnamedState = stateOf('')
  const ownState = stateOf(payTo)
  const version = payTo === '' ? UNNAMED_VERSION : VERSION
  /** MACs of whole blocks, one after the other. */
  const macs = (heads: Buffer, state: Buffer): Buffer => {
    const mixed = Buffer.allocUnsafe(heads.length)
    for (let at = 0; at < heads.length; at++) mixed[at] = heads[at]! ^ state[at % BLOCK]!
    return encrypt(aes, mixed)
  }
  const issueAll = (issuedMs: number, amounts: readonly number[]): string[] => {
    const heads = Buffer.allocUnsafe(BLOCK * amounts.length)
    for (const [index, amount] of amounts.entries()) {
      const at = index * BLOCK
      heads[at] = version
      heads.writeUIntBE(issuedMs, at + 1, 6)
      heads.writeUInt32BE(amount, at + 7)
      fillRandom(heads, at + 11, 5)
    }
    const tails = macs(heads, ownState)
    const id = Buffer.allocUnsafe(2 * BLOCK)
    return amounts.map((_, index) => {
      heads.copy(id, 0, index * BLOCK, (index + 1) * BLOCK)
      tails.copy(id, BLOCK, index * BLOCK, (index + 1) * BLOCK)
      return id.toString('base64url')
    })
  }
  return {
    issue({ issuedMs, amountMicroUsdc }) {
      if (amountMicroUsdc > MAX_AMOUNT) throw new Error('assumption broken: a legacy price fits four bytes')
      return issueAll(issuedMs, [Number(amountMicroUsdc)])[0]!
    },
    issueAll,
    read(id, receivers = []) {
      if (!/^[A-Za-z0-9_-]{43}$/.test(id)) return null
      const bytes = Buffer.from(id, 'base64url')
      if (bytes.length !== 2 * BLOCK || bytes.toString('base64url') !== id) return null
      const head = bytes.subarray(0, BLOCK)
      const isMade = (state: Buffer) => timingSafeEqual(macs(head, state), bytes.subarray(BLOCK))
      const said = { issuedMs: bytes.readUIntBE(1, 6), amountMicroUsdc: BigInt(bytes.readUInt32BE(7)) }
      if (bytes[0] === UNNAMED_VERSION && isMade(unnamedState)) return { ...said, payTo }
      if (bytes[0] !== VERSION) return null
      if (isMade(ownState)) return { ...said, payTo }
      const former = receivers.find((receiver) => receiver !== '' && isMade(stateOf(receiver)))
      return former === undefined ? null : { ...said, payTo: former }
    },
  }
}

const encrypt = (aes: ReturnType<typeof createCipheriv>, block: Buffer): Buffer => aes.update(block)

const pool = Buffer.alloc(8 * 1024)
let poolAt = pool.length
/** Random bytes from a pool: one system call serves a thousand unpaid requests. */
function fillRandom(target: Buffer, at: number, count: number): void {
  if (poolAt + count > pool.length) {
    randomFillSync(pool)
    poolAt = 0
  }
  pool.copy(target, at, poolAt, poolAt + count)
  poolAt += count
}

/** In how many amounts one price may be asked: the tag is at most a tenth of it, and at most 0.000999 USDC. */
export const legacyTagSpan = (priceMicroUsdc: bigint): bigint =>
  priceMicroUsdc / 10n < 1_000n ? priceMicroUsdc / 10n : 1_000n

const random = Buffer.alloc(4)
/**
 * How much less than the price a legacy buyer sends: it tells the transfers of different buyers apart, and nobody is
 * asked for more than the advertised price.
 * @param price micro-USDC; so is the tag.
 */
export function randomTag(price: number): number {
  const span = Number(legacyTagSpan(BigInt(price)))
  if (span === 0) return 0
  fillRandom(random, 0, 4)
  return random.readUInt32BE(0) % span
}
