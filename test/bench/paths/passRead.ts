import type { Bench } from '../support/frame.ts'

/** Its place in the list; hour passes come with a later issue. */
export const passRead: Bench = {
  name: 'pass-read',
  title: 'pass-metered market read (10,000 passes, ledger fsync always)',
  notYet: 'hour passes are not sold yet',
}
