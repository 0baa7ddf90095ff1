/** Faults that no test here proves, and why. Ids are those of the list of faults. */
export const NOT_TESTED_HERE: Readonly<Record<string, string>> = {
  'OPS-16':
    'eight hours and ten million requests are no test of a suite; `npm run storm` and `npm run bench` watch what a process grows by',
}

export type Fault = { id: string; priority: string }

/** The rows of the tables of faults: id and priority. Pure. */
export const faultsIn = (text: string): Fault[] =>
  [...text.matchAll(/^\| *\**([A-Z]{2,4}-\d{2})\** *\| *(P\d) *\|/gm)].map(([, id, priority]) => ({
    id: id!,
    priority: priority!,
  }))

/** Ids that a test file names in its titles and cases; ids in comments do not count. Pure. */
export function idsIn(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
  return code.match(/\b[A-Z]{2,4}-\d{2}\b/g) ?? []
}
