import { z } from 'zod'
import { parseStrictJson, StrictJsonError } from '../../ops/strictJson.ts'
import { MAX_STATEMENT_DEPTH, type Subject, subjectOf } from '../receipts/statement.ts'
import { StatementAttestation } from './attested.ts'
import { defineGood } from './good.ts'
import { exactnessOf } from './utility/json/exact.ts'

const MAX_STATEMENT_BYTES = 4 * 1024

const Hash = z
  .string()
  .regex(/^(0x)?[0-9a-fA-F]{64}$/, 'is not 64 hex digits')
  .transform((hex) => hex.slice(-64).toLowerCase())

const Statement = z.string().transform((text, context): Subject => {
  const refuse = (message: string): never => {
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
  if (Buffer.byteLength(text) > MAX_STATEMENT_BYTES) return refuse(`longer than ${MAX_STATEMENT_BYTES} bytes`)
  try {
    const value = z.json().parse(parseStrictJson(text, MAX_STATEMENT_DEPTH))
    if (!numbersIn(text).every(isExact))
      return refuse('holds a number that is not exact in every reader; send it as a string')
    return subjectOf(value)
  } catch (error) {
    if (error instanceof StrictJsonError) return refuse(`is not strict JSON: ${error.message}`)
    return refuse('is not JSON that can be signed')
  }
})

const Input = z
  .object({ hash: Hash.optional(), statement: Statement.optional() })
  .transform(({ hash, statement }, context): { subject: Subject } => {
    if ((hash === undefined) !== (statement === undefined))
      return { subject: statement ?? { sha256: hash as string } }
    context.addIssue({
      code: 'custom',
      path: ['hash'],
      message: 'is needed unless statement is sent: exactly one of them',
    })
    return z.NEVER
  })

/**
 * Signs a caller's hash or statement with our key, dated by the payment, or by us if the statement comes later (spec
 * 2.2, 2.3). Verifying is free.
 */
export const receiptOracle = defineGood({
  sku: 'SKU_RECEIPT_ORACLE_01',
  path: '/x402/v1/receipt-oracle',
  title: 'Receipt oracle',
  description:
    'Signs your SHA-256 hash or JSON statement with our Ed25519 key, dated by the block of your payment, or by when you hand it in where that is later: {attestationId, signature, payload, verifyUrl}. Attests that you handed it in, not that it is true. Verifying is free.',
  listPriceMicroUsdc: 100_000n,
  priceMicroUsdc: 100_000n,
  parameters: [
    {
      name: 'hash',
      required: false,
      description: 'SHA-256 of what is attested, 64 hex digits; or else statement',
      example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    },
    {
      name: 'statement',
      required: false,
      description: `JSON value, at most ${MAX_STATEMENT_BYTES} bytes; or else hash. Public: whoever has the id can read it`,
      example: '{"order":"A-17"}',
      insteadOf: 'hash',
    },
  ],
  input: Input,
  delivers: 'attestation {attestationId, signature, payload, verifyUrl}',
  output: z.object({ attestation: StatementAttestation }),
  answer: ({ subject }) => ({ result: { attestation: { payload: { subject } } }, snapshotVersion: null }),
  subject: ({ attestation }) => (attestation as { payload: { subject: Subject } }).payload.subject,
})

const STRING = /"(?:[^"\\]|\\.)*"/g
const NUMBER = /-?\d[\d.eE+-]*/g

/** The numbers of a JSON text as they are spelled: once it is parsed, a rounded one no longer shows. */
const numbersIn = (json: string): string[] => json.replaceAll(STRING, '').match(NUMBER) ?? []

/**
 * Integers beyond 2^53 read differently here and there, and digits that no binary64 holds are dropped; what is signed
 * must be what was sent.
 */
const isExact = (number: string): boolean =>
  Math.abs(Number(number)) <= Number.MAX_SAFE_INTEGER && exactnessOf(number) === 'exact'
