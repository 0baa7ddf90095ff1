import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js'
import type { CapturedHeader } from '../http/exchange.ts'

/** Arguments as a caller gave them: a JSON object that nothing has checked yet. */
export type Arguments = Readonly<Record<string, unknown>>

/** The HTTP request that a tool call stands for. */
export type ToolRequest = {
  method: 'GET' | 'POST'
  path: string
  query: Readonly<Record<string, string>>
  headers: Partial<Record<CapturedHeader, string>>
  body: string
}

/**
 * One MCP tool: another way to call a path that is served over HTTP, with the same gate and the same answers.
 * @property requestFor the request for these arguments; a string: why they cannot be sent
 * @property discovery `extensions.bazaar` of its offer; null: it is free
 */
export type Tool = {
  listed: ListedTool
  path: string
  requestFor(args: Arguments): ToolRequest | string
  discovery: object | null
}

/** The strings among the arguments that have one of these names. Others are ignored, as unknown query parameters are. */
export function textArguments(args: Arguments, names: readonly string[]): Record<string, string> | string {
  const texts: Record<string, string> = {}
  for (const name of names) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    if (value === undefined) continue
    if (typeof value !== 'string') return `${name}: must be a string`
    //  a URL would replace an unpaired surrogate by another character, and the answer would be to another question
    if (!value.isWellFormed()) return `${name}: is not well-formed Unicode`
    texts[name] = value
  }
  return texts
}
