import { join } from 'node:path'
import type { Address, Hex } from 'viem'
import { z } from 'zod'
import { RefusedOrder } from '../../commandLine.ts'
import { readSandboxFile, SANDBOX_FILE } from '../../sandboxFolder.ts'

const EvmPlace = z.object({ rpcUrl: z.string(), receiver: z.string() })

/** `sandbox.json` of a data folder, as far as a payer needs it. */
const Sandbox = z.object({
  chain: EvmPlace,
  rails: z.object({
    ethereum: EvmPlace,
    polygon: EvmPlace,
    arbitrum: EvmPlace,
    solana: z.object({ rpcUrl: z.string(), receiver: z.string() }),
    bitcoin: z.object({ url: z.string(), receiver: z.string() }),
  }),
  buyers: z.array(z.object({ address: z.custom<Address>(), privateKey: z.custom<Hex>() })),
})
export type Sandbox = z.infer<typeof Sandbox>

/** @throws RefusedOrder when nobody there can pay. */
export async function readSandbox(dataDir: string): Promise<Sandbox> {
  const sandbox = await readSandboxFile(dataDir, Sandbox)
  if (sandbox === null)
    throw new RefusedOrder(
      `${join(dataDir, SANDBOX_FILE)}: is missing, or cannot be read: start a sandbox with ./ops/start, or name its folder with --data-dir`,
    )
  if (sandbox.buyers.length === 0)
    throw new RefusedOrder(`${dataDir}: the chain is somebody else’s, and nobody here has money on it`)
  return sandbox
}
