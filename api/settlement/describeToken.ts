import { type Address, decodeAbiParameters, type Hex } from 'viem'
import { haveCode } from './codeSizes.ts'
import { MULTICALL3 } from './multicall.ts'
import { ethCall, quantityOf } from './nodeReads.ts'
import { type Rpc, RpcError } from './rpc.ts'
import { DOMAIN_SEPARATOR, NAME, VERSION } from './tokenCalls.ts'
import type { TokenDomain } from './typedData.ts'

/** null: the token does not answer that question, so it is not the token we mean. */
export type TokenDescription = {
  chainId: number
  name: string | null
  version: string | null
  domainSeparator: Hex | null
  hasCode: boolean
  hasMulticall: boolean
}

/** Read once at boot. @throws UnavailableError when the node does not answer. */
export async function describeToken(rpc: Rpc, asset: Address): Promise<TokenDescription> {
  const [chainId, [hasCode, hasMulticall], name, version, separator] = await Promise.all([
    quantityOf(rpc, 'eth_chainId', []),
    haveCode(rpc, [asset, MULTICALL3]),
    ask(rpc, asset, NAME),
    ask(rpc, asset, VERSION),
    ask(rpc, asset, DOMAIN_SEPARATOR),
  ])
  return {
    chainId: Number(chainId),
    name: textOf(name),
    version: textOf(version),
    domainSeparator: separator !== null && /^0x[0-9a-f]{64}$/.test(separator) ? separator : null,
    hasCode: hasCode === true,
    hasMulticall: hasMulticall === true,
  }
}

/**
 * Every way in which the chain contradicts the configuration; empty when none. A wrong name or version
 * would make each signature look bad, a wrong chain would take worthless money (x402-v2 6, item 12).
 */
export function refuseToken(found: TokenDescription, domain: TokenDomain): string[] {
  const separator: Hex = `0x${Buffer.from(domain.separator).toString('hex')}`
  const problems: (string | false)[] = [
    found.chainId !== domain.chainId &&
      `CHAIN_ID is ${domain.chainId}, but the node at BASE_RPC_URL serves ${found.chainId}`,
    !found.hasCode && `USDC_ADDRESS ${domain.asset} has no code on this chain`,
    !found.hasMulticall && `Multicall3 does not stand at ${MULTICALL3} on this chain`,
    found.name !== domain.name && `the token's name() is ${found.name}, not ${domain.name}`,
    found.version !== domain.version && `the token's version() is ${found.version}, not ${domain.version}`,
    found.domainSeparator !== separator && 'the token’s DOMAIN_SEPARATOR() is not the one we sign against',
  ]
  return problems.filter((problem) => problem !== false)
}

async function ask(rpc: Rpc, asset: Address, data: Hex): Promise<Hex | null> {
  try {
    return await ethCall(rpc, { to: asset, data })
  } catch (error) {
    if (error instanceof RpcError) return null
    throw error
  }
}

function textOf(data: Hex | null): string | null {
  try {
    return data === null ? null : decodeAbiParameters([{ type: 'string' }], data)[0].slice(0, 64)
  } catch {
    return null
  }
}
