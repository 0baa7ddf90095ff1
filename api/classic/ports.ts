import type { guessesOf } from '../entitlements/guesses.ts'
import type { GoodPorts } from '../goods/good.ts'
import type { IntentLedger } from '../ledger/intents.ts'
import type { DeliverPorts } from '../payment/deliver.ts'
import type { Rail } from '../rails/rail.ts'

/** What is needed to look after the money of intents; the worker uses it too. */
export type MoneyPorts = Pick<DeliverPorts, 'ledger' | 'credits' | 'answers'> & {
  intents: IntentLedger
  rails: readonly Rail[]
  clock: { nowMs(): number }
}

/** What the routes need in addition, since they answer. */
export type ClassicPorts = MoneyPorts &
  DeliverPorts & {
    goods: GoodPorts
    guesses: ReturnType<typeof guessesOf> // shared by all routes
    openingSale: boolean
  }
