import { expect, test } from 'vitest'
import { readPayload } from '../../../api/checkout/payload.ts'

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')
const INPUT = { samples: ['a?>', 'é'] }

test.each([
  ['base64', base64(JSON.stringify(INPUT))],
  ['base64url, without padding', Buffer.from(JSON.stringify(INPUT)).toString('base64url')],
])('4.2 an input that comes once it is paid is JSON in %s', (_, header) => {
  expect(readPayload(header)).toEqual(INPUT)
})

test.each([
  ['no base64', `*${base64('{}')}`],
  ['no JSON', base64('{')],
  ['two readings of it', base64('{"samples":["a"],"samples":["b"]}')],
  ['no UTF-8', base64(Buffer.from('{"samples":["\xff"]}', 'latin1'))],
])('I7 %s: it is none, for a receipt would be over another text', (_, header) => {
  expect(readPayload(header)).toBeUndefined()
})
