import { createHmac } from 'node:crypto'
import { sha256Hex } from '../receipts/canonical.ts'

/** Bearer tokens we issue, by the letters they begin with. */
export const TOKEN_KINDS = ['feed', 'pass', 'permit', 'credit', 'unlock'] as const
export type TokenKind = (typeof TOKEN_KINDS)[number]

const SHAPE = new RegExp(`^(${TOKEN_KINDS.join('|')})_[A-Za-z0-9_-]{43}$`)

/**
 * A token is derived from the claim that paid for it and our secret: delivering an answer again cannot mint another one
 * (I16), and a claim's key is public but reveals nothing about its token.
 */
export const tokenOf = (secret: Buffer, kind: TokenKind, claimKey: string): string =>
  `${kind}_${createHmac('sha256', secret).update(`token|${kind}|${claimKey}`).digest('base64url')}`

/** The ledger's form of a token: a reader of the ledger cannot use it. */
export const digestOfToken = (token: string): string => sha256Hex(token)

export const isToken = (text: string, kind: TokenKind): boolean => SHAPE.exec(text)?.[1] === kind
