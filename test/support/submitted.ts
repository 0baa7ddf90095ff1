import { encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Account } from '../../ops/sandbox/chain/accounts.ts'
import { TOKEN_ABI } from '../../ops/sandbox/chain/tokenAbi.ts'
import { type Answer, nowS, type Signed } from './buyer.ts'
import type { TestChain } from './chain.ts'
import { until } from './process.ts'

/** A window, in seconds, that can still be paid in and is over a moment later: its last six seconds do not count. */
export const SHORT_S = 12n
const LEFT_S = 6n

export async function whenOver({ validBefore }: Signed): Promise<void> {
  await until('its window is over', () => validBefore < nowS() + LEFT_S, 30_000)
}

/**
 * Submits an authorization to the token, as anybody may, through the overload for signatures of any kind.
 * @returns the hash of the transaction, which is in a block. @throws when it reverts.
 */
export const submitAuthorization = (
  { chain, by }: { chain: TestChain; by: Account },
  { from, to, value, validAfter, validBefore, nonce }: Signed,
  signature: Hex,
): Promise<Hex> =>
  chain.send(
    by,
    chain.usdc,
    encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'transferWithAuthorization',
      args: [from, to, value, validAfter, validBefore, nonce, signature],
    }),
  )

/** The header in which a payer signs the text that a refusal asks for. */
export const provenBy = async ({ privateKey }: { privateKey: Hex }, refusal: Answer) => ({
  'x-service-payer-signature': await privateKeyToAccount(privateKey).signMessage({
    message: refusal.json.prove.text,
  }),
})
