import { randomBytes } from 'node:crypto'
import { encodeFunctionData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { connectChain } from '../../ops/sandbox/chain/setup.ts'
import { TOKEN_ABI } from '../../ops/sandbox/chain/tokenAbi.ts'
import { type Answer, get, headerOf, offerOf, paid, payment, rawRequest } from './buyer.ts'
import type { WholeWorld } from './canariesWorld.ts'
import { until } from './process.ts'

/** Strings that must be found nowhere, each with a description of what it is. */
export type Planted = Map<string, string>

/** A buyer that plants a canary in everything it sends, and records every secret it receives. */
export function createPlanter({ base, buyers, usdc, rpcUrl }: WholeWorld) {
  const planted: Planted = new Map()
  const keep = (what: string, secret: string): string => {
    planted.set(secret, what)
    return secret
  }
  const plant = (what: string): string => keep(what, `canary${randomBytes(9).toString('hex')}`)
  const buyer = buyers[0]!
  const { reads, wallet } = connectChain(rpcUrl)

  /** The same request until its answer is final; the process it is sent to may die. */
  const persist = (ask: () => Promise<Answer>): Promise<Answer> =>
    until('a final answer', async () => {
      const answer = await ask().catch(() => null)
      if (answer === null || answer.status === 202) return null
      return answer.header('retry-after') !== null && answer.status !== 402 ? null : answer
    })

  /** Signs for a path. Signature, header and redemption secret are canaries. */
  async function sign(path: string, what = 'signature of a settled payment') {
    const offer = await offerOf(base, path)
    const { header, signature, signed } = await payment(offer, buyer)
    keep(what, signature.slice(2))
    keep('payment header', header)
    if (offer.extra.redemption !== undefined) keep('redemption secret', offer.extra.redemption)
    return { offer, header, signature, signed }
  }

  return {
    planted,
    keep,
    plant,
    persist,
    sign,
    async buy(path: string, headers: Record<string, string> = {}): Promise<Answer> {
      const { header } = await sign(path)
      return persist(() => get(`${base}${path}`, { ...headers, ...paid(header) }))
    },
    post: (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
      rawRequest(base, {
        path,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    /** A payment that is not what was asked for. */
    async refusedPayment(path: string): Promise<Answer> {
      const { offer, signed, signature } = await sign(path, 'signature of a refused payment')
      const { from, to, value, validAfter, validBefore, nonce } = signed
      const authorization = {
        from,
        to,
        nonce,
        value: String(value + 1n),
        validAfter: String(validAfter),
        validBefore: String(validBefore),
      }
      const header = headerOf({ x402Version: 2, accepted: offer, payload: { signature, authorization } })
      return get(`${base}${path}`, paid(keep('payment header', header)))
    },
    /** @returns the hash of a mined transfer of USDC. */
    async transfer(to: `0x${string}`, amount: bigint): Promise<`0x${string}`> {
      const hash = await wallet.sendTransaction({
        account: privateKeyToAccount(buyer.privateKey),
        to: usdc,
        data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args: [to, amount] }),
      })
      await reads.waitForTransactionReceipt({ hash, timeout: 20_000 })
      return hash
    },
  }
}

export type Planter = ReturnType<typeof createPlanter>
