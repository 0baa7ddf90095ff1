import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { REPOSITORY, useBuild } from './process.ts'

/**
 * `./ops/test`: type check, lint, build, then the tests, all of them even when one fails. The last line is
 * `N passed, N failed`: tests, with each of the three checks counted as one. The line before it counts skipped ones.
 */
const Report = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numTodoTests: z.int(),
  success: z.boolean(),
  testResults: z.array(
    z.object({ name: z.string(), status: z.string(), assertionResults: z.array(z.unknown()) }),
  ),
})

const MOST_WORDS = 16 * 1024 * 1024

const script = (name: string) => join(REPOSITORY, 'node_modules', name)

function step(command: string, args: string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: REPOSITORY, stdio: 'inherit' })
    child.once('error', () => resolve(127))
    child.once('exit', (code) => resolve(code ?? 128))
  })
}

/** One thread: more of them check what they share once each, and on few cores that is slower beside lint and build. */
function typeCheck(): Promise<{ exitCode: number; words: string }> {
  const pretty = process.stdout.isTTY ? ['--pretty'] : []
  const args = [script('typescript/bin/tsc'), '--noEmit', '--checkers', '1', ...pretty]
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: REPOSITORY, maxBuffer: MOST_WORDS }, (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : 1, words: stdout + stderr }),
    )
  })
}

async function check(title: string, run: () => Promise<number>): Promise<boolean> {
  process.stdout.write(`── ${title}\n`)
  const ok = (await run()) === 0
  process.stdout.write(ok ? '✓ fine\n' : `✗ ${title} failed\n`)
  return ok
}

/** A file that could not be loaded has no tests to count, and still has failed. */
function count(report: z.infer<typeof Report>, exitCode: number) {
  const unread = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  ).length
  const failed = report.numFailedTests + unread
  return {
    passed: report.numPassedTests,
    //  all tests passed and vitest still failed: an error outside of any test
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

async function tests(args: string[]) {
  process.stdout.write('── tests\n')
  const dir = await mkdtemp(join(tmpdir(), 'microdata-suite-'))
  const file = join(dir, 'report.json')
  const exitCode = await step(process.execPath, [
    script('vitest/vitest.mjs'),
    'run',
    '--config',
    'test/vitest.config.ts',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
    ...args,
  ])
  const report = await readFile(file, 'utf8').then(
    (text) => Report.parse(JSON.parse(text)),
    () => null,
  )
  await rm(dir, { recursive: true, force: true })
  return report === null ? { passed: 0, failed: 1, skipped: 0 } : count(report, exitCode)
}

/** Tests start built programs, in a fifth of the time. A failed build counts as a failure; then the sources run. */
async function build(): Promise<boolean> {
  process.stdout.write('── programs\n')
  return useBuild().then(
    () => {
      process.stdout.write('✓ built\n')
      return true
    },
    (error: Error) => {
      process.stdout.write(`${error.message}\n✗ programs cannot be built\n`)
      return false
    },
  )
}

const types = typeCheck() //  meanwhile
const checks = [
  await check('lint', () =>
    step(process.execPath, [script('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.']),
  ),
  await build(),
  await check('type check', async () => {
    const { exitCode, words } = await types
    process.stdout.write(words)
    return exitCode
  }),
]
const { passed, failed, skipped } = await tests(process.argv.slice(2))
const passedAll = passed + checks.filter(Boolean).length
const failedAll = failed + checks.filter((ok) => !ok).length
if (skipped > 0) process.stdout.write(`${skipped} skipped\n`)
process.stdout.write(`${passedAll} passed, ${failedAll} failed\n`)
process.exit(failedAll === 0 ? 0 : 1)
