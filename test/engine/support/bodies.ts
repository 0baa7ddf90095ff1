import type { Board, Body } from '../../../engine/stages/board.ts'
import type { World } from '../../../engine/stages/world.ts'

/** A body as its readers will have it. */
export const readBody = ({ fields, lists = {} }: Body) => ({
  ...Object.fromEntries(Object.entries(fields).map(([key, text]) => [key, JSON.parse(text)])),
  ...Object.fromEntries(Object.entries(lists).map(([key, list]) => [key, JSON.parse(list.inline())])),
})

/** All bodies of a world at one instant, both venues fresh. */
export function bodiesOf(world: World, boards: readonly Board[], nowMs: number) {
  const at = { nowMs, asOfMs: { a: nowMs, b: nowMs }, fresh: { a: true, b: true } }
  return Object.fromEntries(boards.map((board) => [board.name, readBody(board.body(world, at))]))
}
