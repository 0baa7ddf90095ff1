import { describe, expect, test } from 'vitest'
import { locatePii } from '../../../../../api/goods/utility/pii/countPii.ts'

const kindsIn = (text: string): string[] => locatePii(text).map(({ kind }) => kind)

describe('4.1 rule 10: an address behind a colon is a credential only inside the same URL', () => {
  test.each<[string, string[]]>([
    ['BEGIN:VCARD\nURL:https://acme.io\nEMAIL:ann@example.com\nEND:VCARD', ['email']],
    ['see http://x.io mail:ann@example.com', ['email']],
    ['https://acme.io/login:ann@example.com:hunter2', ['email']],
    ['sip://pbx.acme.io; reply-to:bob@acme.io', ['email']],
    ['{"url":"https://acme.io","mail":"mailto:ann@example.com"}', ['email']],
    ["url='https://acme.io' to:ann@example.com", ['email']],
    ['Email:ann@example.com', ['email']], //                       no URL at all
    ['https://ann@example.com/', ['email']], //                    no secret
    ['https://ann:hunter2@mail.example.com', ['urlCredentials']],
    ['postgres://app:app@db.example.com', []], //                  the name repeated is a default
    [`postgres://${'a'.repeat(200)}:password@db.example.com`, []], // a place for a secret
    ['x postgres://app:app@db.example.com\nto:ann@example.com', ['email']],
  ])('%j: %j', (text, kinds) => {
    expect(kindsIn(text)).toEqual(kinds)
  })
})
