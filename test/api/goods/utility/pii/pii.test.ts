import { entropyToMnemonic, validateMnemonic } from '@scure/bip39'
import { wordlist as czech } from '@scure/bip39/wordlists/czech.js'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { wordlist as french } from '@scure/bip39/wordlists/french.js'
import { wordlist as italian } from '@scure/bip39/wordlists/italian.js'
import { wordlist as japanese } from '@scure/bip39/wordlists/japanese.js'
import { wordlist as korean } from '@scure/bip39/wordlists/korean.js'
import { wordlist as portuguese } from '@scure/bip39/wordlists/portuguese.js'
import { wordlist as simplifiedChinese } from '@scure/bip39/wordlists/simplified-chinese.js'
import { wordlist as spanish } from '@scure/bip39/wordlists/spanish.js'
import { wordlist as traditionalChinese } from '@scure/bip39/wordlists/traditional-chinese.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { measuredOf } from '../../../../../api/goods/utility/measured.ts'
import { isCardNumber, passesLuhn } from '../../../../../api/goods/utility/pii/card.ts'
import { countPii, locatePii } from '../../../../../api/goods/utility/pii/countPii.ts'
import { IBAN_ACCOUNTS, isIban } from '../../../../../api/goods/utility/pii/iban.ts'
import { KIND_NAMES, type KindName } from '../../../../../api/goods/utility/pii/kinds.ts'
import { pii } from '../../../../../api/goods/utility/pii/pii.ts'
import { Pii } from '../../../../../api/goods/utility/pii/result.ts'
import { passesChecksum } from '../../../../../api/goods/utility/pii/seedPhrase.ts'
import { TOKEN_SHAPES } from '../../../../../api/goods/utility/pii/tokens.ts'

const kindsIn = (text: string): KindName[] => locatePii(text).map(({ kind }) => kind)

const LISTS = {
  czech,
  english: wordlist,
  french,
  italian,
  japanese,
  korean,
  portuguese,
  simplifiedChinese,
  spanish,
  traditionalChinese,
}

const UUID = '12345678-1234-4234-8234-123456789abc'
const KEY = 'c8f12fb8b20008e14b5a5ff4bad15af9b545d98144da8707892dcc2a2014ba58'
const ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
const BELOW_ORDER = `${ORDER.slice(0, -1)}0`
const BOT = Buffer.from('123456789012345678').toString('base64url')
const jwt = (header: object): string =>
  `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${Buffer.from('{"sub":"1"}').toString('base64url')}.c2ln`

const pretty = (header: string): string => `${Buffer.from(header).toString('base64url')}.eyJzdWIiOiIxIn0.c2ln`

describe('4.1 rule 10: what is counted, and what only looks like it', () => {
  test.each<[string, KindName[]]>([
    //  cards: issuer, length, Luhn
    ['card 4111 1111 1111 1111 exp 12/29', ['card']],
    ['4111111111111111', ['card']],
    ['4111-1111-1111-1111', ['card']],
    ['3782 822463 10005', ['card']],
    ['6363680000000007', ['card']], //     Elo
    ['6370950000000005', ['card']], //     Hiper
    ['81100000000000009', ['card']], //    UnionPay, 17 to 19 digits
    ['8110000000000000009', ['card']],
    ['81720000000000009', []],
    ['<path d="M307.29 200.283 330.682C"/>', []], // coordinates
    ['4111 1111-1111 1111', []],
    ['4111111111111112', []], //       check digit
    ['1111111111111117', []], //       no issuer
    //  an unlisted issuer, where the text says that a card number follows
    ['card number 3598899323053410 is lost', ['card']],
    ['Kreditkarte: 3598 8993 2305 3410', ['card']],
    ['"cardNumber": "3598899323053410"', ['card']],
    ['tarjeta 3598899323053410', ['card']],
    ['3598899323053410', []],
    ['card number 3598899323053411', []], // check digit
    ['card number 0000000000000000', []], // a placeholder
    ['card 359889932307', []], //            12 digits
    ['SIM card 8944500102198304826', []],
    ['SD-card no. 3598899323053410', []],
    ['cardiac case 3598899323053410', []],
    ['card of May 12, item 3598899323053410', []],
    ['411111111111111', []], //        15 digits are no Visa
    ['x4111111111111111', []],
    ['id-4111111111111111', []],
    ['id_4111111111111111', []],
    ['4111111111111111_x', []],
    ['0.4111111111111111', []],
    //  bank accounts: country, length, modulo 97
    ['GB82 WEST 1234 5698 7654 32', ['iban']],
    ['de89370400440532013000', ['iban']],
    ['NO9386011117947', ['iban']],
    ['GB83 WEST 1234 5698 7654 32', []],
    ['DE8937040044053201300', []],
    ['XX82WEST12345698765432', []],
    ['XDE89370400440532013000', []],
    //  social security numbers that may be issued
    ['SSN 536-22-1234', ['ssn']],
    ['536 22 1234', ['ssn']],
    ['001-01-0001', ['ssn']],
    ['899-99-9999', ['ssn']],
    ['000-22-1234', []],
    ['666-22-1234', []],
    ['900-22-1234', []],
    ['536-00-1234', []],
    ['536-22-0000', []],
    ['536-22-12345', []],
    ['536-22 1234', []],
    ['1-536-22-1234', []],
    //  addresses
    ['from 8.8.8.8, ok', ['ipv4']],
    ['255.255.255.255', ['ipv4']],
    ['256.1.1.1', []],
    ['v1.2.3.4', []],
    ['1.2.3.4.5', []],
    ['at 2001:db8::8a2e:370:7334.', ['ipv6']],
    ['fe80::1', []], // two groups: too little to tell from code
    ['std::vector::at', []],
    ['add:bad::cab', []],
    ['12:34:56', []],
    ['Mail ann.lee+x@mail.example.co.uk!', ['email']],
    ['ann@localhost', []],
    ['@example.com', []],
    ['a@b.c', []],
    ['a@example.123', []],
    //  phones: an international form, the North American plan, or a word before
    ['+49 30 901820', ['phoneLike']],
    ['(212) 555-0142', ['phoneLike']],
    ['Phone: 60-56-85-91', ['phoneLike']],
    ['60-56-85-91', []],
    ['+1', []],
    ['+999 12345678', []], //             nobody has that country code
    ['+1 234567', []], //                  too short for its country
    ['phone 123456789012345', ['phoneLike']],
    ['phone 1234567890123456', []],
    ['order 1234567', []],
    //  keys
    ['-----BEGIN RSA PRIVATE KEY-----', ['pemPrivateKey']],
    ['-----BEGIN PRIVATE KEY-----', ['pemPrivateKey']],
    ['-----BEGIN PGP PRIVATE KEY BLOCK-----', ['pemPrivateKey']],
    ['-----BEGIN PUBLIC KEY-----', []],
    ['-----BEGIN CERTIFICATE-----', []],
    [`oops 0x${KEY}`, ['evmPrivateKey']],
    [`private key ${KEY}`, ['evmPrivateKey']],
    [KEY, []], //                      without 0x and without a word it is any hash
    [`tx hash 0x${KEY}`, []],
    [`0x${KEY}0`, []],
    [`0x${'0'.repeat(64)}`, []],
    [`0x${'0'.repeat(63)}1`, ['evmPrivateKey']],
    [`0x${BELOW_ORDER}`, ['evmPrivateKey']],
    [`0x${ORDER}`, []],
    [jwt({ alg: 'HS256' }), ['jwt']],
    [jwt({ enc: 'A256GCM', zip: 'DEF' }), ['jwt']],
    [jwt({ name: 'not a header at all' }), []],
    [pretty('{ "alg": "HS256" }'), ['jwt']],
    [pretty('{\n  "alg": "HS256"\n}\n'), ['jwt']],
    [pretty('{\r\n "enc": "A256GCM"}'), ['jwt']],
    [pretty('[ "alg": "HS256" ]'), []],
    ['https://ann:hunter2@example.com/x', ['urlCredentials']],
    ['postgres://svc:s3cr3t@db:5432/app', ['urlCredentials']],
    ['postgres://app:app@db', []], //  the name repeated is a default
    ['mysql://user:{PASSWORD}@host', []],
    ['https://example.com/a:b@c', []],
    ['password=hunter22', ['assignedSecret']],
    ['"api_key": "abcdef123456"', ['assignedSecret']],
    ['Authorization: Bearer abc123def456', ['assignedSecret']],
    ['password=*****', []],
    ['password: required', []],
    ['the bearer announced', []],
    ['SG.APhb3zgjtx3hajdas1TjBB.H7Sgbba3afgKSDyB442aDK0kpGO3SD332313-L5528K', ['providerToken']],
    ['https://hooks.slack.com/services/T0000AAAA/B0000AAAA/abcdefghijklmnop', ['providerToken']],
    ['https://hooks.slack.com/services/T0000/B0000/abcdefgh', ['providerToken']],
    ['https://hooks.slack.com/services/T000/B0000/abcdefgh', []],
    [`https://discord.com/api/webhooks/${'1'.repeat(17)}/${'a_-1'.repeat(15)}`, ['providerToken']],
    [`https://discord.com/api/webhooks/${'1'.repeat(16)}/${'a_-1'.repeat(15)}`, []],
    [`https://discord.com/api/webhooks/${'1'.repeat(17)}/${'a'.repeat(59)}`, []],
    [`bot${'1'.repeat(8)}:AA${'a_-'.repeat(11)}`, ['providerToken']], // Telegram
    [`${'1'.repeat(10)}:AA${'a_-'.repeat(11)}`, ['providerToken']],
    [`${'1'.repeat(7)}:AA${'a_-'.repeat(11)}`, []],
    [`${'1'.repeat(11)}:AA${'a_-'.repeat(11)}`, []],
    [`${'1'.repeat(8)}:AB${'a_-'.repeat(11)}`, []],
    [`${'1'.repeat(8)}:AA${'a_-'.repeat(10)}aa`, []],
    [`${'1'.repeat(8)}:AA${'a_-'.repeat(11)}a`, []],
    //  shapes that gitleaks 8 publishes
    [
      `x.webhook.office.com/webhookb2/${UUID}@${UUID}/IncomingWebhook/${'a1'.repeat(16)}/${UUID}`,
      ['providerToken'],
    ],
    [`x.webhook.office.com/webhookb2/${UUID}@${UUID}/IncomingWebhook/${'a1'.repeat(15)}/${UUID}`, []],
    ['A3-ABCDE1-ABCDE1ABCDE-ABCDE-ABCDE-ABCDE', ['providerToken']], // 1Password
    ['A3-ABCDE1-ABCDE1-ABCDE-ABCDE-ABCDE-ABCDE', ['providerToken']],
    ['A3-ABCDE1-ABCDE1-ABCDE-ABCDE-ABCDE-ABCDEF', []],
    [`"a~.1Q~${'aB1~'.repeat(8)}"`, ['providerToken']], // Azure
    [`"a~.xQ~${'aB1~'.repeat(8)}"`, []],
    [`"a~.1Q~${'aB1~'.repeat(9)}"`, []],
    [`pat.${'a'.repeat(22)}.${'b'.repeat(24)}.${'c'.repeat(20)}`, ['providerToken']], // Harness
    [`sat.${'a'.repeat(22)}.${'b'.repeat(24)}.${'c'.repeat(20)}`, ['providerToken']],
    [`compat.${'a'.repeat(22)}.${'b'.repeat(24)}.${'c'.repeat(20)}`, []],
    [`${'a'.repeat(14)}.atlasv1.${'b'.repeat(60)}`, ['providerToken']], // Terraform
    [`.atlasv1.${'b'.repeat(60)}`, []],
    [`${'a'.repeat(15)}.atlasv1.${'b'.repeat(60)}`, []],
    [`pat${'a1'.repeat(7)}.${'a1'.repeat(32)}`, ['providerToken']], // Airtable
    [`pat${'a1'.repeat(7)}.${'a1'.repeat(31)}a`, []],
    [`${'a1'.repeat(16)}-us12`, ['providerToken']], // Mailchimp
    [`${'a1'.repeat(16)}-user`, []],
    [`re_${'aB'.repeat(4)}_${'aB1'.repeat(8)}`, ['providerToken']], // Resend
    [`re_${'aB'.repeat(4)}_${'aB1'.repeat(7)}aB`, []],
    [`AAAA${'a'.repeat(7)}:APA91b${'a-'.repeat(67)}`, ['providerToken']], // Firebase
    [`AAAA${'a'.repeat(7)}:APA91b${'a-'.repeat(66)}`, []],
    [`https://eth-mainnet.g.alchemy.com/v2/${'aB1-'.repeat(8)}`, ['providerToken']],
    ['https://eth-mainnet.g.alchemy.com/v2/your-key', []],
    [`https://mainnet.infura.io/v3/${'a1'.repeat(16)}`, ['providerToken']],
    [`https://mainnet.infura.io/v3/${'a1'.repeat(15)}`, []],
    [`https://x.base-mainnet.quiknode.pro/${'a1'.repeat(20)}/`, ['providerToken']],
    [`https://x.base-mainnet.quiknode.pro/${'a1'.repeat(19)}/`, []],
    [`${BOT}.GaB1_-.${'aB1'.repeat(9)}`, ['providerToken']], // Discord
    [`${BOT}.GaB1_.${'aB1'.repeat(9)}`, []],
    [`${'MTAx'.repeat(4)}abcdefgh.GaB1_-.${'aB1'.repeat(9)}`, []], // no number
    ['PuTTY-User-Key-File-3: ssh-ed25519', ['pemPrivateKey']],
    ['---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----', ['pemPrivateKey']],
    ['---- BEGIN SSH2 PUBLIC KEY ----', []],
  ])('%s: %j', (text, kinds) => {
    expect(kindsIn(text)).toEqual(kinds)
  })

  test('a stretch counts once, for the strongest kind', () => {
    expect(kindsIn('api_key=sk_live_AAAAAAAAAAAAAAAAAAAAAAAA')).toEqual(['providerToken'])
    expect(kindsIn('https://ann:hunter2@mail.example.com')).toEqual(['urlCredentials'])
  })

  test('INP-08: full-width digits and invisible signs', () => {
    expect(kindsIn('４１１１\u200b １１１１ １１１１ １１１１')).toEqual(['card'])
    expect(kindsIn('ann\u200b@exam\u00adple.com')).toEqual(['email'])
  })
})

describe('provider tokens, by the published table', () => {
  const SIGN = {
    digits: '1',
    hex: 'a1',
    upper: 'A1',
    alnum: 'aB1',
    base64url: 'aB1',
    base64: 'aB1',
    dotted: 'aB1',
    mailbox: 'a',
    host: 'a',
    address4: '1',
    address6: 'a',
  }
  const body = (charset: keyof typeof SIGN, length: number, within = '', digits = 0): string =>
    ('1'.repeat(digits) + within).padEnd(length, SIGN[charset])
  const shapes = TOKEN_SHAPES.flatMap((shape) => shape.prefixes.map((prefix) => ({ ...shape, prefix })))

  test.each(shapes)('$provider $prefix: from min to max signs, not after a letter', (shape) => {
    const { prefix, charset, min, max, within, leadingDigits } = shape
    const found = (length: number, before = ''): boolean =>
      kindsIn(`${before}${prefix}${body(charset, length, within, leadingDigits)}`).includes('providerToken')
    expect([min, max].map((length) => found(length))).toEqual([true, true])
    expect(found(min, '"')).toBe(true)
    expect(found(min, 'x')).toBe(false)
    expect(found(max + 1)).toBe(false)
    //  one character too few is no token, unless another shape of the same provider takes it
    const others = TOKEN_SHAPES.some((other) => other.provider === shape.provider && other.min < min)
    if (!others) expect(found(min - 1)).toBe(false)
  })
})

describe('keys in the spelling that gitleaks 8 publishes', () => {
  test.each([
    `p8e-${'a1'.repeat(16)}`,
    `LTAI${'a1'.repeat(10)}`,
    `AKCp${'a1'.repeat(34)}a`,
    `cmVmd${'a1'.repeat(29)}a`,
    `4b1d${'a1'.repeat(19)}`,
    `CLOJARS_${'a1'.repeat(30)}`,
    `v1.0-${'a1'.repeat(12)}-${'a1'.repeat(73)}`,
    `dt0c01.${'A1'.repeat(12)}.${'A1'.repeat(32)}`,
    `EZAK${'a1'.repeat(27)}`,
    `EAAM${'a1'.repeat(50)}`,
    `FLWSECK_TEST-${'a1'.repeat(16)}-X`,
    `fo1_${'a1'.repeat(21)}a`,
    `fm2_${'a1'.repeat(50)}==`,
    `GR1348941${'a1'.repeat(10)}`,
    `glffct-${'a1'.repeat(10)}`,
    `gloas-${'a1'.repeat(32)}`,
    `HRKU-AA${'a1'.repeat(29)}`,
    `ico-${'a1'.repeat(16)}`,
    `s-s4t2ud-${'a1'.repeat(32)}`,
    `NRII-${'a1'.repeat(16)}`,
    `API-${'A1'.repeat(13)}`,
    `sha256~${'a1'.repeat(21)}a`,
    `pnu_${'a1'.repeat(18)}`,
    `pul-${'a1'.repeat(20)}`,
    `rdme_${'a1'.repeat(35)}`,
    `tk-us-${'a1'.repeat(24)}`,
    `xkeysib-${'a1'.repeat(32)}-${'a1'.repeat(8)}`,
    `shippo_live_${'a1'.repeat(20)}`,
    `sgp_local_${'a1'.repeat(20)}`,
    `sgp_${'a1'.repeat(20)}`,
    `sgp_${'a1'.repeat(8)}_${'a1'.repeat(20)}`,
    `sk_prod_${'a1'.repeat(12)}`,
    `duffel_live_${'a1'.repeat(21)}_`,
    `fio-u-${'a1'.repeat(32)}`,
    `eyJrIjoi${'a1'.repeat(35)}==`,
    `access-production-${UUID}`,
    `sm_aat_${'a1'.repeat(8)}`,
    `tfp_${'a1'.repeat(28)}_a1`,
  ])('%s', (key) => {
    expect(kindsIn(`found ${key} in it`)).toEqual(['providerToken'])
  })
})

describe('checksums', () => {
  test('Luhn: any digit changed fails', () => {
    const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 16, maxLength: 16 })
    fc.assert(
      fc.property(digits, fc.nat(15), fc.integer({ min: 1, max: 9 }), (number, at, by) => {
        const valid = [...Array(10).keys()]
          .map((last) => [...number.slice(1), last].join(''))
          .find(passesLuhn)!
        const changed = [...valid]
        changed[at] = String((Number(changed[at]) + by) % 10)
        expect(passesLuhn(changed.join(''))).toBe(false)
      }),
    )
  })

  test.each([
    ['5555555555554444', true], // examples the issuers publish for testing
    ['2223003122003222', true],
    ['378282246310005', true],
    ['6011111111111117', true],
    ['30569309025904', true],
    ['3530111333300000', true],
    ['6200000000000005', true],
    ['2720999999999996', true], //  last of Mastercard's range
    ['2721000000000004', false],
    ['6073841234567895', true], //  RuPay
    ['8172001234567892', true],
    ['8299999999999994', true],
    ['8300000000000000', false],
    ['9792001234567890', true], //  Troy
  ])('%s', (number, valid) => {
    expect(passesLuhn(number)).toBe(true)
    expect(isCardNumber(number)).toBe(valid)
  })

  test('IBAN: made for any country and any account, it holds, and no other check digits do', () => {
    const signs = { n: '0123456789', a: 'ABCXYZ', c: '0123456789ABCXYZ' }
    const account = (form: string) =>
      fc.tuple(
        ...[...form.matchAll(/(\d+)([nac])/g)].map(([, count, sign]) =>
          fc.string({
            unit: fc.constantFrom(...signs[sign as keyof typeof signs]),
            minLength: Number(count),
            maxLength: Number(count),
          }),
        ),
      )
    const anyAccount = fc
      .constantFrom(...Object.entries(IBAN_ACCOUNTS))
      .chain(([country, form]) => fc.tuple(fc.constant(country), account(form)))
    fc.assert(
      fc.property(anyAccount, ([country, parts]) => {
        const bban = parts.join('')
        const digits = [...`${bban}${country}00`].map((sign) => Number.parseInt(sign, 36)).join('')
        const check = String(98n - (BigInt(digits) % 97n)).padStart(2, '0')
        expect(isIban(`${country}${check}${bban}`)).toBe(true)
        const other = String((Number(check) + 1) % 100).padStart(2, '0')
        expect(isIban(`${country}${other}${bban}`)).toBe(false)
        expect(isIban(`${country}${check}${bban}0`)).toBe(false)
      }),
    )
  })

  test('seed phrases: our checksum agrees with the library, and a phrase is found in a sentence or a list', () => {
    const entropy = fc
      .constantFrom(16, 20, 24, 28, 32)
      .chain((size) => fc.uint8Array({ minLength: size, maxLength: size }))
    fc.assert(
      fc.property(entropy, fc.nat(), fc.nat(2047), (bytes, at, other) => {
        const words = entropyToMnemonic(bytes, wordlist).split(' ')
        expect(kindsIn(`keep this: ${words.join(' ')}.`)).toEqual(['seedPhrase'])
        expect(kindsIn(words.map((word, n) => `${n + 1}. ${word}`).join('\n'))).toEqual(['seedPhrase'])
        words[at % words.length] = wordlist[other]!
        const indexes = words.map((word) => wordlist.indexOf(word))
        expect(passesChecksum(indexes)).toBe(validateMnemonic(words.join(' '), wordlist))
      }),
      { numRuns: 60 },
    )
  })

  test('listed words about a phrase ("keep this") do not tear it, though one of sixteen rows has a checksum by chance', () => {
    //  "keep this" and the first ten words have a valid checksum by chance, as have two more runs of twelve words
    const torn = Buffer.from('bd2f0710bb9ef9bdb56f0005c3040002af000602226d30cbad00b4ed00158000', 'hex')
    const phrase = entropyToMnemonic(torn, wordlist)
    expect(kindsIn(`keep this: ${phrase}.`)).toEqual(['seedPhrase'])
    const twelve = (first: number) => entropyToMnemonic(Buffer.alloc(16, first), wordlist)
    for (let n = 0; n < 200; n++) {
      const two = `${twelve(n)} ${twelve(n + 7)}`
      const isOne = validateMnemonic(two, wordlist)
      expect(kindsIn(two), two).toEqual(isOne ? ['seedPhrase'] : ['seedPhrase', 'seedPhrase'])
    }
  })

  test.each(Object.entries(LISTS))(
    'seed phrases of the list %s are found, written composed or not',
    (_, list) => {
      const entropy = fc
        .constantFrom(16, 20, 24, 28, 32)
        .chain((size) => fc.uint8Array({ minLength: size, maxLength: size }))
      fc.assert(
        fc.property(entropy, fc.constantFrom('NFC', 'NFKD'), fc.nat(2047), (bytes, form, other) => {
          const words = entropyToMnemonic(bytes, list).split(/[ \u3000]/)
          expect(kindsIn(`1: ${words.join(' ')}.`.normalize(form))).toEqual(['seedPhrase'])
          const changed = [list[other]!, ...words.slice(1)]
          if (changed.length === 12 && !validateMnemonic(changed.join(' '), list))
            expect(kindsIn(changed.join(' ').normalize(form))).toEqual([])
        }),
        { numRuns: 20 },
      )
    },
  )

  test('a text that is parted sign by sign is no seed phrase: in a list of signs nothing else may stand in the row', () => {
    const phrase = entropyToMnemonic(new Uint8Array(16).fill(7), LISTS.simplifiedChinese)
    expect(kindsIn(phrase)).toEqual(['seedPhrase'])
    expect(kindsIn(`助记词：${phrase}。`)).toEqual(['seedPhrase'])
    expect(kindsIn(`的 ${phrase}`)).toEqual([])
    expect(kindsIn(`${phrase} 的`)).toEqual([])
  })

  test('a sentence of another script may stand beside a phrase without a blank', () => {
    const phrase = `${'abandon '.repeat(11)}about`
    expect(kindsIn(`フレーズは${phrase}です`)).toEqual(['seedPhrase'])
  })

  test('eleven words are no seed phrase, nor twelve without the checksum', () => {
    expect(kindsIn(`${'abandon '.repeat(11)}`)).toEqual([])
    expect(kindsIn(`${'abandon '.repeat(11)}about`)).toEqual(['seedPhrase'])
    expect(kindsIn(`${'abandon '.repeat(11)}above`)).toEqual([])
  })

  test.each(['* abandon\n', '1: abandon\n', '| abandon |', '#1 (abandon)\n', '"abandon", '])(
    'whatever signs of a list part the words: %j',
    (entry) => {
      const phrase = `${entry.repeat(11)}${entry.replace('abandon', 'about')}`
      expect(kindsIn(phrase)).toEqual(['seedPhrase'])
      expect(kindsIn(phrase.replace('abandon', 'abandon über'))).toEqual([])
    },
  )

  const rowsOf = (words: string[], per: number, [first = '', between = '', last = '']: string[]) =>
    Array.from({ length: words.length / per }, (_, row) =>
      [first, words.slice(row * per, (row + 1) * per).join(between), last].join(''),
    ).join('\n')

  test.each<[string, number, string[]]>([
    ['lines', 4, ['', ' ', '']],
    ['a quoted mail', 4, ['> ', ' ', '']],
    ['a comment', 6, ['  // ', ' ', '']],
    ['a table', 3, ['| ', ' | ', ' |']],
    ['a table without edges', 3, ['', ' | ', '']],
    ['groups', 3, ['', ' ', ',']],
    ['JSON', 2, ['  "', '", "', '",']],
    ['columns', 3, ['', '\t', '']],
  ])('a phrase in rows: %s', (_, per, signs) => {
    for (const nth of [1, 2, 3]) {
      const words = entropyToMnemonic(new Uint8Array(16).fill(nth), wordlist).split(' ')
      expect(kindsIn(rowsOf(words, per, signs))).toEqual(['seedPhrase'])
    }
  })

  test('code and contents of listed words, which are parted otherwise from word to word, are no seed phrase', () => {
    //  in each, some twelve words in a row have a valid checksum
    for (const text of [
      'shell help\nshell --help\n\nshell help spawn\nshell spawn --help\n```\n\n### Custom help\n\nYou can add',
      'man7/latin1.7 man7/latin10.7 man7/latin2.7 man7/latin3.7 man7/latin4.7 man7/latin5.7 man7/latin6.7',
      ...[1, 2, 3].map((nth) =>
        entropyToMnemonic(new Uint8Array(16).fill(nth), wordlist).replaceAll(/(\w+) (\w+) /g, '$1-$2 '),
      ),
    ])
      expect(kindsIn(text)).toEqual([])
  })

  test('twelve signs may stand between two words, not more', () => {
    const phrase = (between: string) => `${`abandon${between}`.repeat(11)}about`
    expect(kindsIn(phrase('-'.repeat(12)))).toEqual(['seedPhrase'])
    expect(kindsIn(phrase('-'.repeat(13)))).toEqual([])
  })
})

describe('properties', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 16 }),
    fc.constantFrom(
      '4111 1111 1111 1111',
      'GB82WEST12345698765432',
      'ann@example.com',
      '://a:',
      '@',
      'eyJ',
      '::',
      '+49 ',
      'password=',
      '\ud83d',
      '１',
    ),
  )
  const anyText = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

  test('any text is answered in the published shape: every kind is counted, and the counts add up', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const result = Pii.omit({ measured: true }).strict().parse(countPii(text))
        expect(Object.keys(result.counts)).toEqual(KIND_NAMES)
        expect(Object.values(result.counts).reduce((sum, count) => sum + count, 0)).toBe(result.total)
        for (const { span } of locatePii(text))
          expect(0 <= span.start && span.start < span.end && span.end <= text.length).toBe(true)
      }),
    )
  })

  test('more found never lowers the score', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(countPii(`${text}\n\nann@example.com`).score).toBeGreaterThanOrEqual(countPii(text).score)
      }),
    )
  })

  test('INP-10: nothing found is in the answer', () => {
    const answer = JSON.stringify(
      countPii('ann@example.com 4111 1111 1111 1111 sk_live_AAAAAAAAAAAAAAAAAAAAAAAA 8.8.8.8'),
    )
    for (const secret of ['ann', 'example', '4111', 'sk_live', '8.8']) expect(answer).not.toContain(secret)
  })
})

describe('the good', () => {
  test('it answers in the published shape, with the rates, and says it redacts nothing', async () => {
    const draft = await pii.answer({ q: 'ann@example.com' }, {} as never)
    const { pii: result } = (draft as unknown as { result: { pii: Pii } }).result
    expect(Pii.strict().parse(result)).toMatchObject({ total: 1, counts: { email: 1 }, redacted: false })
    expect(result.measured).toEqual(measuredOf('pii'))
    expect(pii.description.length).toBeLessThan(500)
    expect([pii.listPriceMicroUsdc, pii.priceMicroUsdc]).toEqual([20_000n, 1_000n])
  })

  test.each([
    [{}, false],
    [{ q: 'a'.repeat(8 * 1024) }, true],
    [{ q: 'a'.repeat(8 * 1024 + 1) }, false],
  ])('q is required and bounded: case %#', (input, accepted) => {
    expect(pii.input.safeParse(input).success).toBe(accepted)
  })
})
