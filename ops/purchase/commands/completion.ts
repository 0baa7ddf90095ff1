import { SECOND } from '../../units.ts'
import { type Command, done } from '../command.ts'
import { completionScript, SHELLS } from '../completion.ts'
import { readListing } from '../listing.ts'
import { PurchaseEnd } from '../outcomes.ts'
import { findSeller } from '../seller.ts'

/** What the scripts themselves ask for while somebody types. */
const PATHS = 'paths'
const LOOK_MS = 1 * SECOND
/** A shell expands what it is offered, so nothing from a stranger may be text that it could run. */
const PLAIN = /^\/[A-Za-z0-9/_.-]+$/

export const completion: Command = {
  name: 'completion',
  words: '<bash | zsh>',
  completes: SHELLS,
  maxWords: 1,
  summary: 'Prints a script that completes commands, options and the paths that the running service sells.',
  examples: [
    ['completion bash', 'source <(./ops/buy completion bash)'],
    ['completion zsh', 'source <(./ops/buy completion zsh)'],
  ],
  options: ['help'],
  async run(args, { commands, dataDir }) {
    const [word] = args.words
    if (word === PATHS) {
      const { base } = await findSeller(args, dataDir)
      const { services } = await readListing(base, LOOK_MS)
      const paths = services.map(({ path }) => path).filter((path) => PLAIN.test(path))
      return done(null, paths.map((path) => `${path}\n`).join(''))
    }
    const shell = SHELLS.find((name) => name === word)
    if (shell === undefined) throw new PurchaseEnd('usage', `completion: ${SHELLS.join(' or ')}`)
    return done(null, completionScript(shell, commands))
  },
}
