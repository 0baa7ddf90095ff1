import { describe, expect, test } from 'vitest'
import { locatePii } from '../../../../../api/goods/utility/pii/countPii.ts'

const foundIn = (text: string): string[] =>
  locatePii(text).map(({ kind, span }) => `${kind} ${text.slice(span.start, span.end)}`)

describe('4.1 rule 10: a field whose name says that its value is secret', () => {
  test.each([
    'X-Api-Key: 9f8e7d6c5b4a',
    'x-api-key=9f8e7d6c5b4a',
    'api_key=9f8e7d6c5b4a',
    'apikey: 9f8e7d6c5b4a',
    'X-Auth-Token: 9f8e7d6c5b4a',
    'access-token: "9f8e7d6c5b4a"',
    '--client-secret=9f8e7d6c5b4a',
    'secret-key = 9f8e7d6c5b4a',
    'password = 9f8e7d6c5b4a',
    'password  =  9f8e7d6c5b4a', //                    columns
    `password${' '.repeat(8)}:${' '.repeat(8)}9f8e7d6c5b4a`,
    'password\t=\t9f8e7d6c5b4a',
    'Authorization: Bearer  9f8e7d6c5b4a',
    ":password => '9f8e7d6c5b4a'", //                  Ruby, PHP, Perl
    `"api_key"=>"9f8e7d6c5b4a"`,
    `'secret'  =>  '9f8e7d6c5b4a'`,
  ])('%s', (text) => {
    expect(foundIn(text)).toEqual(['assignedSecret 9f8e7d6c5b4a'])
  })

  test.each([
    `password${' '.repeat(9)}= 9f8e7d6c5b4a`,
    'password => params[:password]', //  code that takes it from elsewhere
    "password => 'short'",
    'password  =  *****',
    'x-api-key: your-key-here',
    'the password  hunter22 was changed',
    'bearer  announced',
  ])('none: %s', (text) => {
    expect(foundIn(text)).toEqual([])
  })
})
