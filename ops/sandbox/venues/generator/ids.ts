import { digits, mix } from './dice.ts'

/**
 * Identifiers carry slot, generation and place, so that any of them finds its market by arithmetic, also
 * after the market is gone, and no index has to be kept. They rise with the slot, as listings do.
 */
export type Place = { slot: number; generation: number; index: number }

const GENERATIONS = 1_048_576 //  20 bits
const PLACES = 64 //               6 bits
const FIRST_ID = 1_000_000_000

export const marketId = ({ slot, generation, index }: Place): string =>
  String(FIRST_ID + (slot * GENERATIONS + generation) * PLACES + index)

export const eventId = (slot: number, generation: number): string =>
  String(FIRST_ID + slot * GENERATIONS + generation)

const decimal = (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) - FIRST_ID : null)

export function parseMarketId(text: string): Place | null {
  const id = decimal(text)
  if (id === null || id < 0) return null
  const event = Math.floor(id / PLACES)
  return {
    slot: Math.floor(event / GENERATIONS),
    generation: event % GENERATIONS,
    index: id % PLACES,
  }
}

export function parseEventId(text: string): { slot: number; generation: number } | null {
  const id = decimal(text)
  if (id === null || id < 0) return null
  return { slot: Math.floor(id / GENERATIONS), generation: id % GENERATIONS }
}

const HEX_ID = 12
const TOKEN_ID = 16

/** 0x and 64 hex digits, the last twelve of which are the market id. */
export const conditionId = (key: number, id: string): string =>
  `0x${digits(mix(key, 0xc0), 64 - HEX_ID, 16)}${Number(id).toString(16).padStart(HEX_ID, '0')}`

export const questionId = (key: number, id: string): string =>
  `0x${digits(mix(key, 0x9e), 64 - HEX_ID, 16)}${Number(id).toString(16).padStart(HEX_ID, '0')}`

/** 77 decimal digits, the last sixteen of which are twice the market id plus the outcome. */
export const tokenId = (key: number, id: string, outcome: 0 | 1): string =>
  `${1 + (mix(key, outcome) % 9)}${digits(mix(key, 0x70 + outcome), 76 - TOKEN_ID, 10)}${String(Number(id) * 2 + outcome).padStart(TOKEN_ID, '0')}`

/** The market id inside a condition id; the caller checks the rest by making it again. */
export const idInCondition = (text: string): string | null =>
  /^0x[0-9a-f]{64}$/.test(text) ? String(Number.parseInt(text.slice(-HEX_ID), 16)) : null

export function idInToken(text: string): { id: string; outcome: 0 | 1 } | null {
  if (!/^\d{77}$/.test(text)) return null
  const twice = Number(text.slice(-TOKEN_ID))
  return { id: String(Math.floor(twice / 2)), outcome: twice % 2 === 0 ? 0 : 1 }
}

const slugify = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 90)

export const eventSlug = (title: string, id: string): string => `${slugify(title)}-${id}`

/** The steady part of a market slug. */
export const slugStem = (question: string, id: string): string => `${slugify(question)}-${id}`

/** Market slugs drift: a new number every week. */
export const marketSlug = (stem: string, key: number, week: number): string =>
  `${stem}-${100 + (mix(key, week) % 900)}`

export const idInEventSlug = (slug: string): string | null => /-(\d{10,15})$/.exec(slug)?.[1] ?? null
export const idInMarketSlug = (slug: string): string | null => /-(\d{10,15})-\d{3}$/.exec(slug)?.[1] ?? null
