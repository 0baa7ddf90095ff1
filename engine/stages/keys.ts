import { fenceKey } from '../../ops/lead.ts'

/** The one lease of all engines, see ops/lead.ts. Its fence is what `publish.lua` compares. */
export const LEASE = 'engine'
export const FENCE_KEY = fenceKey(LEASE)

/** Counter of a board's versions, beside its value. */
export const versionKey = (name: string): string => `engine:version:${name}`

/** Open gaps as they were some seconds ago, for the next leader. */
export const EPISODES_KEY = 'engine:episodes:open'

/** Where engines before 22 November 2026 kept rows of a board; harmless, but as large as all boards together. */
export const oldPartsKey = (name: string): string => `engine:parts:${name}`
