import { randomBytes } from 'node:crypto'
import type { Hex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import type { Clock } from '../../ops/clock.ts'
import { UnavailableError } from '../../ops/errors.ts'
import { createHttpClient, HttpError } from '../../ops/http.ts'
import { MICRO_PER_USDC, SECOND } from '../../ops/units.ts'
import { isProblem } from '../errors.ts'
import { answering } from '../http/answering.ts'
import { RATE_LIMITS } from '../http/limits.ts'
import { createRateLimit } from '../http/rateLimit.ts'
import { readJson } from '../http/readJson.ts'
import { jsonReply, NO_STORE } from '../http/respond.ts'
import type { Route } from '../http/router.ts'
import { chainIdOf } from '../ledger/ledger.ts'
import type { Authorization } from '../settlement/port.ts'
import { tokenDomain, transferDigest } from '../settlement/typedData.ts'
import type { Facts } from '../storefront/facts.ts'
import { SANDBOX_SIGN_PATH, SIGN_MAX_BYTES, SignAsked, type Signed } from './sandboxSign.ts'

const RPC_TIMEOUT_MS = 5 * SECOND
const PLAY_MONEY = 1_000n * MICRO_PER_USDC

const Given = z.object({ result: z.null() })

/**
 * A buyer for people who try the sandbox (decision 014): `POST /sandbox/sign {accepted}` answers the payload of a
 * payment. Its key is made at the first request, held in memory and never written. Its money is what a development
 * chain gives on command (`anvil_dealERC20`), which no real chain does. It signs payments to us over our prices,
 * nothing else.
 * @throws when the service is not a sandbox: the route must not exist there.
 */
export function openSandboxWallet({ facts, rpcUrl, clock }: { facts: Facts; rpcUrl: string; clock: Clock }): {
  route: Route
  close(): Promise<void>
} {
  const { testWallet, goods, terms } = facts
  if (!testWallet) throw new Error('assumption broken: only a sandbox has a test wallet')
  let made: PrivateKeyAccount | null = null //  made late: it takes a tenth of the CPU of a start
  const walletOf = () => {
    made ??= privateKeyToAccount(generatePrivateKey())
    return made
  }
  const http = createHttpClient({ timeoutMs: RPC_TIMEOUT_MS, maxBytes: SIGN_MAX_BYTES })
  const prices = new Set(goods.map(({ priceMicroUsdc }) => priceMicroUsdc.toString()))
  const domain = tokenDomain({
    name: terms.tokenName,
    version: terms.tokenVersion,
    asset: terms.asset as Hex,
    chainId: chainIdOf(terms.network),
  })

  const isOurs = ({ network, asset, payTo, amount }: z.infer<typeof SignAsked>['accepted']): boolean =>
    network === terms.network && asset === terms.asset && payTo === terms.payTo && prices.has(amount)

  async function topUp(address: Hex): Promise<void> {
    const params = [address, terms.asset, `0x${PLAY_MONEY.toString(16)}`]
    const post = { jsonrpc: '2.0', id: 1, method: 'anvil_dealERC20', params }
    try {
      Given.parse((await http.readJson({ url: rpcUrl, post })).json)
    } catch (error) {
      if (error instanceof HttpError || error instanceof z.ZodError)
        throw new UnavailableError('chain_unavailable', 'the chain gives no play money', error)
      throw error
    }
  }

  const route: Route = {
    method: 'POST',
    path: SANDBOX_SIGN_PATH,
    limit: createRateLimit(RATE_LIMITS.sandbox, clock),
    handler: answering(async (request) => {
      const read = await readJson(request, SignAsked, SIGN_MAX_BYTES)
      if (isProblem(read)) return read
      const { accepted } = read.body
      if (!isOurs(accepted))
        return { problem: 'invalid_parameter', detail: 'accepted: is not an offer of this service.' }
      const wallet = walletOf()
      await topUp(wallet.address)
      const nowS = Math.floor(clock.nowMs() / SECOND)
      const authorization = {
        from: wallet.address,
        to: terms.payTo as Hex,
        value: BigInt(accepted.amount),
        validAfter: 0n,
        validBefore: BigInt(nowS + Math.min(accepted.maxTimeoutSeconds, terms.maxTimeoutSeconds)),
        nonce: `0x${randomBytes(32).toString('hex')}` as Hex,
      }
      const hash = `0x${Buffer.from(transferDigest(authorization, domain)).toString('hex')}` as Hex
      const answer: z.infer<typeof Signed> = {
        ok: true,
        mode: 'sandbox',
        payload: { signature: await wallet.sign({ hash }), authorization: asText(authorization) },
      }
      return jsonReply(200, answer, [NO_STORE])
    }),
  }
  return { route, close: () => http.close() }
}

/** The authorization as it travels in a payment. */
const asText = ({ value, validAfter, validBefore, ...rest }: Authorization) => ({
  ...rest,
  value: value.toString(),
  validAfter: validAfter.toString(),
  validBefore: validBefore.toString(),
})
