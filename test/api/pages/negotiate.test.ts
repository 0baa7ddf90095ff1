import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asksForHtml, FORMS, namedWeight, preferredForm } from '../../../api/pages/negotiate.ts'

describe('Accept: html, markdown or json on the same URL', () => {
  test.each([
    ['', 'html'],
    ['*/*', 'html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'html'],
    ['application/json', 'json'],
    ['Application/JSON; charset=utf-8', 'json'],
    ['text/markdown', 'markdown'],
    ['text/markdown, application/json', 'markdown'], //          equal: the first
    ['application/json, text/markdown', 'json'],
    ['application/json, text/plain, */*', 'json'], //            axios: what is named, before what a wildcard lets in
    ['text/markdown, text/html, */*', 'markdown'], //            coding agents
    ['text/html, application/json, */*', 'html'],
    ['*/*, text/markdown', 'markdown'],
    ['application/json, text/*', 'json'],
    ['text/*, */*', 'html'], //                                  nothing named: the order of the forms
    ['text/markdown;q=0.5, application/json', 'json'],
    ['application/json;q=0.5, */*;q=0.1', 'json'],
    ['text/*, application/json;q=0.9', 'html'],
    ['text/html;q=0, text/*', 'markdown'], //                    the more specific range decides
    ['application/json;q=0', 'html'], //                         nothing suits: HTML all the same
    ['image/png', 'html'],
    ['application/json;q=1.5', 'html'], //                       no weight: as if not sent
    [`${'x/y,'.repeat(10_000)}application/json`, 'html'], //     bounded
  ])('%s → %s', (accept, form) => expect(preferredForm(accept)).toBe(form))

  test('any text gives one of them', () => {
    fc.assert(fc.property(fc.string(), (accept) => FORMS.includes(preferredForm(accept))))
  })
})

describe('whether a person asks', () => {
  test.each([
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true], // a browser
    ['text/html, application/json;q=0.1', true],
    ['TEXT/HTML', true],
    ['application/json, text/html;q=0.1', false],
    ['text/html, application/json', false], //  equal: as programs get it
    ['text/html;q=0, application/json', false],
    ['text/html;q=0', false],
    ['*/*', false],
    ['', false],
  ])('%s: %s', (accept, is) => expect(asksForHtml(accept)).toBe(is))

  test('a type counts as it is named, by itself', () => {
    expect(namedWeight('text/event-stream;q=0.1, */*', 'text/event-stream')).toBe(0.1)
    expect(namedWeight('text/*, */*', 'text/event-stream')).toBe(0)
  })
})
