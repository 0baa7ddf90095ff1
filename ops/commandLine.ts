import { type ParseArgsConfig, parseArgs } from 'node:util'
import { ConfigError } from './config.ts'
import { describeError, messageOf } from './errors.ts'

/** Why nothing was begun, in words for a terminal. */
export class RefusedOrder extends Error {}

/** `parseArgs` of node:util. @throws RefusedOrder that names the argument. */
export function readArguments<const Wanted extends ParseArgsConfig>(wanted: Wanted) {
  try {
    return parseArgs(wanted)
  } catch (error) {
    throw new RefusedOrder(messageOf(error))
  }
}

/** What a command says when it ends with an error. @param command as it is called, for where its help is. */
export function lastWords(error: unknown, command: string): string {
  if (error instanceof RefusedOrder) return `${error.message}\nSee ${command} --help\n`
  return `${error instanceof ConfigError ? error.message : describeError(error)}\n`
}
