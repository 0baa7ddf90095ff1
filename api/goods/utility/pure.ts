import type { Good } from '../good.ts'
import { json } from './json/json.ts'
import { pii } from './pii/pii.ts'
import { scan } from './scan/scan.ts'
import { sniff } from './sniff/sniff.ts'
import { specLint } from './specLint/specLint.ts'

/** Goods whose answer is a function of the text alone: no ports, no clock. They may run in another thread. */
export const PURE_GOODS: readonly Good<unknown>[] = [sniff, pii, specLint, json, scan]
