import { counted } from '../../counted.ts'
import { formatUsdc } from '../../units.ts'
import { type Command, done } from '../command.ts'
import { dayOf, type KeptLimits, keepLimits, limitsOf, readLimits, spentOn, sumOf } from '../kept/spending.ts'
import { COMMON } from '../options.ts'
import { findHome } from '../seller.ts'

export const limits: Command = {
  name: 'limits',
  words: '',
  maxWords: 0,
  summary: 'Shows the spending limits and what was spent today; with options keeps new limits.',
  notes:
    'Kept limits are ceilings: the same options of a purchase can only lower them. A limit over sessions holds for each name given with --session, over seven days. --new forgets the kept ones.',
  examples: [
    ['limits', ''],
    ['limits --max-usd 0.50 --max-day-usd 5', 'kept for every later purchase'],
    ['limits --new', 'back to 1.00 a purchase'],
  ],
  options: ['max-usd', 'max-usdc', 'max-day-usd', 'max-session-usd', 'new', 'base', 'data-dir', ...COMMON],
  async run(args, shell) {
    const home = await findHome(args, shell.dataDir)
    const before = args.given.has('new') ? {} : await readLimits(home)
    const { callMicroUsdc, dayMicroUsdc, sessionMicroUsdc } = args.limits
    const set = (name: keyof KeptLimits, micro: bigint | null): KeptLimits =>
      micro === null ? {} : { [name]: formatUsdc(micro) }
    const kept: KeptLimits = {
      ...before,
      ...set('perCallUsd', callMicroUsdc),
      ...set('perDayUsd', dayMicroUsdc),
      ...set('perSessionUsd', sessionMicroUsdc),
    }
    const changes = callMicroUsdc ?? dayMicroUsdc ?? sessionMicroUsdc ?? (args.given.has('new') ? true : null)
    if (changes !== null) await keepLimits(home, kept)
    const none = { callMicroUsdc: null, dayMicroUsdc: null, sessionMicroUsdc: null, session: '' }
    const { callMicro, dayMicro, sessionMicro } = limitsOf(kept, none)
    const spent = await spentOn(home.spentDir, dayOf(Date.now()))
    const usd = (micro: bigint | null) => (micro === null ? null : formatUsdc(micro))
    const data = {
      perCallUsd: usd(callMicro),
      perDayUsd: usd(dayMicro),
      perSessionUsd: usd(sessionMicro),
      today: { day: dayOf(Date.now()), purchases: spent.length, spentUsd: formatUsdc(sumOf(spent)) },
    }
    const { today } = data
    const text = `A purchase   ${data.perCallUsd} USD at most
A day        ${data.perDayUsd ?? 'no limit'}${data.perDayUsd === null ? '' : ' USD at most'}
A session    ${data.perSessionUsd ?? 'no limit'}${data.perSessionUsd === null ? '' : ' USD at most'}
Today        ${today.spentUsd} USD in ${counted(today.purchases, 'purchase')} (${today.day}, UTC)
`
    return done(data, text)
  },
}
