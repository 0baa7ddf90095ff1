import { expect, test } from 'vitest'
import { freePage } from '../../../ingest/poll/freePage.ts'
import { collectAll } from '../../support/collect.ts'
import { until } from '../../support/process.ts'

const PAGE_BYTES = 4 * 1024 * 1024

test('the bytes of a page that was read are gone after it, and those of a page in use are not', async () => {
  //  frees what earlier tests left behind; the second call ends what the first has begun
  collectAll()
  collectAll()
  const before = process.memoryUsage().arrayBuffers
  const pages = () => Math.round((process.memoryUsage().arrayBuffers - before) / PAGE_BYTES)
  const inUse = Buffer.alloc(PAGE_BYTES, 1)
  const read = () => Buffer.alloc(PAGE_BYTES).length
  expect(read()).toBe(PAGE_BYTES)
  expect(pages()).toBe(2)
  freePage()
  await until('the bytes are given back', () => pages() < 2, 5_000)
  expect(pages()).toBe(1)
  expect(inUse.at(-1)).toBe(1)
})
