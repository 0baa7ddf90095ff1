import { readFileSync, statSync } from 'node:fs'
import { ConfigError } from './config.ts'

const WORLD_READABLE = 0o004

/** @throws ConfigError by key: the file cannot be read, or everybody on the machine can read it. */
export function readSecretFile(key: string, file: string): Buffer {
  try {
    if ((statSync(file).mode & WORLD_READABLE) === 0) return readFileSync(file)
  } catch {
    throw new ConfigError([`${key}: cannot be read`])
  }
  throw new ConfigError([`${key}: is readable by everybody; chmod 600 it`])
}
