import type { ClaimKey } from './ledger.ts'

const PREFIX = 'intent:'

/** The claim key of an intent: transfers it takes are booked to this. */
export const intentClaimKey = (intent: string): ClaimKey => `${PREFIX}${intent}`

/** The intent of a claim key; null: the claim of another path. */
export const intentOfClaim = (key: ClaimKey): string | null =>
  key.startsWith(PREFIX) ? key.slice(PREFIX.length) : null
