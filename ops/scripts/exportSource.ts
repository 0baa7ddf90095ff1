import { join } from 'node:path'
import { z } from 'zod'
import { type ClickhouseSlice, clickhouseOf } from '../clickhouse.ts'
import { RefusedOrder } from '../commandLine.ts'
import type { Config, Environment } from '../config.ts'
import { readSandboxFile, SANDBOX_FILE, sandboxFolder } from '../sandboxFolder.ts'
import { type ExportOrder, OWNERS } from './exportOrder.ts'

const Access = z.object({ url: z.url(), user: z.string(), password: z.string(), database: z.string() })
const SandboxFile = z.looseObject({
  clickhouse: Access, // for analysts
  journal: Access, //    the owner's
})

/**
 * As configured; where no ClickHouse is given, that of the sandbox that runs here.
 * @throws RefusedOrder
 */
export async function sourceOf(
  { dataDir, table }: Pick<ExportOrder, 'dataDir' | 'table'>,
  config: Config,
  given: ReadonlySet<keyof Environment>,
): Promise<ClickhouseSlice> {
  if (given.has('CLICKHOUSE_URL')) return clickhouseOf(config)
  const folder = await sandboxFolder(dataDir, config.DATA_DIR)
  if (folder === null)
    throw new RefusedOrder('CLICKHOUSE_URL: is missing, and no sandbox is running here (./ops/start)')
  const sandbox = await readSandboxFile(folder, SandboxFile)
  if (sandbox === null)
    throw new RefusedOrder(
      `CLICKHOUSE_URL: is missing, and so is ${join(folder, SANDBOX_FILE)}, or it cannot be read (./ops/start writes it)`,
    )
  const { url, user, password, database } = OWNERS.has(table) ? sandbox.journal : sandbox.clickhouse
  return {
    clickhouseUrl: url,
    clickhouseUser: user,
    clickhousePassword: password,
    clickhouseDatabase: database,
  }
}
