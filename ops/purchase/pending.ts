import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { PurchaseEnd } from './outcomes.ts'

/**
 * A signed payment is kept in a file before it is sent and removed once its outcome is known: whatever
 * happens in between, the same payment can be sent again and no new one is needed.
 */
export const PendingPayment = z.object({
  url: z.url({ protocol: /^https?$/ }),
  paymentSignature: z.string().min(1),
  signedAt: z.string(),
})
export type PendingPayment = z.infer<typeof PendingPayment>

/** @returns path of the file. @throws PurchaseEnd: a payment that could not be resumed is not sent. */
export async function keepPayment(dir: string, nonce: string, payment: PendingPayment): Promise<string> {
  const file = join(dir, `${nonce.slice(2, 18)}.json`)
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    await writeFile(file, `${JSON.stringify(payment)}\n`, { mode: 0o600, flush: true })
    return file
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown'
    throw new PurchaseEnd(
      'usage',
      `the payment cannot be kept, so it is not sent: ${why}. Name another --data-dir`,
    )
  }
}

export const forgetPayment = (file: string): Promise<void> => rm(file, { force: true })

/** @throws PurchaseEnd `usage` */
export async function readPayment(file: string): Promise<PendingPayment> {
  try {
    return PendingPayment.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    throw new PurchaseEnd('usage', `--resume ${file}: is not there, or holds no payment`)
  }
}
