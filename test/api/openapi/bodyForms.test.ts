import { expect, test } from 'vitest'
import { accountOf, isCreditSecret } from '../../../api/entitlements/credit.ts'
import { openApi } from '../../../api/openapi/openApi.ts'
import { someFacts } from '../../support/facts.ts'
import { asSent, operationsIn, resolved, schemaChecker } from './support.ts'

const document = asSent(openApi(someFacts({ cardCheckout: true })))
const check = schemaChecker(document)

const isAccount = (text: string) => accountOf(text) !== null
const orNone = (read: (text: string) => boolean) => (text: string) => text === '' || read(text)
const TEXTS = [
  '',
  'a',
  'a b',
  'é',
  '\u0000',
  'a\n',
  '~'.repeat(15),
  '~'.repeat(16),
  'a'.repeat(128),
  'a'.repeat(129),
]

test.each([
  ['/purchase-intent', 'buyerId', orNone(isAccount)],
  ['/purchase-intent', 'creditSpendAuth', orNone(isCreditSecret)],
  ['/purchase-intent', 'referralCode', isAccount],
  ['/quote', 'buyerId', orNone(isAccount)],
  ['/fulfill', 'buyerId', orNone(isAccount)],
  ['/checkout/settle', 'buyerId', orNone(isAccount)],
  ['/cardpay/checkout', 'buyerId', isAccount],
  ['/cardpay/checkout', 'referralCode', isAccount],
])('5.4 the published form of POST %s %s is the one that is read', (path, name, isRead) => {
  const { operation } = operationsIn(document).find((each) => each.method === 'POST' && each.path === path)!
  const body = operation.requestBody!.content!['application/json']!.schema as { $ref: string }
  const field = resolved<{ properties: Record<string, object> }>(document, body).properties[name]!
  for (const text of TEXTS) expect([text, check(field, text) === null]).toEqual([text, isRead(text)])
})
