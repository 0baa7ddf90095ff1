import secp256k1 from 'secp256k1'
import { createPaymentChain } from '../../../api/settlement/chain.ts'
import type { Payment } from '../../../api/settlement/port.ts'
import { runSettler } from '../../../api/settlement/settler.ts'
import { transferDigest } from '../../../api/settlement/typedData.ts'
import { realClock } from '../../../ops/clock.ts'
import { createLog } from '../../../ops/log.ts'
import { createMetrics } from '../../../ops/metrics.ts'
import { startTestChain, type TestChain } from '../../support/chain.ts'
import { sleep } from '../../support/process.ts'
import { createMemoryLedger } from './memoryLedger.ts'
import { cent } from './payer.ts'
import { DOMAIN, USDC } from './vectors.ts'

/**
 * Own settler at 2-second blocks, one key: payments a second and what settling adds to a read. Run by hand:
 * `node test/api/settlement/settlerBench.ts [payments per second] [seconds]`. Each payment is simulated as the gate
 * does, claimed in a ledger in memory, and timed until its settlement is written.
 */
const [rate = 300, seconds = 20] = process.argv.slice(2).map(Number)
const log = createLog('bench', 'warn')
const anvil = await startTestChain({ buyers: 200, blockTimeS: 2 })
const chain = createPaymentChain({ rpcUrl: anvil.rpcUrl, log })
const ledger = createMemoryLedger()
const waiting = new Map<string, () => void>()
const { recordSettled } = ledger
ledger.recordSettled = async (key, settled) => {
  const outcome = await recordSettled(key, settled)
  waiting.get(key)?.()
  return outcome
}
const controller = new AbortController()
const metrics = createMetrics('bench')
const settler = runSettler({
  ledger,
  chain,
  rpcUrl: anvil.rpcUrl,
  chainId: 8453,
  key: anvil.settlerKey,
  clock: realClock,
  log,
  metrics,
  signal: controller.signal,
})
try {
  const payments = Array.from({ length: rate * seconds }, (_, index) =>
    sign(anvil.buyers[index % anvil.buyers.length]!, index),
  )
  const tookMs: number[] = []
  const startedMs = performance.now()
  const sold = payments.map(async (payment, index) => {
    await sleep((index / rate) * 1_000)
    const askedMs = performance.now()
    const refusal = await chain.refuse(payment)
    if (refusal !== null) throw new Error(`refused: ${refusal}`)
    const written = settledOf(`k${index}`)
    ledger.add(`k${index}`, payment)
    settler.wake()
    await written
    tookMs.push(performance.now() - askedMs)
  })
  await Promise.all(sold)
  const wholeS = (performance.now() - startedMs) / 1_000
  tookMs.sort((a, b) => a - b)
  const at = (share: number) => Math.round(tookMs[Math.floor((tookMs.length - 1) * share)]!)
  const transactions = await anvil.clients.reads.getTransactionCount({
    address: anvil.accounts.settler.address,
  })
  console.log(
    JSON.stringify({
      offeredPerS: rate,
      payments: payments.length,
      settledPerS: Math.round(payments.length / wholeS),
      p50Ms: at(0.5),
      p90Ms: at(0.9),
      p99Ms: at(0.99),
      maxMs: at(1),
      transactions,
      cpuS: Math.round(process.cpuUsage().user / 1e5) / 10,
    }),
  )
} finally {
  controller.abort()
  await settler.done
  await chain.close()
  await anvil.stop()
}

function settledOf(key: string): Promise<void> {
  return new Promise((resolve) => {
    waiting.set(key, resolve)
  })
}

function sign(buyer: TestChain['buyers'][number], index: number): Payment {
  const authorization = cent(buyer.address, anvil.receiver, { value: 1n + BigInt(index % 7) })
  const { signature, recid } = secp256k1.ecdsaSign(
    transferDigest(authorization, DOMAIN),
    Buffer.from(buyer.privateKey.slice(2), 'hex'),
  )
  const hex = `0x${Buffer.from(signature).toString('hex')}${recid === 0 ? '1b' : '1c'}` as const
  return { chainId: 8453, asset: USDC, authorization, signature: hex, signer: 'ecdsa' }
}
