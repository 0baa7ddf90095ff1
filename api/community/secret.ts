import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { sha256Hex } from '../receipts/canonical.ts'

/** The holder may delete what was kept under it; we keep its digest only. */
export const newSecret = (kind: 'delete' | 'reminders'): string =>
  `${kind}_${randomBytes(16).toString('base64url')}`
export const Secret = z.string().regex(/^(delete|reminders)_[A-Za-z0-9_-]{22}$/, 'is not a token of ours')
export const digestOfSecret = (secret: string): string => sha256Hex(secret)
