import { join } from 'node:path'
import { z } from 'zod'
import { messageOf } from '../errors.ts'
import { isSameProcess, processStart } from '../supervise/identity.ts'
import { readAll, readJson, removeFile, writePrivateJson } from './kept/files.ts'
import { PurchaseEnd } from './outcomes.ts'

/**
 * A signed payment is kept in a file before it is sent and removed once its outcome is known: whatever
 * happens in between, the same payment can be sent again and no new one is needed.
 */
export const PendingPayment = z.object({
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()).default({}), //  sent besides the payment
  paymentSignature: z.string().min(1),
  from: z.string().default(''), //                           the wallet
  signedAt: z.string(),
  spentFile: z.string().nullable().default(null), //         what counts it against the limits
  owner: z.object({ pid: z.int(), start: z.string() }).nullable().default(null), // the process that sends it
})
export type PendingPayment = z.infer<typeof PendingPayment>

/** @returns path of the file. @throws PurchaseEnd: a payment that could not be resumed is not sent. */
export async function keepPayment(
  dir: string,
  nonce: string,
  payment: Omit<PendingPayment, 'owner'>,
): Promise<string> {
  const file = join(dir, `${nonce.slice(2, 18)}.json`)
  try {
    const owner = { pid: process.pid, start: processStart(process.pid) ?? '' }
    await writePrivateJson(file, { ...payment, owner } satisfies PendingPayment)
    return file
  } catch (error) {
    const why = messageOf(error)
    throw new PurchaseEnd(
      'usage',
      `the payment cannot be kept, so it is not sent: ${why}. Name another --data-dir`,
    )
  }
}

export const forgetPayment = (file: string): Promise<void> => removeFile(file)

/** @throws PurchaseEnd `usage` */
export async function readPayment(file: string): Promise<PendingPayment> {
  const payment = await readJson(file, PendingPayment)
  if (payment === null) throw new PurchaseEnd('usage', `--resume ${file}: is not there, or holds no payment`)
  return payment
}

export type Waiting = { file: string; payment: PendingPayment }

/** Payments that nobody sends any more: their process has ended without learning how they ended. Oldest first. */
export async function waitingPayments(dir: string): Promise<Waiting[]> {
  return (await readAll(dir, PendingPayment))
    .filter(({ value: { owner } }) => owner === null || !isSameProcess(owner.pid, owner.start))
    .map(({ file, value }) => ({ file, payment: value }))
    .sort((a, b) => (a.payment.signedAt < b.payment.signedAt ? -1 : 1))
}

/** Whether a payment was for this very request from this wallet: it is sent again before anything new is signed. */
export const isFor =
  (url: string, headers: Record<string, string>, from: string) =>
  ({ payment }: Waiting): boolean =>
    payment.url === url &&
    payment.from.toLowerCase() === from.toLowerCase() &&
    JSON.stringify(Object.entries(payment.headers).sort()) === JSON.stringify(Object.entries(headers).sort())
