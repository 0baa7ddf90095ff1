import type { IncomingHttpHeaders } from 'node:http'
import { type QueryError, refuse } from './errors.ts'
import { isPassword, type Passwords, type UserName } from './users.ts'

type Credentials = { user: string; password: string }

/** Who asks. Three ways as in ClickHouse, never two at once: headers, Basic, URL parameters. */
export function authenticate(
  headers: IncomingHttpHeaders,
  query: URLSearchParams,
  passwords: Passwords,
): UserName | QueryError {
  const found = [fromHeaders(headers), fromBasic(headers.authorization), fromUrl(query)].filter(
    (credentials) => credentials !== null,
  )
  if (found.length > 1)
    return refuse(
      'AUTHENTICATION_FAILED',
      'Invalid authentication: it is not allowed to use X-ClickHouse HTTP headers, Authorization header and user/password parameters simultaneously.',
    )
  if (headers.authorization !== undefined && fromBasic(headers.authorization) === null)
    return refuse(
      'AUTHENTICATION_FAILED',
      "Invalid authentication: only 'Basic' HTTP Authorization is supported.",
    )
  const { user, password } = found[0] ?? { user: 'default', password: '' }
  if (isPassword(passwords, user, password)) return user
  return found.length === 0
    ? refuse('REQUIRED_PASSWORD', 'default: Authentication failed: password is required.')
    : refuse(
        'AUTHENTICATION_FAILED',
        `${user.slice(0, 64)}: Authentication failed: password is incorrect, or there is no user with such name.`,
      )
}

function fromHeaders(headers: IncomingHttpHeaders): Credentials | null {
  const user = headers['x-clickhouse-user']
  const key = headers['x-clickhouse-key']
  if (user === undefined && key === undefined) return null
  return { user: String(user ?? '') || 'default', password: String(key ?? '') }
}

function fromBasic(authorization: string | undefined): Credentials | null {
  const encoded = /^Basic ([A-Za-z0-9+/=_-]*)$/i.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return null
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon === -1) return { user: text || 'default', password: '' }
  return { user: text.slice(0, colon) || 'default', password: text.slice(colon + 1) }
}

function fromUrl(query: URLSearchParams): Credentials | null {
  if (!query.has('user') && !query.has('password')) return null
  return { user: query.get('user') || 'default', password: query.get('password') ?? '' }
}
