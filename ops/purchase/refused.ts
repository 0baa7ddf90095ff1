import { mkdir, rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DAY, MINUTE, SECOND } from '../units.ts'
import { isAuthorizationUsed } from './chain.ts'
import { readAll, removeFile } from './kept/files.ts'
import type { Home } from './kept/home.ts'
import { PendingPayment } from './pending.ts'
import { readSigned } from './wire.ts'

/** How far the chain's clock may be behind ours. */
const CLOCKS_APART_MS = 1 * MINUTE
const KEPT_MS = 7 * DAY

/**
 * A payment that was sent and refused is still a signed payment: whoever has it can take the money until it expires,
 * whatever was said. So it goes on counting against the limits.
 */
export const keepRefused = ({ refusedDir }: Home, waitingFile: string): Promise<void> =>
  moveTo(refusedDir, waitingFile)

/**
 * Stops counting payments that have expired and, as the chain says, were not taken. One that was taken after all waits
 * again, so that the answer it paid for can be fetched. Where the chain cannot tell, a payment counts for seven more
 * days.
 * @returns the payments that were taken.
 */
export async function settleRefused(
  { refusedDir, waitingDir }: Home,
  rpcUrl: string | null,
  nowMs: number,
): Promise<PendingPayment[]> {
  const taken: PendingPayment[] = []
  let isAsked = rpcUrl !== null
  for (const { file, value: payment } of await readAll(refusedDir, PendingPayment)) {
    const signed = readSigned(payment.paymentSignature)
    const endedMs = signed.validBefore * SECOND + CLOCKS_APART_MS
    if (nowMs < endedMs) continue
    const used = isAsked ? await isAuthorizationUsed(rpcUrl!, signed) : null
    isAsked &&= used !== null //  a node that is away is waited for once
    if (used === true) {
      taken.push(payment)
      await moveTo(waitingDir, file)
    } else if (used === false || nowMs > endedMs + KEPT_MS) {
      if (payment.spentFile !== null) await removeFile(payment.spentFile)
      await removeFile(file)
    }
  }
  return taken
}

async function moveTo(dir: string, file: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await rename(file, join(dir, basename(file)))
}
