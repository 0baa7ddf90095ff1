import { createHash, timingSafeEqual } from 'node:crypto'
import { ANALYST_BOUNDS, OWNER_TABLES } from '../../analyst.ts'
import { MINUTE, SECOND } from '../../units.ts'

export type UserName = 'default' | 'analyst'

/** What one user may have running and waiting at a time, and ask for in an hour. */
export type Allowance = {
  running: number
  waiting: number
  waitMs: number //            longest wait for a free place
  perHour: number | null //    queries; null: no quota
}

export const ALLOWANCES: Record<UserName, Allowance> = {
  default: { running: 8, waiting: 256, waitMs: 1 * MINUTE, perHour: null },
  analyst: {
    running: ANALYST_BOUNDS.queriesAtOnce,
    waiting: 16,
    waitMs: 10 * SECOND,
    perHour: ANALYST_BOUNDS.queriesPerHour,
  },
}

/** Settings every query of the analyst starts with; `readonly` is set after all others. */
export const ANALYST_LIMITS: Record<string, number | string> = {
  max_execution_time: ANALYST_BOUNDS.seconds,
  max_memory_usage: ANALYST_BOUNDS.memoryBytes,
  max_result_rows: ANALYST_BOUNDS.resultRows,
  max_result_bytes: ANALYST_BOUNDS.resultBytes,
  result_overflow_mode: 'throw',
  max_threads: 2,
  max_ast_elements: 20_000,
  allow_ddl: 0,
  allow_introspection_functions: 0,
}

/**
 * The engine's own access rules. It always signs in as `default`, so our two users are two of its roles:
 * each connection takes exactly one with SET ROLE before it sees a client's text.
 * @param database the analyst reads this one, but for OWNER_TABLES, and every database whose name starts with it: tests have
 *   some. The image grants one database only, since a backup restored beside it would hold the owner's tables too.
 */
export function usersXml(database: string): string {
  return `<clickhouse>
  <profiles><default>
    <implicit_select>0</implicit_select>
    <allow_introspection_functions>0</allow_introspection_functions>
  </default></profiles>
  <quotas><default></default></quotas>
  <roles>
    <owner><grants>
      <query>GRANT ALL ON *.*</query>
      <query>REVOKE SOURCES ON *.*</query>
    </grants></owner>
    <analyst><grants>
      <query>GRANT SHOW, SELECT ON ${database}*.*</query>
${OWNER_TABLES.map((table) => `      <query>REVOKE SHOW, SELECT ON ${database}.${table}</query>`).join('\n')}
    </grants></analyst>
  </roles>
  <users><default>
    <password></password>
    <networks><ip>::/0</ip></networks>
    <profile>default</profile>
    <quota>default</quota>
    <grants>
      <query>GRANT owner</query>
      <query>GRANT analyst</query>
    </grants>
  </default></users>
</clickhouse>
`
}

/** @param usersPath absolute path of the file with `usersXml`. */
export const configXml = (usersPath: string): string => `<clickhouse>
  <users_config>${usersPath}</users_config>
  <mark_cache_size>268435456</mark_cache_size>
  <max_server_memory_usage_to_ram_ratio>0.5</max_server_memory_usage_to_ram_ratio>
</clickhouse>
`

export type Passwords = Record<UserName, string>

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Compares digests, so that neither length nor content of a password shows in the time. */
export function isPassword(passwords: Passwords, user: string, password: string): user is UserName {
  const known = user === 'default' || user === 'analyst'
  const same = timingSafeEqual(digest(known ? passwords[user] : ''), digest(password))
  return known && same
}
