import { z } from 'zod'
import { CatalogRecord } from '../catalog/record.ts'
import { RAIL_IDS } from '../rails/rail.ts'
import { ServiceEntry } from './entry.ts'
import { Limit } from './limits.ts'
import { SettlerRecord } from './settlerRecord.ts'

/* Shapes that several documents have in common. */

export const Atomic = z.string().regex(/^\d+$/).describe('In the asset’s smallest unit: 1000 is 0.001 USDC')

/** The parts of an offer that both versions of x402 have. */
export const OFFERED = {
  scheme: z.literal('exact'),
  asset: z.string(),
  payTo: z.string(),
  maxTimeoutSeconds: z.int(),
}
const tokenDomain = { name: z.string(), version: z.string() }
export const TokenDomain = z.object(tokenDomain).describe('EIP-712 domain of the token')

/** One entry of accepts[], x402 version 2. */
export const Offer = z.object({
  ...OFFERED,
  network: z.string().describe('CAIP-2'),
  amount: Atomic,
  extra: z
    .object({
      ...tokenDomain,
      redemption: z.string().optional().describe('Secret of this offer: echo it in accepted.extra'),
    })
    .describe('EIP-712 domain of the token'),
})

/** A published rate limit: `burst` calls at once, then `perS` a second. */
export const PublishedRate = z.object({
  name: z.string().describe('As in RateLimit-Policy'),
  covers: z.string(),
  burst: z.number(),
  perS: z.number(),
  byAgent: z.literal(true).optional().describe('One x-agent-id at an address gets half of it'),
  whenBusy: z
    .literal(true)
    .optional()
    .describe('Applied only while the process has more such calls than that'),
  payers: z.literal('pass').optional().describe('A call that pays is counted and never refused'),
})

const railNames = {
  id: z.enum(RAIL_IDS),
  label: z.string(),
  chain: z.string(),
  asset: z.string(),
}

/** A payment rail as published (spec 2.4). */
const Rail = z.object({
  ...railNames,
  receiverAddress: z.string(),
  alternateReceivers: z.array(z.string()),
  explorer: z.string(),
  wallet: z.string(),
  agentDefault: z.boolean(),
  available: z.literal(true),
  discovers: z.boolean().describe('A transfer is found without its hash'),
})
const UnavailableRail = z.object({ ...railNames, available: z.literal(false) })

export const PublishedRails = {
  defaultRail: z.enum(RAIL_IDS).nullable(),
  rails: z.array(Rail),
  unavailable: z.array(UnavailableRail),
}

/** Shapes that the interface description names once and refers to wherever they occur. */
export const SHARED_SHAPES = {
  Offer,
  ServiceEntry,
  CatalogRecord,
  SettlerRecord,
  Limit,
  Rate: PublishedRate,
  Rail,
  UnavailableRail,
}
