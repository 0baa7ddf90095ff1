import { judge } from '../../../engine/core/pairing/judge.ts'
import { marketA, marketB } from './markets.ts'

const closeMs = Date.parse('2028-01-01T04:59:00Z')
const rules = 'Resolves to yes if it happens.'

/** The verdict on two questions by their titles alone: close and rules are the same, and say nothing. */
export const judged = (titleA: string, titleB: string) =>
  judge(
    marketA('1', titleA, { closeMs, rules }),
    marketB('KXTEST-27', titleB, { closeMs, rules, eventTitle: titleB }),
  ).verdict
