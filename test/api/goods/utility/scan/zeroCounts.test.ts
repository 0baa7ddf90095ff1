import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scanLog } from '../../../../../api/goods/utility/scan/scanLog.ts'
import { withoutZeroCounts } from '../../../../../api/goods/utility/scan/zeroCounts.ts'

const classOf = (sample: string): string => scanLog(sample).failureClass

describe('4.1 rule 11: that nothing failed is no failure', () => {
  test.each([
    'Build succeeded.\n    0 Warning(s)\n    0 Error(s)',
    'Tests: 0 failed, 48 passed, 48 total',
    'finished with no errors',
    'done without errors',
    'no error',
    'no error found',
    'No failures.',
    'error count: 0',
    'error rate: 0.00%',
    '0 errors, 0 warnings',
    'Found 0 type errors',
    '✖ 0 problems (0 errors, 0 warnings)',
    '48 passed, 0 failed',
    '48 passed 0 failed',
    '48 passed and 0 failed',
    '| 48 ok | 0 failed |',
    '0 failed',
    'INFO 0 failed, 12 ok',
    'Tests run: 12, Failures: 0, Errors: 0, Skipped: 0', // Maven
    'ok=3 changed=0 unreachable=0 failed=0 skipped=0', //   Ansible
    '{"ok":true,"error":null,"errors":[],"failed":0}',
    'done err=nil error=<nil>',
    'INFO connect timeout=30000 errors=0', //               a line that only reports stays one
  ])('none: %s', (sample) => {
    expect(classOf(sample)).toBe('none')
  })

  test.each([
    '1 error',
    '10 errors',
    '100 failed',
    '1,000 errors',
    '2.0 errors',
    'errors: 10',
    'errors: 0.5 %',
    'errors: 01',
    'error: 0x80070005',
    'failed=03',
    'failed: no route config', //     nothing else comes behind a name
    'error: none of them answered',
    'Unexpected error: null', //      a message that is empty
    'worker 0 failed', //             the number of one thing, not a count
    'pod web-0 failed',
    'task 0 error',
    'shard:0 crashed',
    'failed with no error message', // the first word counts
    'no error handler', // something is missing
    'error 0',
    'Tests: 0 failed, 48 passed\nfatal: it broke',
    '{"error":"boom"}',
    '{"errors":[1]}',
  ])('unknown: %s', (sample) => {
    expect(classOf(sample)).toBe('unknown')
  })

  test('the named line is that of what did fail', () => {
    expect(scanLog('0 errors\n0 failed\nit failed').line).toBe(3)
  })

  test('a worker, a card, a part with the number 0 still says what it met', () => {
    expect(classOf('worker 0 timed out')).toBe('timeout')
    expect(classOf('GPU 0 out of memory')).toBe('out_of_memory')
    expect(classOf('no errors\nINFO request failed: ETIMEDOUT')).toBe('timeout')
  })

  test('nothing moves: each place keeps its offset', () => {
    const piece = fc.constantFrom(
      '0 errors',
      'no error',
      'failed=0',
      '"error":null',
      '\n',
      ' ',
      'x',
      '0',
      ':',
      '\ud83d',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('')
        const kept = withoutZeroCounts(text)
        expect(kept.length).toBe(text.length)
        for (let at = 0; at < text.length; at++) if (kept[at] !== text[at]) expect(kept[at]).toBe(' ')
      }),
    )
  })
})
