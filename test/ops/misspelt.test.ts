import { describe, expect, test } from 'vitest'
import { Environment, misspeltSettings } from '../../ops/config.ts'
import { runMain } from '../support/process.ts'

const meantBy = (...names: string[]) =>
  misspeltSettings(Object.fromEntries(names.map((name) => [name, 'x']))).map(({ meant }) => meant)

describe('OPS-03 a setting whose name is misspelt keeps its default: whoever starts the service is told', () => {
  test.each([
    ['RECIEVER_ADDRESS', 'RECEIVER_ADDRESS'],
    ['REDIS_URI', 'REDIS_URL'],
    ['LEDGER_REDISURL', 'LEDGER_REDIS_URL'],
    ['PUBLIC_URLS', 'PUBLIC_URL'],
    ['log_level', 'LOG_LEVEL'],
    ['MODES', 'MODE'],
  ])('%s: %s is meant', (name, meant) => {
    expect(meantBy(name)).toEqual([meant])
  })

  test.each([
    'PATH',
    'HOME',
    'NODE_ENV',
    'HOSTNAME',
    'TERM',
    'npm_config_cache',
    'MOD_ES',
    'REDIS_PASSWORD',
    'SHELL',
  ])('%s is somebody else’s', (name) => {
    expect(meantBy(name)).toEqual([])
  })

  test('what is set by its name is not meant by another: both may be there', () => {
    expect(meantBy('REDIS_URI', 'REDIS_URL')).toEqual([])
  })

  test('the supervisor says so before it says what is missing', async () => {
    const tree = runMain('ops/supervise/main.ts', { env: { MODE: 'live', RECIEVER_ADDRESS: 'x' } })
    expect((await tree.exited).code).toBe(1)
    expect(tree.stdout()).toMatch(
      /unknown setting RECIEVER_ADDRESS is read by nobody; is RECEIVER_ADDRESS meant\?[\s\S]*RECEIVER_ADDRESS: is missing/,
    )
  })

  test('no setting is taken for another one', () => {
    expect(meantBy(...Environment.keyof().options)).toEqual([])
    for (const setting of Environment.keyof().options) expect(meantBy(setting)).toEqual([])
  })
})
