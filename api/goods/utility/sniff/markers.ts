import { lowerInPlace } from '../text/lower.ts'
import { occurrences } from '../text/occurrences.ts'
import type { Hit } from './phrases.ts'

/** Control tokens of chat formats: fixed spellings that end the data and begin another role, or call a tool. */
const MARKERS = [
  {
    family: 'role_marker',
    weight: 0.7,
    any: [
      '<|im_start|>',
      '<|im_end|>',
      '<|im_sep|>',
      '<|system|>',
      '<|user|>',
      '<|assistant|>',
      '<|endoftext|>',
      '<|eot_id|>',
      '<|start_header_id|>',
      '<|begin_of_text|>',
      '<|channel|>',
      '<|start|>',
      '<start_of_turn>',
      '<end_of_turn>',
      '[inst]',
      '[/inst]',
      '<<sys>>',
      '<</sys>>',
      '<system>',
      '</system>',
      '<system mode>',
      '<system_mode>',
      '<\\system',
      '[system]',
      '[system mode]',
      '<system prompt>',
      '<system_prompt>',
      '[system prompt]',
      '## system prompt',
      '<system-reminder>',
      '<system_message>',
      '[system message]',
      '<admin>',
      '[admin]',
      '<|user_end|>',
    ],
  },
  {
    family: 'role_marker',
    weight: 0.35,
    any: [
      '### instruction',
      '### response',
      '\nassistant:',
      '\nhuman:',
      '\nsystem:',
      '<assistant>',
      '<human>',
      '<user>',
      '</user>',
      '[assistant]',
      '[user]',
      '<instructions>',
      '</instructions>',
      '<important>',
      '[important]',
    ],
  },
  {
    family: 'tool_call',
    weight: 0.6,
    any: [
      '<tool_call',
      '<function_call',
      '<invoke name=',
      '"tool_calls"',
      '"function_call"',
      '<|python_tag|>',
      '<|tool',
      '[tool_calls]',
      '<tool_use>',
    ],
  },
] as const

type MarkerFamily = (typeof MARKERS)[number]['family']

const HEADING_WEIGHT = 0.7
/** A heading of this word alone; in `### System requirements` it is an ordinary word. */
const HEADING = /### system(?=[ \t]{0,8}(?:[:\r\n]|$))/g

export function markerHits(text: string): Hit<MarkerFamily>[] {
  const lower = lowerInPlace(text)
  const hits: Hit<MarkerFamily>[] = [...lower.matchAll(HEADING)].map(({ 0: heading, index }) => ({
    family: 'role_marker',
    weight: HEADING_WEIGHT,
    start: index,
    end: index + heading.length,
  }))
  for (const { family, weight, any } of MARKERS)
    for (const marker of any)
      for (const start of occurrences(lower, marker))
        hits.push({ family, weight, start, end: start + marker.length })
  return hits
}
