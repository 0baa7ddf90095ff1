import { type Address, encodeFunctionData, isAddress } from 'viem'
import { RefusedOrder } from '../../commandLine.ts'
import { Address as BitcoinAddress } from '../bitcoin/network.ts'
import { NETWORKS } from '../chain/networks.ts'
import { connectChain, signerOf } from '../chain/setup.ts'
import { TOKEN_ABI } from '../chain/tokenAbi.ts'
import { Address as SolanaAddress } from '../solana/server.ts'
import type { Sandbox } from './sandbox.ts'

type EvmName = keyof typeof NETWORKS
type Way = { decimals: number } & (
  | { kind: 'evm'; chain: EvmName; token: Address | null } // null: ETH
  | { kind: 'solana' }
  | { kind: 'bitcoin' }
)

const token = (chain: EvmName, index = 0): Way => ({
  decimals: 6,
  kind: 'evm',
  chain,
  token: NETWORKS[chain].tokens[index]!.address,
})
const ether = (chain: EvmName): Way => ({ decimals: 18, kind: 'evm', chain, token: null })

const WAYS = {
  usdc_base: token('base'),
  eth_base: ether('base'),
  eth_mainnet: ether('ethereum'),
  usdc_eth: token('ethereum'),
  usdt_eth: token('ethereum', 1),
  usdc_polygon: token('polygon'),
  usdc_arbitrum: token('arbitrum'),
  sol: { decimals: 9, kind: 'solana' },
  btc: { decimals: 8, kind: 'bitcoin' },
} as const satisfies Record<string, Way>

export const RAILS = Object.keys(WAYS)

/** `"0.25"` to atomic units. @throws RefusedOrder on what is no positive amount of that many decimals. */
export function atomicOf(text: string, decimals: number): bigint {
  const match = /^(\d{1,18})(?:\.(\d+))?$/.exec(text)
  const fraction = match?.[2] ?? ''
  const atomic =
    match === null || fraction.length > decimals ? 0n : BigInt(match[1] + fraction.padEnd(decimals, '0'))
  if (atomic > 0n) return atomic
  throw new RefusedOrder(`${text}: give a positive amount with at most ${decimals} decimals`)
}

/** Pays from the first of the sandbox's buyers. @returns the transaction, waited for where blocks come quickly. */
export async function payBy(
  sandbox: Sandbox,
  { rail, amount, to }: { rail: string; amount: string; to?: string | undefined },
): Promise<{ rail: string; tx: string; to: string; atomic: string }> {
  const way: Way | undefined = Object.hasOwn(WAYS, rail) ? WAYS[rail as keyof typeof WAYS] : undefined
  if (way === undefined) throw new RefusedOrder(`${rail}: choose one of ${RAILS.join(', ')}`)
  const atomic = atomicOf(amount, way.decimals)
  const done = (receiver: string, tx: string) => ({ rail, tx, to: receiver, atomic: String(atomic) })
  if (way.kind === 'solana') {
    const { rpcUrl } = sandbox.rails.solana
    const receiver = to ?? sandbox.rails.solana.receiver
    if (!SolanaAddress.safeParse(receiver).success)
      throw new RefusedOrder(`${receiver}: is no address of solana`)
    return done(receiver, await ask(rpcUrl, { to: receiver, lamports: Number(atomic) }))
  }
  if (way.kind === 'bitcoin') {
    const { url } = sandbox.rails.bitcoin
    const receiver = to ?? sandbox.rails.bitcoin.receiver
    if (!BitcoinAddress.safeParse(receiver).success)
      throw new RefusedOrder(`${receiver}: is no address of bitcoin`)
    return done(receiver, await ask(url, { outputs: [{ address: receiver, sats: Number(atomic) }] }))
  }
  const place = way.chain === 'base' ? sandbox.chain : sandbox.rails[way.chain]
  const receiver = to ?? place.receiver
  if (!isAddress(receiver)) throw new RefusedOrder(`${receiver}: is no address of ${way.chain}`)
  const { wallet, reads } = connectChain(place.rpcUrl, NETWORKS[way.chain].chain)
  const call =
    way.token === null
      ? { to: receiver, value: atomic }
      : {
          to: way.token,
          data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args: [receiver, atomic] }),
        }
  const hash = await wallet.sendTransaction({ account: signerOf(sandbox.buyers[0]!), ...call })
  const { status } = await reads.waitForTransactionReceipt({ hash, timeout: 30_000 })
  if (status !== 'success') throw new Error(`${hash} was mined and moved nothing`)
  return done(receiver, hash)
}

async function ask(url: string, payment: object): Promise<string> {
  const response = await fetch(`${url}/__sandbox/pay`, { method: 'POST', body: JSON.stringify(payment) })
  const answer = (await response.json()) as { tx?: string; error?: string }
  if (answer.tx === undefined) throw new Error(answer.error ?? `status ${response.status}`)
  return answer.tx
}
