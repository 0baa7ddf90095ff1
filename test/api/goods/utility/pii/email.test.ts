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
    [`postgres://${'a'.repeat(200)}:password@db.example.com`, []], // a placeholder for a secret
    ['x postgres://app:app@db.example.com\nto:ann@example.com', ['email']],
  ])('%j: %j', (text, kinds) => {
    expect(kindsIn(text)).toEqual(kinds)
  })
})

describe('4.1 rule 10: an address as URLs, JSON and HTML escape it, and what only looks like one', () => {
  test.each<[string, string[]]>([
    ['GET /reset?email=ann.lee%40example.com', ['email']],
    ['{"to":"ann\\u0040example.com"}', ['email']],
    ['mailto:ann&#64;example.com, bob&#X40;example.com', ['email', 'email']],
    ['ann%41example.com', []],
    ['john_@example.com', ['email']], //           RFC 5322: a mailbox may end in any atom character
    ['ann-+@example.com', ['email']],
    ['ann.@example.com', []], //                   but no dot
    ['_@example.com', []],
    ['info@xn--e1afmkfd.xn--p1ai', ['email']],
    ['info@example.xn--a', []],
    ['<img src="logo@2x.png">', []], //            an image for high-resolution screens
    ['a@3x.JPEG b@2x.jpg c@2x.gif d@2x.webp e@2x.svg lodash@4.tgz', []],
    ['ann@2x.pn', ['email']],
    ['git clone git@github.com:org/repo.git', []], // how a repository is reached
    ['ssh://git@example.com/repo', []],
    ['git@example.com wrote', ['email']],
    ['agit@example.com:x', ['email']],
  ])('%j: %j', (text, kinds) => {
    expect(kindsIn(text)).toEqual(kinds)
  })
})

describe('4.1 rule 10: an internationalised address in letters of its own (RFC 6531)', () => {
  test.each<[string, string[]]>([
    ['пишите на info@пример.рф, спасибо', ['email']],
    ['иван.петров@пример.рф', ['email']],
    ['用户@例子.中国', ['email']],
    ['δοκιμή@example.com', ['email']],
    ['मेल: संपर्क@उदाहरण.भारत।', ['email']],
    ['mail@example.中国', ['email']],
    ['メールはinfo@例え.jpまで', ['email']],
    ['请发邮件到info@example.com谢谢', ['email']], //  words around it, without a blank
    ['https://user:пароль@example.com/', ['urlCredentials']],
    ['你好@张三。今天', []], //                        a mention
    ['@пользователь.рф', []],
    ['react@18.beta.3을 설치', []], //                nothing of another script in it
    ['<img src="logo@2x.png">，画像logo@2x.pngを', []],
    ['привет @всем.друзья', []],
  ])('%j: %j', (text, kinds) => {
    expect(kindsIn(text)).toEqual(kinds)
  })

  test('the place is all of it', () => {
    const text = 'от пётр.и@пример.рф, да'
    expect(locatePii(text).map(({ span }) => text.slice(span.start, span.end))).toEqual(['пётр.и@пример.рф'])
  })
})
