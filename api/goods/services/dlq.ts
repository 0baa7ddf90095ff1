import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { isProblem } from '../../errors.ts'
import { isLong } from '../utility/pool/long.ts'
import { AREAS, type Area } from '../utility/scan/failure.ts'
import { MAX_RAW_BYTES } from '../utility/scan/input.ts'
import type { Scan } from '../utility/scan/result.ts'
import { scan } from '../utility/scan/scan.ts'
import { defineService, usd } from './service.ts'
import { Triage, triage } from './triage.ts'

const DLQ_MAX_SAMPLES = 100

const Samples = z
  .array(z.string().refine((sample) => sample.trim() !== '', 'is empty'))
  .min(1, 'at least one sample is needed')
  .max(DLQ_MAX_SAMPLES, `more than ${DLQ_MAX_SAMPLES} samples`)
  .refine(
    (samples) => samples.reduce((bytes, sample) => bytes + Buffer.byteLength(sample), 0) <= MAX_RAW_BYTES,
    `longer than ${MAX_RAW_BYTES} bytes together`,
  )

const toScan = (raw: string, area: Area | undefined) => ({ raw, ...(area && { area }) })

/** Sorts a dead-letter queue: what failed in each message, what to do about each kind (spec 2.3). Nothing is stored. */
export const dlq = defineService({
  sku: 'SKU_DLQ_01',
  title: 'Dead-letter triage',
  description: `Up to ${DLQ_MAX_SAMPLES} failed messages or log samples (64 KiB together) sorted by what failed in them: class, count, whether trying again can help, one next action each, and how many sensitive-looking strings they hold. The samples are not returned.`,
  listPriceMicroUsdc: usd(19),
  priceMicroUsdc: usd(10, 45),
  input: z.object({ samples: Samples, area: z.enum(AREAS).optional() }),
  output: z.object({ dlq: Triage }),
  refusals: ['busy', 'utility_timeout'],
  isSlow: ({ samples, area }) => samples.some((raw) => isLong(toScan(raw, area))),
  /** Each sample as `scan` reads one: long ones in a thread, because whoever asks for a checkout has not paid yet. */
  async answer({ samples, area }, { compute }) {
    const scans = []
    for (const raw of samples) {
      const draft = await compute({ sku: scan.sku, input: toScan(raw, area) })
      if (isProblem(draft)) return draft
      scans.push(draft.result.scan as Scan)
      await nextTurn() // others take their turn
    }
    return { result: { dlq: triage(scans) }, snapshotVersion: null }
  },
  presented: {
    type: 'service',
    collection: 'operations',
    tagline: 'What failed, how often, what to do next',
    deliveryNote: `The triage is in the answer, at once. Send payload.samples, an array of 1 to ${DLQ_MAX_SAMPLES} strings, ${MAX_RAW_BYTES / 1024} KiB together; payload.area (${AREAS.join(', ')}) is blamed first when a sample shows several failures.`,
    delivers:
      'dlq {samples, retryable, classes[] {failureClass, area, retryable, nextAction, count, samples[]}, sensitive {total, counts}}; plus paymentAttestation',
    cardCheckout: true,
    promoted: false,
  },
})
