import { describe, expect, test } from 'vitest'
import { readArguments, visibleOptions } from '../../../ops/purchase/arguments.ts'
import { COMMANDS } from '../../../ops/purchase/commands/index.ts'
import { commandHelp, generalHelp } from '../../../ops/purchase/help.ts'
import { optionOf } from '../../../ops/purchase/options.ts'
import { OUTCOMES } from '../../../ops/purchase/outcomes.ts'

describe('help says what there is', () => {
  const general = generalHelp(COMMANDS)

  test.each(COMMANDS.map((command) => [command.name, command] as const))(
    '%s: in the general help; its own has every option that it takes',
    (name, command) => {
      expect(general).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'))
      const text = commandHelp(command)
      for (const option of command.options)
        if (!optionOf(option).hidden) expect(text).toContain(`--${option}`)
    },
  )

  test('each option belongs to a command', () => {
    const taken = new Set(COMMANDS.flatMap(({ options }) => options))
    expect(visibleOptions().filter((name) => !taken.has(name))).toEqual([])
  })

  test.each(COMMANDS.flatMap(({ name, examples }) => examples.map(([line]) => [name, line] as const)))(
    'an example of %s can be typed: %s',
    (_, line) => {
      const [typed = ''] = line.split(' | ')
      const words = [...typed.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
      expect(readArguments(words, COMMANDS).help).toBe(false)
    },
  )

  test('every exit code, once', () => {
    for (const { exitCode, means } of Object.values(OUTCOMES)) {
      expect(general.match(new RegExp(`^ {2}${exitCode} `, 'gm'))).toHaveLength(1)
      expect(general).toContain(means)
    }
  })

  test('no line is wider than a terminal of 120', () => {
    const texts = [general, ...COMMANDS.map(commandHelp)]
    const wide = texts.flatMap((text) => text.split('\n')).filter((line) => line.length > 120)
    expect(wide).toEqual([])
  })
})
