import { createHmac, randomFillSync, timingSafeEqual } from 'node:crypto'

/**
 * A legacy intent that needs no storage: everything it promises is inside its id, signed by us.
 *   1 version · 6 issued (Unix ms) · 6 amount (micro-USDC) · 8 random · 16 MAC
 * The MAC covers the path as well, so an id bought for one path is void on another.
 */
export type LegacyIntent = { issuedMs: number; amountMicroUsdc: bigint }

const VERSION = 1
const HEAD_BYTES = 1 + 6 + 6 + 8
const MAC_BYTES = 16

const pool = Buffer.alloc(8 * 1024)
let poolAt = pool.length
/** Random bytes by the block: one system call serves a thousand unpaid requests. */
function fillRandom(target: Buffer, at: number): void {
  if (poolAt === pool.length) {
    randomFillSync(pool)
    poolAt = 0
  }
  pool.copy(target, at, poolAt, poolAt + 8)
  poolAt += 8
}

export function issueIntentId(secret: Buffer, path: string, intent: LegacyIntent): string {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + MAC_BYTES)
  bytes[0] = VERSION
  bytes.writeUIntBE(intent.issuedMs, 1, 6)
  bytes.writeUIntBE(Number(intent.amountMicroUsdc), 7, 6)
  fillRandom(bytes, 13)
  mac(secret, path, bytes.subarray(0, HEAD_BYTES)).copy(bytes, HEAD_BYTES, 0, MAC_BYTES)
  return bytes.toString('base64url')
}

/** @returns null when the id is not ours, or was issued for another path. */
export function readIntentId(secret: Buffer, path: string, id: string): LegacyIntent | null {
  if (!/^[A-Za-z0-9_-]{50}$/.test(id)) return null
  const bytes = Buffer.from(id, 'base64url')
  if (bytes.length !== HEAD_BYTES + MAC_BYTES || bytes[0] !== VERSION) return null
  if (bytes.toString('base64url') !== id) return null
  const expected = mac(secret, path, bytes.subarray(0, HEAD_BYTES)).subarray(0, MAC_BYTES)
  if (!timingSafeEqual(expected, bytes.subarray(HEAD_BYTES))) return null
  return { issuedMs: bytes.readUIntBE(1, 6), amountMicroUsdc: BigInt(bytes.readUIntBE(7, 6)) }
}

const mac = (secret: Buffer, path: string, head: Buffer): Buffer =>
  createHmac('sha256', secret).update('intent|').update(path).update(head).digest()

/**
 * The amount a legacy buyer sends: the price less a small random tag, so that transfers of different buyers
 * differ and nobody is asked for more than the advertised price. At most a tenth, at most 0.000999 USDC.
 */
export function taggedAmount(priceMicroUsdc: bigint): bigint {
  const span = priceMicroUsdc / 10n < 1_000n ? priceMicroUsdc / 10n : 1_000n
  if (span === 0n) return priceMicroUsdc
  const random = Buffer.allocUnsafe(8)
  fillRandom(random, 0)
  return priceMicroUsdc - (random.readBigUInt64BE() % span)
}
