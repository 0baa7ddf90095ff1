import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { repeatsName } from '../../repeatedNames.ts'
import type { Arguments } from '../arguments.ts'
import type { Command, Done, Shell } from '../command.ts'
import { exchange } from '../exchange.ts'
import { readJson } from '../kept/files.ts'
import type { Home } from '../kept/home.ts'
import { keptSale } from '../kept/sales.ts'
import { COMMON } from '../options.ts'
import { fetchOracle, keptOracle } from '../oracle.ts'
import { PurchaseEnd } from '../outcomes.ts'
import { originOf } from '../readReceipt.ts'
import { OracleDescriptor, SignedPaper } from '../receipt.ts'
import { findHome, findSeller } from '../seller.ts'
import { prettyJson, printable } from '../terminal.ts'
import { type Evidence, evidenceIn, type Verification, verifyEvidence } from '../verification.ts'

const STDIN = 0

export const verify: Command = {
  name: 'verify',
  words: '<file | - | receipt id>',
  maxWords: 1,
  summary:
    'Verifies a receipt: with the published keys here, by the service, and on the chain where its node is known.',
  notes:
    'Takes an attestation, an answer that holds one, a report of ./ops/buy --json, or a kept receipt by its id. An id that is not kept is asked of the service. Whatever is known is compared, and one thing that does not hold is exit code 6; what was not looked at says why. Valid means signed by the service that is named: look whether you know it.',
  examples: [
    ['verify tShu6qRaOqQ3lYAFHlmWDA', 'a kept one, or one of the service'],
    ['verify answer.json --offline --keys oracle.json', 'asks nobody'],
    ['/x402/v1/ping --json | ./ops/buy verify -', 'right behind a purchase'],
  ],
  options: ['offline', 'keys', 'rpc', 'base', 'data-dir', 'timeout', ...COMMON],
  async run(args, shell) {
    const [word] = args.words
    if (word === undefined)
      throw new PurchaseEnd('usage', 'what shall be verified? Give a file, - or a receipt id')
    const home = await findHome(args, shell.dataDir)
    const evidence = await findEvidence(word, home, args, shell)
    const offline = args.given.has('offline')
    const merchant = String(evidence.paper.payload.merchant ?? '')
    const base = args.base || evidence.base || merchant
    // The sandbox's node has another address after each start: the one that is kept with a sale may be gone.
    const { rpcUrl } = originOf(base) === null ? evidence : await findSeller(args, shell.dataDir, base)
    const verification = await verifyEvidence(evidence, await findOracle(args, home, base, offline), {
      base,
      offline,
      timeoutMs: args.timeoutMs,
      rpcUrl: args.rpc || (rpcUrl ?? evidence.rpcUrl),
      chainDemanded: args.rpc !== '',
    })
    return endOf(verification, evidence, base, shell)
  },
}

async function findEvidence(word: string, home: Home, args: Arguments, shell: Shell): Promise<Evidence> {
  const isId = /^[A-Za-z0-9_-]{8,64}$/.test(word)
  const sale = isId ? await keptSale(home, word) : null
  if (sale !== null)
    return { ...evidenceIn(sale.answer)!, base: new URL(sale.url).origin, rpcUrl: sale.rpcUrl, url: sale.url }
  const text = await readText(word)
  if (text === null) {
    if (isId && !args.given.has('offline')) return await askForPaper(word, args, shell)
    throw new PurchaseEnd(
      'usage',
      `${word}: is no file that can be read${isId ? ', and no kept receipt' : ''}`,
    )
  }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new PurchaseEnd('usage', `${word}: holds no JSON`)
  }
  if (repeatsName(text, json))
    throw new PurchaseEnd(
      'unverified',
      `${word}: has a name twice; which of both was signed depends on the reader`,
    )
  const evidence = evidenceIn(json)
  if (evidence === null) throw new PurchaseEnd('unverified', `${word}: holds no receipt (service-receipt-v1)`)
  return evidence
}

/** @returns null: cannot be read. */
async function readText(word: string): Promise<string | null> {
  try {
    return word === '-' ? readFileSync(STDIN, 'utf8') : await readFile(word, 'utf8')
  } catch {
    return null
  }
}

/** Asks the service for a receipt that only it has. */
async function askForPaper(id: string, args: Arguments, shell: Shell): Promise<Evidence> {
  const { base, rpcUrl } = await findSeller(args, shell.dataDir)
  const url = new URL('/api/receipt-oracle/verify', base)
  url.searchParams.set('id', id)
  const { answer, attempt } = await exchange(new Request(url), args.timeoutMs)
  if (answer === null) throw new PurchaseEnd('unreachable', `${base} does not answer (${attempt.reason})`)
  const paper = SignedPaper.safeParse(paperOf(id, answer.json))
  if (!paper.success) throw new PurchaseEnd('unverified', `${base} knows no receipt ${id}`)
  return { paper: paper.data, result: null, sku: null, url: null, base, rpcUrl }
}

const paperOf = (id: string, json: unknown): unknown => {
  if (typeof json !== 'object' || json === null || !('payload' in json)) return null
  const { payload } = json as { payload: { format?: unknown } }
  return { ...json, attestationId: id, algorithm: 'ed25519', format: payload?.format }
}

async function findOracle(
  { keysFile }: Arguments,
  home: Home,
  base: string,
  offline: boolean,
): Promise<OracleDescriptor> {
  if (keysFile !== '') {
    const given = await readJson(keysFile, OracleDescriptor)
    if (given === null)
      throw new PurchaseEnd('usage', `--keys ${keysFile}: is no saved /.well-known/receipt-oracle.json`)
    return given
  }
  const origin = originOf(base)
  if (origin === null)
    throw new PurchaseEnd('unverified', 'the receipt does not say whose it is; name --base')
  const oracle = offline ? await keptOracle(home, origin) : await fetchOracle(origin)
  if (oracle !== null) return oracle
  throw offline
    ? new PurchaseEnd('usage', `no keys of ${origin} are kept here; give them with --keys FILE`)
    : new PurchaseEnd(
        'unreachable',
        `the keys of ${origin} cannot be fetched; with --offline kept ones are used`,
      )
}

/** Who holds the keys, and which merchant the receipt names if that is somebody else. */
function signerOf(base: string, merchant: unknown): string {
  const named = typeof merchant === 'string' && merchant !== base ? `, for ${printable(merchant)}` : ''
  return `${base || 'the owner of the given keys'}${named}`
}

function endOf({ checks, valid }: Verification, { paper }: Evidence, base: string, { paint }: Shell): Done {
  const { attestationId, format, keyId, payload } = paper
  const lines = checks.map(({ name, ok, detail }) => {
    const mark = ok === null ? paint('yellow', '-') : ok ? paint('green', '✓') : paint('red', '✗')
    return `${mark} ${name.padEnd(12)}${paint('dim', printable(detail))}\n`
  })
  const id = printable(attestationId)
  const verdict = valid
    ? `${paint('green', 'Valid')}: ${format} ${id}, signed by ${signerOf(base, payload.merchant)}`
    : `${paint('red', 'NOT valid')}: ${format} ${id}`
  const failed = checks.filter(({ ok }) => ok === false).map(({ name, detail }) => `${name}: ${detail}`)
  return {
    outcome: valid ? 'done' : 'unverified',
    message: valid ? null : `the receipt does not verify: ${failed.join('; ')}`,
    data: { valid, signedBy: base || null, attestationId, format, keyId, checks, payload },
    text: `${prettyJson(payload, paint)}\n${lines.join('')}${verdict}\n`,
  }
}
