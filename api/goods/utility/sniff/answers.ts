import type { Family } from './family.ts'

/** Phrases about what the answer should be like. */
export const ANSWERS = {
  dictated_result: {
    title: 'dictates what the answer is to say',
    phrases: [
      {
        weight: 0.6,
        any: [
          'REPORT ~4 RESULT ~8 IS',
          'IS REPORT ~3 RESULT',
          'REPORT ~3 RESULT ~2 as !A_FORMAT',
          'REPORT ~2 injected|hacked|pwned|owned|compromised',
          'REPORT ~2 i have|ve been ~1 pwned|hacked|hijacked|injected|compromised',
          'REPORT exactly|only|just|verbatim|simply ~10 nothing else|more',
          'instead ~1 output|print ~2 word|phrase|words|string|only|exactly',
        ],
      },
      { weight: 0.5, any: ['RESULT could be'] },
      {
        weight: 0.35,
        any: [
          'whatever|regardless|matter ~1 the ~2 question|request|input|prompt ~3 answer|reply|respond|say|only',
          'all|any|every ~1 future|subsequent|following|further ~1 requests|prompts|questions|messages|queries',
          'regardless|irrespective of ~2 content|quality|contents|merit|merits',
        ],
      },
    ],
  },
  answer_steering: {
    title: 'tells the reader how its own answer is to look',
    phrases: [
      {
        weight: 0.5,
        any: [
          'STEER ~2 your ~2 REPLY ~4 FORM',
          'STEER ~2 your ~2 ANSWER ~4 CODED',
          'in your ~2 REPLY ~1 STEER',
          'STEER ~4 to|in|into|at your ~2 REPLY',
          'write your ~1 REPLY !on|below|here|down',
          'use|using|employ|apply ~5 to|for ~3 your ~1 REPLY',
          'your ~1 REPLY must|should|needs|has|shall',
          'begin|start|end|finish|conclude ~2 every|each|all|your ~2 ANSWER|messages ~5 with|by',
          'respond|reply|answer ~3 all|any|every ~1 future|subsequent|following|further|next|my ~1 ANY_REQUEST ~4 in|with|as|using|like',
          'answer|respond|reply|speak|talk|write only|exclusively|solely in|with|using ~5 from now on',
          'from now on ~2 answer|respond|reply|speak|talk|write ~1 only|exclusively|solely|as|like',
          'each|every|any|all of your ~1 REPLY ~2 STEER',
          'your ~1 entire|whole|full|complete ANSWER',
          'whatever|regardless ~8 your ~1 ANSWER has|must|should|shall|is',
          'your ~1 ANSWER ~4 must|should|shall ~1 start|begin|end|contain',
          'qualquer|sea|quelle|unabhangig|egal|незалежно|независимо|niezaleznie|matter ~4 pergunta|pregunta|question|frage|вопроса|запитання|pytania ~3 ONLY_ANSWER',
          'answer format ~3 first',
          'must|shall ~1 answer|reply|respond only with',
          'PLANT ~5 html|javascript|markdown|script|xss ~3 in|into|to|at your ~2 response|responses|reply|replies|answer|answers',
        ],
      },
      {
        weight: 0.35,
        any: [
          'STEER ~2 your ~2 ANSWER ~4 FORM',
          'in your ~2 ANSWER ~1 STEER',
          'STEER ~4 to|in|into|at your ~2 ANSWER',
          'write your ~1 ANSWER !on|below|here|down',
          'use|using|employ|apply ~5 to|for ~3 your ~1 ANSWER',
          'your ~1 ANSWER must|should|needs|has|shall',
          'each|every|any|all of your ~1 ANSWER ~2 STEER',
        ],
      },
    ],
  },
  split_payload: {
    title: 'gives an instruction in pieces to be put together',
    phrases: [
      {
        weight: 0.5,
        any: [
          'COMBINE ~4 PIECE ~8 answer|follow|execute|respond|do|run|reply|tell',
          'answer|execute|respond ~4 COMBINE',
          'COMBINE ~2 these|above ~2 PIECE',
          'put|stitch|glue|place|piece ~2 PIECE|them ~2 together ~2 answer|follow|respond|reply|tell|obey',
          'decode|decrypt|decipher|unscramble|deobfuscate ~8 and ~1 follow|obey it|them|the',
          'run|follow|execute|obey|answer ~3 resulting|decoded|decrypted|hidden|reversed|combined ~1 instruction|instructions|message|question|prompt',
          'first|last letter|word|letters|words of ~1 each|every ~4 do|follow|answer|execute|obey ~1 what|it|the',
        ],
      },
      { weight: 0.35, any: ['COMBINE ~3 PIECE', 'PIECE ~4 COMBINE'] },
    ],
  },
  planted_code: {
    title: 'asks to put given code into the answer',
    phrases: [
      {
        weight: 0.5,
        any: [
          'PLANT ~6 FOLLOWING ~1 CODE ~1 SNIPPET',
          'PLANT ~3 FOLLOWING ~1 CODE ~2 in|into|to ~1 your !page|website|site|project|file|app|application|template|theme|html|head|terminal|shell|config',
        ],
      },
      { weight: 0.35, any: ['FOLLOWING ~1 CODE SNIPPET ~6 your', 'your ~8 FOLLOWING ~1 CODE SNIPPET'] },
    ],
  },
} as const satisfies Record<string, Family>
