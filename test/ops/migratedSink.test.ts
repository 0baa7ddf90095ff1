import type { ClickHouseClient } from '@clickhouse/client'
import { expect, test } from 'vitest'
import { migratedSink } from '../../ops/migratedSink.ts'

const at = (version: number | null) => {
  const query = async () => ({ json: async () => (version === null ? [] : [{ version }]) })
  return migratedSink({ query } as unknown as ClickHouseClient, 3).ready!()
}

test.each([null, 0, 1, 2])(
  'a database at %s of 3: nothing is written, and it may be tried again',
  async (version) => {
    await expect(at(version)).rejects.toMatchObject({ code: 'clickhouse_migration', retryable: true })
  },
)

test.each([3, 4])('DATA-18 at %d of 3 it may be written to', async (version) => {
  await expect(at(version)).resolves.toBeUndefined()
})

test('one that cannot be asked is not written to', async () => {
  const query = () => Promise.reject(new Error('away'))
  const asked = migratedSink({ query } as unknown as ClickHouseClient, 3).ready!()
  await expect(asked).rejects.toMatchObject({ code: 'clickhouse_query', retryable: true })
})
