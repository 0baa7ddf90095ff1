import { join } from 'node:path'

/** Where a buyer's things are kept: payments under way, money spent, tokens, receipts and the keys that check them. */
export type Home = {
  dir: string
  waitingDir: string //   payments whose outcome is unknown
  refusedDir: string //   payments that were sent and refused, and may still be taken
  spentDir: string //     one folder a day, one empty file a purchase
  limitsFile: string
  tokensDir: string
  receiptsDir: string
  keysDir: string
}

/** @param dataDir of the sandbox that is paid, or of everything else. Test money and real money are never added up. */
export function homeOf(dataDir: string): Home {
  const dir = join(dataDir, 'purchases')
  return {
    dir,
    waitingDir: join(dir, 'waiting'),
    refusedDir: join(dir, 'refused'),
    spentDir: join(dir, 'spent'),
    limitsFile: join(dir, 'limits.json'),
    tokensDir: join(dir, 'tokens'),
    receiptsDir: join(dir, 'receipts'),
    keysDir: join(dir, 'keys'),
  }
}
