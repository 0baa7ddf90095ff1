import type { Good } from '../good.ts'
import { dns } from './dns/dns.ts'
import { offload } from './pool/offload.ts'
import { PURE_GOODS } from './pure.ts'

/** The utility reads: a text in, findings out; and DNS. */
export const UTILITY_GOODS: readonly Good<unknown>[] = [...PURE_GOODS.map(offload), dns]
