import type { TokenKind } from './token.ts'

/** What is issued with a sale: its part of the answer, and what the ledger keeps under the token's digest. */
export type Issued = {
  result: Record<string, unknown>
  fields: Record<string, string>
  expiresMs: number //  ledger's clock
}

/** What a good gives its buyer besides its answer. Issued in the ledger step that stores the answer. */
export type Grant = {
  kind: TokenKind
  issue(at: { token: string; nowMs: number; publicUrl: string }): Issued
}

/** A grant as the ledger keeps it; one whose payment is gone ends early, and keeps its own end in `heldExpires`. */
export type GrantRow = { sku: string; expiresMs: number; fields: Record<string, string> }

/** Whether a grant does not work only because its payment is gone: it would last otherwise, and does once that is back. */
export const isRevoked = ({ fields: { heldExpires } }: GrantRow, nowMs: number): boolean =>
  heldExpires !== undefined && Number(heldExpires) > nowMs
