import { findAssignedSecrets, findUrlCredentials } from './assigned.ts'
import { findCards } from './card.ts'
import { findEmails } from './email.ts'
import type { Finder } from './finder.ts'
import { findIbans } from './iban.ts'
import { findIpv4s, findIpv6s } from './ip.ts'
import { findPhones } from './phone.ts'
import { findEvmKeys, findJwts, findPemKeys } from './privateKeys.ts'
import { findProviderTokens } from './providerTokens.ts'
import { findSeedPhrases } from './seedPhrase.ts'
import { findSsns } from './ssn.ts'
import { findWalletKeys } from './walletKeys.ts'

/**
 * What is counted, strongest evidence first: a stretch of text counts once, for the first kind that takes it. `weight`
 * is how much one finding raises the risk score (0–1); `proof` is what supports it beyond its shape.
 */
export type Kind = { find: Finder; weight: number; proof: string }

export const KINDS = {
  pemPrivateKey: { find: findPemKeys, weight: 0.9, proof: 'first line of the key' },
  seedPhrase: { find: findSeedPhrases, weight: 0.95, proof: 'BIP-39 list of any language and checksum' },
  evmPrivateKey: { find: findEvmKeys, weight: 0.8, proof: 'range of the curve, words before it' },
  walletKey: { find: findWalletKeys, weight: 0.9, proof: 'checksum, or the public half of the pair' },
  providerToken: { find: findProviderTokens, weight: 0.8, proof: 'prefix, alphabet, length' },
  jwt: { find: findJwts, weight: 0.6, proof: 'header names an algorithm' },
  urlCredentials: { find: findUrlCredentials, weight: 0.6, proof: 'name and secret before the host' },
  assignedSecret: { find: findAssignedSecrets, weight: 0.5, proof: 'name of the field' },
  iban: { find: findIbans, weight: 0.6, proof: 'form of the country, modulo 97' },
  card: { find: findCards, weight: 0.7, proof: 'Luhn, and issuer prefix and length or words before it' },
  ssn: { find: findSsns, weight: 0.7, proof: 'ranges that are issued' },
  email: { find: findEmails, weight: 0.3, proof: 'syntax' },
  ipv6: { find: findIpv6s, weight: 0.15, proof: 'syntax' },
  ipv4: { find: findIpv4s, weight: 0.15, proof: 'syntax' },
  phoneLike: { find: findPhones, weight: 0.1, proof: 'plan of numbers or words around it; weak' },
} as const satisfies Record<string, Kind>

export type KindName = keyof typeof KINDS
export const KIND_NAMES = Object.keys(KINDS) as readonly KindName[]
