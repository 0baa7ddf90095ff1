import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Abi, Hex } from 'viem'
import { z } from 'zod'
import { parseJsonOrNull } from '../../jsonText.ts'
import { replaceFile } from '../../replaceFile.ts'

const CONTRACTS = ['Token', 'Tether', 'Multicall3', 'Wallet', 'WalletFactory'] as const
export type ContractName = (typeof CONTRACTS)[number]

/** @property runtime the code at the address; @property creation what a deployment sends. */
export type Contract = { abi: Abi; creation: Hex; runtime: Hex }
export type Contracts = Record<ContractName, Contract>

/** One per user of the machine, shared by all data folders. */
export const CACHE_DIR = join(tmpdir(), `microdata-contracts-${process.getuid?.() ?? 'user'}`)

const FOLDER = fileURLToPath(new URL('contracts', import.meta.url))
const HexText = z.custom<Hex>((value) => typeof value === 'string' && /^0x[0-9a-f]+$/.test(value))
const Cached: z.ZodType<Contracts> = z.record(
  z.enum(CONTRACTS),
  z.object({ abi: z.custom<Abi>((value) => Array.isArray(value)), creation: HexText, runtime: HexText }),
)

/**
 * The sandbox's contracts, compiled with the `solc` package at first use (about two seconds) and kept in
 * `cacheDir` under a hash of the sources, the settings and the compiler: a changed source is a new file.
 * A cache file that cannot be read counts as absent.
 */
export async function loadContracts(cacheDir: string): Promise<Contracts> {
  await mkdir(cacheDir, { recursive: true, mode: 0o700 })
  //  our chain runs what lies in this folder: nobody else may be able to put something there
  const { uid, mode } = await stat(cacheDir)
  if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0))
    throw new Error(`${cacheDir} belongs to somebody else or can be written by others: remove it`)
  const input = await compilerInput()
  const solc = createRequire(import.meta.url).resolve('solc/solc.js')
  const version = await readFile(solc.replace(/solc\.js$/, 'package.json'), 'utf8')
  const key = createHash('sha256').update(input).update(version).digest('hex').slice(0, 24)
  const file = join(cacheDir, `contracts-${key}.json`)
  const cached = await readFile(file, 'utf8').then(
    (text) => Cached.safeParse(parseJsonOrNull(text)),
    () => null,
  )
  if (cached?.success) return cached.data
  let compiling = underWay.get(file)
  if (compiling === undefined) {
    compiling = compileTo(file, solc, input).finally(() => underWay.delete(file))
    underWay.set(file, compiling)
  }
  return compiling
}

/** By file. The chains of one process start at once: they would write the same file under the same name. */
const underWay = new Map<string, Promise<Contracts>>()

async function compileTo(file: string, solc: string, input: string): Promise<Contracts> {
  const contracts = readOutput(await runCompiler(solc, input))
  //  two processes may compile at once: either result is whole
  await replaceFile(file, JSON.stringify(contracts), `${file}.${process.pid}`)
  return contracts
}

async function compilerInput(): Promise<string> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sol')).sort()
  const sources: Record<string, { content: string }> = {}
  for (const name of names) sources[name] = { content: await readFile(join(FOLDER, name), 'utf8') }
  return JSON.stringify({
    language: 'Solidity',
    sources,
    settings: {
      evmVersion: 'paris',
      optimizer: { enabled: true, runs: 1_000 },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  })
}

/**
 * Runs the compiler in a process of its own: its memory is given back, and its emscripten runtime stays out of ours.
 */
function runCompiler(solc: string, input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [solc, '--standard-json'], { stdio: ['pipe', 'pipe', 'pipe'] })
    let output = ''
    let trouble = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      trouble = (trouble + text).slice(-4_000)
    })
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`solc ended with ${code}: ${trouble}`)),
    )
    child.stdin.on('error', () => {}) //  it ended early: 'close' tells why
    child.stdin.end(input)
  })
}

const Bytecode = z.object({ object: z.string() })
const Output = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).default([]),
  contracts: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        abi: z.custom<Abi>((value) => Array.isArray(value)),
        evm: z.object({ bytecode: Bytecode, deployedBytecode: Bytecode }),
      }),
    ),
  ),
})

function readOutput(text: string): Contracts {
  const raw = parseJsonOrNull(text.slice(text.indexOf('{')))
  const errors = z.object({ errors: Output.shape.errors }).safeParse(raw)
  const wrong = errors.success ? errors.data.errors.filter(({ severity }) => severity === 'error') : []
  if (wrong.length > 0) throw new Error(wrong.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const compiled = new Map(Object.values(Output.parse(raw).contracts).flatMap((file) => Object.entries(file)))
  const entries = CONTRACTS.map((name) => {
    const found = compiled.get(name)
    if (found === undefined) throw new Error(`solc gave no contract ${name}`)
    const { abi, evm } = found
    return [name, { abi, creation: `0x${evm.bytecode.object}`, runtime: `0x${evm.deployedBytecode.object}` }]
  })
  return Cached.parse(Object.fromEntries(entries))
}
