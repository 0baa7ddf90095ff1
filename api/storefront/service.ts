import type { Facts } from './facts.ts'

/** What this service is called, everywhere. */
export const SERVICE_NAME = 'Agent micro-data'
/** The same name where only lower case, digits and hyphens are allowed. */
export const SERVICE_SLUG = 'agent-micro-data'
/** Version of the interface (spec 9); the catalog manifest has a version of its own (CATALOG_VERSION). */
export const INTERFACE_VERSION = '1.0.0'
export const X402_VERSION = 2

/** One sentence of less than 100 characters: registries cut longer ones. */
export const SHORT_DESCRIPTION =
  'Paid HTTP reads for agents: cross-venue market prices and text checks, over x402.'

/** What is sold, to whom and for what, in a paragraph. */
export const describeService = ({ terms, mode }: Pick<Facts, 'terms' | 'mode'>): string =>
  `Small paid HTTP reads for autonomous agents that hold a wallet: prices of the same question on two prediction-market venues, gap cards, feed tokens, text checks, JSON repair, DNS lookups, log triage, signed receipts. Prices in USD, paid in USDC on ${terms.network} over x402 version ${X402_VERSION}, scheme exact. No account and no API key. Mode: ${mode}${mode === 'sandbox' ? ' (test money)' : ''}.`
