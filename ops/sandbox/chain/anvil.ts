import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND } from '../../units.ts'
import { tied } from '../tied.ts'

export type Anvil = {
  pid: number
  exited: Promise<string> //  resolves with its last words when it ends, whoever ended it
  stop(): Promise<void>
}

/**
 * Starts the anvil binary itself, not the package's Node wrapper: one process less, and its id is the one
 * that has to be ended.
 *
 * `--prune-history`: without it anvil keeps a copy of the state per block (0.2 MB each was measured), with it
 * the whole chain costs about 2 KB a block. The price: eth_call works at the newest block only.
 * `--hardfork prague`: what Base runs (EIP-7702 among it). No accounts of anvil's own: their keys are public.
 */
export async function startAnvil({
  host,
  port,
  chainId,
  blockTimeS,
  startS,
  loadState,
  history,
  cachePath,
  boundPath,
}: {
  host: string
  port: number
  chainId: number
  blockTimeS: number | 'auto'
  startS?: number //          Unix seconds of the first block; absent: now
  loadState: string | null // path of a dumped state
  history: boolean //         keep old states, for tests that reorganise the chain
  cachePath: string //        where old states go when they are kept
  boundPath: string //        where anvil writes a file once it has its port; it is gone again when this returns
}): Promise<Anvil> {
  const options = {
    host,
    port,
    'chain-id': chainId,
    accounts: 0,
    hardfork: 'prague',
    'gas-limit': 300_000_000,
    'config-out': boundPath,
    ...(blockTimeS === 'auto' ? {} : { 'block-time': blockTimeS }),
    ...(startS === undefined ? {} : { timestamp: startS }),
    ...(history ? { 'cache-path': cachePath } : {}),
    ...(loadState === null ? {} : { 'load-state': loadState }),
  }
  const args = [
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    '--no-request-size-limit',
    '--quiet',
    ...(history ? [] : ['--prune-history']),
  ]
  await rm(boundPath, { force: true }) //  left by an interrupted start
  const child = spawn(...tied(binary(), args), { stdio: ['ignore', 'ignore', 'pipe'] })
  let words = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-2_000)
  })
  let ended = false
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(`anvil ended (${signal ?? code}) ${words.trim()}`))
  })
  exited.then(() => {
    ended = true
    process.off('exit', lastResort)
  })
  const lastResort = () => child.kill('SIGKILL')
  process.on('exit', lastResort)

  const endMs = Date.now() + 20 * SECOND
  const url = `http://${host}:${port}`
  //  on a port that is taken another chain may answer, which ours must not be mistaken for
  while (!(existsSync(boundPath) && (await answers(url, chainId)))) {
    if (ended) throw new Error(await exited)
    if (Date.now() > endMs) {
      lastResort()
      throw new Error(`anvil did not answer on ${url} within 20 s`)
    }
    await sleep(20)
  }
  await rm(boundPath)
  return { pid: child.pid ?? -1, exited, stop: () => stop(child, exited) }
}

async function stop(child: ChildProcess, exited: Promise<string>): Promise<void> {
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 2 * SECOND)
  await exited
  clearTimeout(timer)
}

async function answers(url: string, chainId: number): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
      signal: AbortSignal.timeout(1 * SECOND),
    })
    const body = (await response.json()) as { result?: unknown }
    return body.result === `0x${chainId.toString(16)}`
  } catch {
    return false
  }
}

function binary(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `@foundry-rs/anvil-${process.platform}-${architecture}`
  const require = createRequire(import.meta.url)
  try {
    return createRequire(require.resolve('@foundry-rs/anvil/bin.mjs')).resolve(`${name}/bin/anvil`)
  } catch {
    throw new Error(`the sandbox chain has no binary for this machine: package ${name} is not installed`)
  }
}
