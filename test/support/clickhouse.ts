import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type ClickHouseClient,
  type ClickHouseClientConfigOptions,
  ClickHouseLogLevel,
  createClient,
} from '@clickhouse/client'
import type { ClickhouseSlice } from '../../ops/clickhouse.ts'
import { type Running, runMain } from './process.ts'

/** Clients of a server, and databases of their own in it. */
export type ClickhouseShare = {
  url: string //  http://127.0.0.1:port; another port after restart()
  client(options?: ClickHouseClientConfigOptions): ClickHouseClient
  /** A new empty database and a client of it. The analyst reads it too: its name starts with `microdata`. */
  database(): Promise<{ name: string; client: ClickHouseClient }>
  stop(): Promise<void> //  closes the clients; also ends a server of our own and removes its folder
}

export type TestClickhouse = ClickhouseShare & {
  dir: string
  readonly pid: number
  password: string
  analystPassword: string
  kill(): Promise<void> //    kill -9; the folder stays, restart() brings the data back
  /** Same folder; ends a running server first (SIGTERM). On a free port, unless one is given. */
  restart(options?: { port?: string }): Promise<void>
}

/** How our own code connects to a database of a server without a password. */
export const sliceOf = ({ url }: { url: string }, database: string): ClickhouseSlice => ({
  clickhouseUrl: url,
  clickhouseUser: 'default',
  clickhousePassword: '',
  clickhouseDatabase: database,
})

const MAIN = 'ops/sandbox/clickhouse/main.ts'

/**
 * For tests that need nothing but tables: the server of TEST_CLICKHOUSE_URL (user default, no password) when one is
 * given, so that any number of test files share one engine, each in databases of its own; else a server of its own.
 */
export async function shareClickhouse(): Promise<ClickhouseShare> {
  const url = process.env.TEST_CLICKHOUSE_URL ?? ''
  return url === '' ? startClickhouse() : attach(() => url, '')
}

/** A real engine of its own behind ClickHouse's HTTP interface, answering when the promise resolves. */
export async function startClickhouse({
  password = '',
  analystPassword = 'analyst-password',
  env = {},
  args = [],
}: {
  password?: string
  analystPassword?: string
  env?: Record<string, string>
  args?: string[]
} = {}): Promise<TestClickhouse> {
  const dir = await mkdtemp(join(tmpdir(), 'microdata-clickhouse-'))
  let server: Running
  let url = ''
  let stopped = false
  const start = async (port = '0') => {
    const own = { DATA_DIR: dir, CLICKHOUSE_PASSWORD: password, CLICKHOUSE_ANALYST_PASSWORD: analystPassword }
    server = runMain(MAIN, { args, env: { ...own, CLICKHOUSE_PORT: port, LOG_LEVEL: 'warn', ...env } })
    url = (await server.says(/^\{"ready":true,"url":"([^"]+)"\}$/m))[1]!
  }
  const lastResort = () => server.child.kill('SIGKILL')
  process.on('exit', lastResort)
  await start()
  const share = attach(() => url, password)
  return {
    ...share,
    get url() {
      return url
    },
    dir,
    password,
    analystPassword,
    get pid() {
      return server.pid
    },
    async stop() {
      if (stopped) return
      stopped = true
      process.off('exit', lastResort)
      await share.stop()
      await server.stop()
      await rm(dir, { recursive: true, force: true })
    },
    async kill() {
      await server.kill()
    },
    async restart({ port } = {}) {
      await server.stop()
      await start(port)
    },
  }
}

let databases = 0

function attach(url: () => string, password: string): ClickhouseShare {
  const clients: ClickHouseClient[] = []
  const client: ClickhouseShare['client'] = (options = {}) => {
    const made = createClient({
      url: url(),
      password,
      log: { level: ClickHouseLogLevel.OFF },
      ...options,
    })
    clients.push(made)
    return made
  }
  return {
    get url() {
      return url()
    },
    client,
    async database() {
      databases += 1
      const name = `microdata_${process.pid}_${databases}`
      await client().command({ query: `CREATE DATABASE ${name}` })
      return { name, client: client({ database: name }) }
    },
    async stop() {
      await Promise.all(clients.map((one) => one.close()))
    },
  }
}
