import { encodeFunctionData, getAddress, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { classify } from '../../../api/settlement/classify.ts'
import type { Authorization, Payment } from '../../../api/settlement/port.ts'
import { TOKEN_ABI } from '../../../ops/sandbox/chain/tokenAbi.ts'
import { DOMAIN, lower, nonce, TERMS, typedDataOf, USDC } from './vectors.ts'

type Key = { privateKey: Hex }

/** Terms of a payment of one cent, good for the next five minutes. */
export const cent = (from: string, to: string, over: Partial<Authorization> = {}): Authorization => ({
  from: lower(from),
  to: lower(to),
  value: 10_000n,
  validAfter: 0n,
  validBefore: BigInt(Math.floor(Date.now() / 1000) + 300),
  nonce: nonce(),
  ...over,
})

/** What a gate would hand over: signed by the key, then classified by us. */
export async function pay(
  key: Key,
  to: string,
  over: Partial<Authorization> = {},
  { wrap = (signature: Hex) => signature, factories = new Set<Hex>() } = {},
): Promise<Payment> {
  const signer = privateKeyToAccount(key.privateKey)
  const authorization = cent(signer.address, to, over)
  const signature = wrap(await signer.signTypedData(typedDataOf(authorization)))
  const classified = classify(authorization, signature, { domain: DOMAIN, factories })
  if ('refusal' in classified) throw new Error(`classified as ${classified.refusal}`)
  if (classified.unlisted) throw new Error('its factory is not listed')
  return { chainId: TERMS.chainId, asset: USDC, authorization, ...classified }
}

/** Call data of the token: the payment as anybody may submit it. */
export function transferCall({ authorization, signature }: Payment): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return encodeFunctionData({
    abi: TOKEN_ABI,
    functionName: 'transferWithAuthorization',
    args: [getAddress(from), getAddress(to), value, validAfter, validBefore, nonce, signature],
  })
}

/** Call data of the token: the payer takes an authorization back. */
export async function cancelCall(key: Key, nonceToCancel: Hex): Promise<Hex> {
  const signer = privateKeyToAccount(key.privateKey)
  const signature = await signer.signTypedData({
    domain: typedDataOf(cent(signer.address, signer.address)).domain,
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: signer.address, nonce: nonceToCancel },
  })
  return encodeFunctionData({
    abi: TOKEN_ABI,
    functionName: 'cancelAuthorization',
    args: [signer.address, nonceToCancel, signature],
  })
}
