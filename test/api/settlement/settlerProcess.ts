import { fork } from 'node:child_process'
import type { Hex } from 'viem'
import type { SettleLedger } from '../../../api/settlement/port.ts'
import { mainFile, NODE } from '../../support/process.ts'

type Method = keyof SettleLedger
type Ask = { id: number; method: Method; args: never[] }
/** What becomes of the process around one call of the ledger. */
export type Fate = 'live' | 'die before' | 'die after'

export type SettlerProcess = {
  died: Promise<void>
  wake(): void
  kill(): Promise<void>
}

/**
 * A settler in a process of its own, so that it can be killed with SIGKILL; the ledger stays with the test and is
 * called over IPC. 'die after': the ledger has done it, and the process never learns of it.
 */
export function startSettlerProcess({
  ledger,
  rpcUrl,
  chainUrl = rpcUrl,
  key,
  fate = () => 'live',
}: {
  ledger: SettleLedger
  rpcUrl: string
  chainUrl?: string
  key: Hex
  fate?: (method: Method) => Fate
}): SettlerProcess {
  const child = fork(mainFile('test/api/settlement/settlerChild.ts'), [rpcUrl, chainUrl], {
    execPath: NODE,
    execArgv: [],
    serialization: 'advanced',
    env: { ...process.env, TEST_SETTLER_KEY: key },
  })
  const died = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const answer = (message: object) => {
    if (child.connected) child.send(message, () => {}) //  it may be gone at any time
  }
  child.on('message', async ({ id, method, args }: Ask) => {
    const doom = fate(method)
    if (doom === 'die before') return child.kill('SIGKILL')
    try {
      const result = await (ledger[method] as (...args: never[]) => Promise<unknown>)(...args)
      if (doom === 'die after') child.kill('SIGKILL')
      else answer({ id, result })
    } catch (error) {
      answer({ id, error: String(error) })
    }
  })
  return {
    died,
    wake: () => answer({ wake: true }),
    kill: () => {
      child.kill('SIGKILL')
      return died
    },
  }
}
