import { dlq } from './dlq.ts'
import { inquiry } from './inquiry.ts'
import type { Service } from './service.ts'
import { signalFeed } from './signalFeed.ts'
import { tip } from './tip.ts'
import { torMcpPro } from './torMcpPro.ts'

/** Everything sold without a GET path: by classic purchase, and by card where people may. */
export const SERVICES: readonly Service<unknown>[] = [inquiry, dlq, torMcpPro, signalFeed, tip]
