import { type Command, done } from '../command.ts'
import { completionScript, SHELLS } from '../completion.ts'
import { PurchaseEnd } from '../outcomes.ts'

export const completion: Command = {
  name: 'completion',
  words: '<bash | zsh>',
  completes: SHELLS,
  maxWords: 1,
  summary: 'Prints a script that completes commands and options.',
  examples: [
    ['completion bash', 'source <(./ops/buy completion bash)'],
    ['completion zsh', 'source <(./ops/buy completion zsh)'],
  ],
  options: ['help'],
  async run({ words: [word] }, { commands }) {
    const shell = SHELLS.find((name) => name === word)
    if (shell === undefined) throw new PurchaseEnd('usage', `completion: ${SHELLS.join(' or ')}`)
    return done(null, completionScript(shell, commands))
  },
}
