import { change, positionOf, standing } from './drainBlock.ts'
import type { DrainOptions } from './drainStream.ts'

/**
 * Compares what the tables hold with what they were given, and has the drain begin again where the table that holds
 * least ends. Tables come back empty or older when their folder was lost or restored from a copy. One that was given
 * nothing since its rows became too old for it has lost none, as after a pause longer than they are kept.
 */
export async function lookAtTables(options: DrainOptions): Promise<void> {
  const { sink, tables, log, name } = options
  await sink.ready?.()
  //  first what was given, then what is held: another drain may write meanwhile
  const { given } = await standing(options, ['look'])
  const held = new Map<string, string>()
  for (const table of tables) {
    const newest = await sink.newest(table)
    held.set(table, newest === null ? NOTHING : `${newest.ms}-${newest.seq}`)
  }
  const poorer: [table: string, id: string][] = []
  for (const [table, id] of given) {
    const isPoorer = held.has(table) && isBefore(held.get(table)!, id)
    if (isPoorer && positionOf(id).ms >= (await sink.keptFromMs(table))) poorer.push([table, id])
  }
  const newest = [...held.values()].reduce((one, other) => (isBefore(one, other) ? other : one), NOTHING)
  const back = poorer.map(([table]) => held.get(table)!).reduce(earlier, '')
  if (poorer.length > 0)
    log.error({ drain: name, back, tables: poorer }, 'tables hold less than they were given: filled again')
  await change(options, [
    'tables',
    newest,
    back,
    ...poorer.flatMap(([table, id]) => [table, id, held.get(table)!]),
  ])
}

const NOTHING = '0-0'

const earlier = (one: string, other: string): string => (one === '' || isBefore(other, one) ? other : one)

function isBefore(left: string, right: string): boolean {
  const [one, other] = [positionOf(left), positionOf(right)]
  return one.ms < other.ms || (one.ms === other.ms && one.seq < other.seq)
}
