import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { REPOSITORY } from '../support/process.ts'

/** Everything that is in the repository or would be added to it, as paths from its root. */
export function repositoryFiles(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate']
  const deleted = new Set(list(['ls-files', '-z', '--deleted']))
  return list(args).filter((path) => !deleted.has(path))
}

const list = (args: string[]): string[] =>
  execFileSync('git', args, { cwd: REPOSITORY, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    .split('\0')
    .filter((path) => path !== '')

export const readSource = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8')

export type Import = { from: string; specifier: string; to: string } // `to`: path from the root, or package name

/** What a file imports: static, dynamic, type-only and re-exported alike. */
export function importsOf(path: string): Import[] {
  const text = readSource(path).replace(/\/\*[\s\S]*?\*\//g, '')
  const patterns = [
    /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm,
    /^\s*import\s*['"]([^'"]+)['"]/gm,
    /\bimport\(\s*['"`]([^'"`]+)['"`]/g,
  ]
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, specifier = '']) => ({
      from: path,
      specifier,
      to: specifier.startsWith('.') ? join(dirname(path), specifier) : specifier,
    })),
  )
}
