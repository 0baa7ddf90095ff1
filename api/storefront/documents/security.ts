import { DAY } from '../../../ops/units.ts'
import { type ChangingDocument, TEXT_TYPE } from '../document.ts'
import type { Facts } from '../facts.ts'

const VALID_MS = 180 * DAY
const PATH = '/.well-known/security.txt'

/**
 * `/.well-known/security.txt` (RFC 9116), served only when the operator has named a contact. It always expires half a
 * year from now: as long as this process runs, the contact is the configured one.
 */
export const securityText = (
  { publicUrl, securityContact }: Facts,
  clock: { nowMs(): number },
): ChangingDocument | null =>
  securityContact === null
    ? null
    : {
        path: PATH,
        type: TEXT_TYPE,
        maxAgeMs: 1 * DAY,
        text: async () => {
          const expires = new Date(Math.floor(clock.nowMs() / DAY) * DAY + VALID_MS)
          return [
            `Contact: ${securityContact}`,
            `Expires: ${expires.toISOString()}`,
            'Preferred-Languages: en',
            `Canonical: ${publicUrl}${PATH}`,
            '',
          ].join('\n')
        },
      }
