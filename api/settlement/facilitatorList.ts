import { z } from 'zod'
import { baseUrl, type Config, ConfigError } from '../../ops/config.ts'
import { readSecretFile } from '../../ops/secretFile.ts'
import { FacilitatorAuth, NO_AUTH, readFacilitatorAuth } from './facilitatorWire.ts'

/** One facilitator as configured. `name` labels metrics and logs; the URL may carry a key and labels nothing. */
export type FacilitatorEntry = { name: string; url: string; auth: FacilitatorAuth }

const MAX_FACILITATORS = 8
const Entry = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,32}$/),
  url: baseUrl,
  auth: FacilitatorAuth.default(NO_AUTH),
})
const List = z
  .array(Entry)
  .min(1)
  .max(MAX_FACILITATORS)
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length)

const SHAPE =
  'FACILITATORS_FILE: must be JSON [{"name":"a","url":"https://…","auth":{"verify":{…},"settle":{…},"supported":{…}}}, …], 1 to 8 of them in order of preference, names of a-z 0-9 - that differ'

/** @param text of FACILITATORS_FILE. @throws ConfigError that quotes nothing of it: it holds secrets. */
export function readFacilitators(text: string, mode: Config['MODE']): FacilitatorEntry[] {
  let list: FacilitatorEntry[]
  try {
    list = List.parse(JSON.parse(text))
  } catch {
    throw new ConfigError([SHAPE])
  }
  if (mode === 'live' && list.some(({ url }) => !url.startsWith('https:')))
    throw new ConfigError(['FACILITATORS_FILE: every url must be https:// with MODE=live'])
  return list
}

/** In order of preference: FACILITATORS_FILE, or the one of FACILITATOR_URL. */
export function configuredFacilitators(config: Config): FacilitatorEntry[] {
  if (config.FACILITATORS_FILE !== '')
    return readFacilitators(textOf('FACILITATORS_FILE', config.FACILITATORS_FILE), config.MODE)
  return [{ name: 'facilitator', url: config.FACILITATOR_URL, auth: authOf(config.FACILITATOR_AUTH_FILE) }]
}

function authOf(file: string): FacilitatorAuth {
  if (file === '') return NO_AUTH
  const text = textOf('FACILITATOR_AUTH_FILE', file)
  try {
    return readFacilitatorAuth(text)
  } catch {
    throw new ConfigError(['FACILITATOR_AUTH_FILE: must be JSON {verify, settle, supported} of header maps'])
  }
}

/** The headers are our keys: whoever reads them can pass for us, and settle or be billed in our name. */
const textOf = (key: string, file: string): string => readSecretFile(key, file).toString()
