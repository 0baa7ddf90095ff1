import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Address, Hex } from 'viem'
import { z } from 'zod'

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
  buyers: z
    .array(z.object({ address: z.custom<Address>(), privateKey: z.custom<Hex>() }))
    .min(1, 'the chain is somebody else’s: nobody here has money on it'),
})
export type Sandbox = z.infer<typeof Sandbox>

/** @throws with words for a person when nothing is running there. */
export async function readSandbox(dataDir: string): Promise<Sandbox> {
  const file = join(dataDir, 'sandbox.json')
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error(
      `${file} is not there: start a sandbox with ./ops/start, or name its folder with --data-dir`,
    )
  })
  return Sandbox.parse(JSON.parse(text))
}
