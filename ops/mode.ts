import { z } from 'zod'

/** Whose money is paid: that of a chain where it is worthless, or real. */
export const Mode = z.enum(['sandbox', 'live'])
export type Mode = z.infer<typeof Mode>
