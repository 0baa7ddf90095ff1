import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Redis } from 'ioredis'
import { z } from 'zod'
import { redisTexts } from './canaries.ts'
import { letForward, type Running, runMain, until } from './process.ts'

const HexText = z.custom<`0x${string}`>((value) => typeof value === 'string' && value.startsWith('0x'))
const SandboxFile = z.looseObject({
  url: z.url(),
  operator: z.record(z.string(), z.url()),
  cardpay: z.url(),
  chain: z.looseObject({ rpcUrl: z.url(), usdc: HexText, receiver: HexText }),
  buyers: z.array(z.object({ address: HexText, privateKey: HexText })),
  clickhouse: z.object({ url: z.url(), database: z.string() }),
  redis: z.object({ pipeline: z.string(), ledger: z.string() }),
})
const Children = z.array(z.object({ role: z.string(), pid: z.int() }))
const UP_MS = 120_000

/** Folders and files of DATA_DIR that are not searched, and why. */
const NOT_SEARCHED: Record<string, string> = {
  secrets: 'is where keys are',
  cardpay: "keys of the sandbox's own card provider",
  chain: "the sandbox's chain: what is on a chain is public, and its key file is the settler's",
  rails: 'the other chains of the sandbox',
  'sandbox.json': 'tells whoever runs the sandbox its wallets',
  clickhouse: 'is read as tables',
  redis: 'is read as keys and as its log',
  ledger: 'is read as keys and as its log',
}

/** Something that was written down somewhere: by one of our processes, or about one. */
export type Place = { place: string; text: string }

export type WholeWorld = {
  base: string
  cardpay: string
  usdc: `0x${string}`
  receiver: `0x${string}`
  rpcUrl: string
  buyers: z.infer<typeof SandboxFile>['buyers']
  ledger: Redis
  /** A file below DATA_DIR. */
  secret(path: string): Promise<Buffer>
  /** kill -9; the supervisor starts another. Resolves when that one is ready. */
  kill(role: string): Promise<void>
  /** Rows of a ClickHouse table as JSON lines. */
  rows(table: string): Promise<string>
  /** Everything that is written down now. */
  places(): Promise<Place[]>
  stop(): Promise<void>
}

/** The whole service as `./ops/start` starts it: two apis, worker, engine, ingest, both Redis, ClickHouse, chain. */
export async function startWholeWorld(env: Record<string, string> = {}): Promise<WholeWorld> {
  const dir = await mkdtemp(join(tmpdir(), 'microdata-whole-'))
  const own = { DATA_DIR: dir, PORT: '0', OPERATOR_PORT: '0', VENUES_SIZE: '40', CHAIN_BLOCK_TIME_S: 'auto' }
  const tree = runMain('ops/supervise/main.ts', { env: { ...own, ...env } })
  const stop = async () => {
    await tree.stop(40_000)
    await rm(dir, { recursive: true, force: true })
  }
  try {
    await tree.says(/^ready (http:\S+)/m, UP_MS)
    const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(dir, name), 'utf8'))
    const sandbox = SandboxFile.parse(await read('sandbox.json'))
    const stores = Object.entries(sandbox.redis).map(
      ([name, url]) => [name, new Redis(url.slice('unix:'.length))] as const,
    )
    for (const [, redis] of stores) redis.on('error', () => {})
    const pidOf = async (role: string) =>
      Children.parse(await read('children.json')).find((child) => child.role === role)?.pid
    await letForward(await pidOf('clickhouse'))
    const password = await readFile(join(dir, 'secrets/clickhouse-password'), 'utf8')
    const query = async (sql: string): Promise<string> => {
      const { url, database } = sandbox.clickhouse
      const asked = new URLSearchParams({ user: 'default', password: password.trim(), database })
      const answer = await fetch(`${url}/?${asked}`, { method: 'POST', body: sql })
      if (answer.status !== 200) throw new Error(`${sql}: ${await answer.text()}`)
      return answer.text()
    }
    return {
      base: sandbox.url,
      cardpay: sandbox.cardpay,
      ...sandbox.chain,
      buyers: sandbox.buyers,
      ledger: stores.find(([name]) => name === 'ledger')![1],
      secret: (path) => readFile(join(dir, path)),
      async kill(role) {
        const pid = (await pidOf(role))!
        process.kill(pid, 'SIGKILL')
        await until(`${role} is back`, async () => {
          const now = await pidOf(role)
          if (now === undefined || now === pid) return false
          const ready = await fetch(`${sandbox.operator[role]}/readyz`).catch(() => null)
          return ready?.status === 200
        })
      },
      rows: (table) => query(`SELECT * FROM ${table} FORMAT JSONEachRow`),
      async places() {
        const kept = await Promise.all(
          stores.map(async ([name, redis]) =>
            (await redisTexts(redis)).map((text) => ({ place: `${name} key ${kindOf(text)}`, text })),
          ),
        )
        return [
          ...outputsOf(tree),
          ...(await filesOf(dir)),
          ...(await appendOnlyFiles(dir)),
          ...kept.flat(),
          ...(await tablesOf(query)),
          ...(await metricsOf(sandbox.operator)),
        ]
      },
      async stop() {
        for (const [, redis] of stores) redis.disconnect()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The first words of a key: its kind, without the id. */
const kindOf = (text: string): string => /^[a-z-]+(:[a-z_]+)?/i.exec(text)?.[0] ?? text.slice(0, 8)

const outputsOf = (tree: Running): Place[] => [
  { place: 'output of ./ops/start', text: tree.stdout() + tree.stderr() },
]

/** The stores are not even listed: they remove files of their own at any time. */
async function filesOf(dir: string): Promise<Place[]> {
  const roots = (await readdir(dir, { withFileTypes: true })).filter(
    ({ name }) => NOT_SEARCHED[name] === undefined,
  )
  const inside = await Promise.all(
    roots
      .filter((root) => root.isDirectory())
      .map(({ name }) => readdir(join(dir, name), { recursive: true, withFileTypes: true })),
  )
  const files = [...roots, ...inside.flat()].filter((entry) => entry.isFile())
  return Promise.all(
    files.map(async ({ parentPath, name }) => ({
      place: `file ${relative(dir, join(parentPath, name))}`,
      text: await readFile(join(parentPath, name), 'latin1'),
    })),
  )
}

async function appendOnlyFiles(dir: string): Promise<Place[]> {
  const read = async (store: string) => {
    const folder = join(dir, store, 'appendonlydir')
    const names = await readdir(folder)
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))
    return { place: `${store === 'ledger' ? 'ledger' : 'pipeline'} log`, text: texts.join('\n') }
  }
  return Promise.all([read('ledger'), read('redis')])
}

async function tablesOf(query: (sql: string) => Promise<string>): Promise<Place[]> {
  const listed = await query(
    "SELECT database, name FROM system.tables WHERE database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema') FORMAT JSONEachRow",
  )
  const tables = listed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { database: string; name: string })
  return Promise.all(
    tables.map(async ({ database, name }) => ({
      place: `table ${name}`,
      text: await query(`SELECT * FROM ${database}.${name} FORMAT JSONEachRow`),
    })),
  )
}

const metricsOf = (operator: Record<string, string>): Promise<Place[]> =>
  Promise.all(
    Object.entries(operator).map(async ([role, origin]) => ({
      place: `metrics of ${role}`,
      text: await (await fetch(`${origin}/metrics`)).text(),
    })),
  )
