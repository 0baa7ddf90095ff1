import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyChanges } from '../../../../../api/goods/utility/json/change.ts'
import { isRefusal } from '../../../../../api/goods/utility/json/refusal.ts'
import { findDocument, repairJson } from '../../../../../api/goods/utility/json/repairJson.ts'
import { JsonRepair } from '../../../../../api/goods/utility/json/result.ts'
import { canonicalJson } from '../../../../../api/receipts/canonical.ts'
import { brokenText, damaged, wellFormedJson } from './damage.ts'
import { refusalOf, repaired } from './support.ts'

const RUNS = { numRuns: 400 }

describe('valid JSON of any shape', () => {
  test('comes back unchanged, with its value', () => {
    fc.assert(
      fc.property(wellFormedJson, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(repaired(text)).toMatchObject({ repaired: text, changes: [], value: JSON.parse(text) })
      }),
      RUNS,
    )
  })
})

describe('damage of the named kinds', () => {
  test('is repaired to the same value', () => {
    fc.assert(
      fc.property(damaged, ({ value, text }) => {
        expect(repaired(text).value).toEqual(value)
      }),
      RUNS,
    )
  })
})

describe('any text', () => {
  const anyText = fc.oneof(fc.string({ unit: 'binary' }), brokenText)

  test('gives an answer of the published shape that can be signed, and never throws', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const repair = repairJson(text)
        expect(JsonRepair.parse(repair)).toEqual(repair)
        canonicalJson(repair)
      }),
      { numRuns: 2000 },
    )
  })

  test('halves of surrogate pairs too', () => {
    const units = fc.array(fc.constantFrom('"', '[', ']', '\\', 'u', 'd800', 'dc00', '\ud800', '\udc00', 'a'))
    fc.assert(
      fc.property(units, (parts) => {
        canonicalJson(repairJson(parts.join('')))
      }),
      RUNS,
    )
  })

  test('is repaired by its changes alone, into text that is JSON and needs no further change', () => {
    fc.assert(
      fc.property(brokenText, (text) => {
        const found = findDocument(text)
        if (isRefusal(found)) return
        const { repaired: json, changeCount, value } = repaired(text)
        expect(applyChanges(text, found.changes)).toBe(json)
        expect(found.changes.toSorted((a, b) => a.offset - b.offset)).toEqual(found.changes)
        expect(repaired(json)).toMatchObject({ repaired: json, changeCount: 0 })
        expect(found.changes.length).toBe(changeCount)
        if (value !== undefined) expect(JSON.parse(json)).toEqual(value)
      }),
      { numRuns: 2000 },
    )
  })

  test('is unchanged exactly when a strict parser accepts it', () => {
    fc.assert(
      fc.property(brokenText, (text) => {
        fc.pre(refusalOf(text)?.[0] !== 'lone_surrogate')
        const repair = repairJson(text)
        expect(repair.ok && repair.changeCount === 0).toBe(isStrict(text))
      }),
      { numRuns: 2000 },
    )
  })
})

describe('nothing is made up', () => {
  /** What each kind of change may write, given what it cuts out. */
  const MAY_WRITE: Record<string, (cut: string, text: string) => boolean> = {
    code_fence: (_, text) => text === '',
    comment: (cut, text) => text === '' && /^(#|\/\/|\/\*)/.test(cut),
    trailing_comma: (cut, text) => cut === ',' && text === '',
    quote: (cut, text) => "'‘’“”".includes(cut) && text === '"',
    escape: (cut, text) => ['" \\"', "\\' '", '\\x \\u00'].includes(`${cut} ${text}`),
    control_character: (cut, text) => JSON.parse(`"${text}"`) === cut,
    unquoted_key: (cut, text) => text === `"${cut}"`,
    python_constant: (cut, text) => ['True true', 'False false', 'None null'].includes(`${cut} ${text}`),
    number_form: (cut, text) => (cut === '+' && text === '') || (cut === '' && text === '0'),
    white_space: (cut, text) => cut.trim() === '' && text === ' ',
    missing_comma: (cut, text) => cut === '' && text === ',',
    missing_colon: (cut, text) => cut === '' && text === ':',
    missing_closer: (cut, text) => cut === '' && /^[\]}]+$/.test(text),
  }

  test('each change writes punctuation or what it took away, spelled as JSON spells it', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(
        fc.oneof(
          brokenText,
          damaged.map(({ text }) => text),
        ),
        (text) => {
          const found = findDocument(text)
          if (isRefusal(found)) return
          for (const { kind, offset, length, text: written } of found.changes) {
            seen.add(kind)
            expect(MAY_WRITE[kind]!(text.slice(offset, offset + length), written), kind).toBe(true)
          }
        },
      ),
      { numRuns: 2500, seed: 1 },
    )
    expect([...seen].sort()).toEqual(Object.keys(MAY_WRITE).sort())
  })
})

function isStrict(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
