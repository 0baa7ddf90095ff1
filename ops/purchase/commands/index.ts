import type { Command } from '../command.ts'
import { buy } from './buy.ts'
import { canary } from './canary.ts'
import { completion } from './completion.ts'
import { credits } from './credits.ts'
import { feed } from './feed.ts'
import { inspect } from './inspect.ts'
import { limits } from './limits.ts'
import { list } from './list.ts'
import { pass } from './pass.ts'
import { receipts } from './receipts.ts'
import { verify } from './verify.ts'

/** Every command of `./ops/buy`, as help lists them. Adding one is adding one file and one line. */
export const COMMANDS: readonly Command[] = [
  list,
  inspect,
  buy,
  pass,
  credits,
  feed,
  verify,
  receipts,
  limits,
  canary,
  completion,
]
