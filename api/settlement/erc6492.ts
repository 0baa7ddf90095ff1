import { type Address, decodeAbiParameters, type Hex } from 'viem'

/** ERC-6492: the signature of a wallet that is not deployed yet, with the call that deploys it. */
export type Deployment = { factory: Address; factoryCall: Hex; inner: Hex }

const MAGIC = '6492'.repeat(16)
const PARAMETERS = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const

export const isWrapped = (signature: Hex): boolean => signature.length > 66 && signature.endsWith(MAGIC)

/** @param signature lower-case. @returns null when the part before the magic suffix is no wrapper. */
export function unwrap(signature: Hex): Deployment | null {
  try {
    const [factory, factoryCall, inner] = decodeAbiParameters(PARAMETERS, `0x${signature.slice(2, -64)}`)
    if (inner === '0x') return null
    return { factory: lower(factory), factoryCall: lower(factoryCall), inner: lower(inner) }
  } catch {
    return null
  }
}

/**
 * The wallet factories we deploy from. Even a listed one is only ever called by Multicall3, which holds
 * nothing and is allowed nothing, so no factory call can act in our name (SIG-05).
 * @param text comma list of addresses.
 * @param never addresses that must not be listed: the token, Multicall3, our receiver, our settler.
 * @throws naming the entry that cannot be a factory.
 */
export function readFactories(text: string, never: readonly Address[]): ReadonlySet<Address> {
  const refused = new Set(never.map(lower))
  const entries = text
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
  const factories = new Set<Address>()
  for (const entry of entries) {
    if (!isAddressText(entry) || refused.has(entry) || isReserved(entry))
      throw new Error(`EIP6492_FACTORIES: ${entry.slice(0, 42)} cannot be a wallet factory`)
    factories.add(entry)
  }
  return factories
}

/**
 * No payer and no factory: the zero address and the precompiles, which may answer an EIP-1271 question by
 * echoing it (the identity precompile, SIG-06). Wider than today's 0x01 to 0x11 and 0x100 on purpose.
 * @param address lower-case.
 */
export const isReserved = (address: Address): boolean => address.startsWith(`0x${'0'.repeat(36)}`)

const isAddressText = (text: string): text is Address => /^0x[0-9a-f]{40}$/.test(text)
const lower = <H extends Hex>(hex: H): H => hex.toLowerCase() as H
