import { UnavailableError } from '../../ops/errors.ts'
import { remember } from '../../ops/remember.ts'
import { SECOND } from '../../ops/units.ts'
import { NAMED_MAX_BYTES } from './namedBytes.ts'
import type { Payment, PaymentChain, Settled } from './port.ts'
import { TooMuchError } from './rpc.ts'

/** Questions this process asks at once: each costs several reads of the chain, and nobody has paid for them yet. */
const AT_ONCE = 32
let asking = 0
/** A transaction too large to read is not read again for this long: the holder of the nonce chose it. */
const TOO_MUCH_FOR_MS = 10 * SECOND
const MAX_REMEMBERED = 1_000
const tooMuch = new Map<string, number>() //  by payer and nonce: until when

/**
 * Where a payment that we never claimed has already paid us: somebody else submitted it (RPL-13), or a process of ours
 * did before it lost its ledger. The chain shows who paid how much to whom, but not the signature, so the signature
 * over exactly these terms must be proven as well; else whoever reads the chain could use a stranger's payment (x402-v2
 * 2.8). Whether that transfer has bought something before is decided by the claim, in one step.
 * @returns null: not signed, or the nonce went elsewhere, or was not used in its window. Its holder has not paid us.
 * @throws UnavailableError when the chain does not show the use that was reported: it may show it in a moment.
 */
export async function paidAlready(
  payment: Payment,
  chain: Pick<PaymentChain, 'isSigned' | 'fate'>,
  nowMs: number,
): Promise<Settled | null> {
  if (asking >= AT_ONCE)
    throw new UnavailableError('chain_unavailable', 'too many used nonces are asked about')
  const { from, nonce } = payment.authorization
  const name = `${from} ${nonce}`
  if ((tooMuch.get(name) ?? 0) > performance.now())
    throw new UnavailableError('chain_unavailable', 'its transaction is too much to be read')
  asking++
  try {
    return await look(payment, chain, nowMs)
  } catch (error) {
    if (error instanceof TooMuchError)
      remember(tooMuch, name, performance.now() + TOO_MUCH_FOR_MS, MAX_REMEMBERED)
    throw error
  } finally {
    asking--
  }
}

async function look(
  payment: Payment,
  chain: Pick<PaymentChain, 'isSigned' | 'fate'>,
  nowMs: number,
): Promise<Settled | null> {
  if (!(await chain.isSigned(payment))) return null
  const { from, to, value, nonce, validAfter, validBefore } = payment.authorization
  const fate = await chain.fate(payment.asset, from, nonce, nowMs, NAMED_MAX_BYTES)
  if (fate.kind === 'unused')
    throw new UnavailableError('chain_unavailable', 'a nonce is said to be used, and the chain has it unused')
  if (fate.kind !== 'used') return null
  const { kind: _, to: paidTo, value: paid, ...settled } = fate
  const usedS = BigInt(Math.floor(settled.blockMs / SECOND))
  const isWithin = validAfter < usedS && usedS < validBefore
  return paidTo === to && paid === value && isWithin ? settled : null
}
