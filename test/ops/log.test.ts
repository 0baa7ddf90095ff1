import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const AT_TOP = ['signature', 'token', 'secret', 'privateKey', 'authorization', 'query']
const INSIDE = ['signature', 'token', 'secret', 'query']

test('what may never be in a log is not in it, should it be passed all the same', () => {
  const sensitive = (names: string[]) =>
    Object.fromEntries(names.map((name) => [name, `of a buyer: ${name}`]))
  const passed = {
    ...sensitive(AT_TOP),
    headers: { 'payment-signature': 'of a buyer' },
    payment: { ...sensitive(INSIDE), network: 'base' },
    path: '/x402/v1/ping',
  }
  const script = `import { createLog } from '${new URL('../../ops/log.ts', import.meta.url)}'
    const log = createLog('api', 'info')
    log.info(${JSON.stringify(passed)}, 'sold')
    log.debug('below its level')`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  expect(stdout.split('\n')).toHaveLength(2)
  expect(stdout).not.toContain('of a buyer')
  expect(JSON.parse(stdout)).toMatchObject({
    level: 'info',
    role: 'api',
    msg: 'sold',
    path: '/x402/v1/ping',
    payment: { network: 'base', secret: '[redacted]' },
    headers: '[redacted]',
  })
})
