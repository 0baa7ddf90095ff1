import type { Phrase } from './grammar.ts'

/**
 * What planted instructions are made of: one family an intention, phrases in the notation of `grammar.ts`. `weight` is
 * how much one such phrase alone raises the risk score (0–1); 0.5 and more reaches the threshold by itself.
 */
export type Family = { title: string; phrases: readonly { weight: number; any: readonly Phrase[] }[] }

export const PHRASE_FAMILIES = {
  instruction_override: {
    title: 'asks to drop earlier instructions',
    phrases: [
      {
        weight: 0.9,
        any: [
          '!NEGATED OVERRIDE ~4 PRIOR ~2 INSTRUCTION',
          '!NEGATED OVERRIDE ~4 INSTRUCTION ~4 PRIOR',
          '!NEGATED OVERRIDE ~2 your|its|thy ~3 OWN_RULES',
          '!NEGATED IGNORE ~4 !my|our PRIOR ~2 LOOSE',
          '!NEGATED IGNORE ~4 !my|our LOOSE ~4 PRIOR',
          'PRIOR ~2 INSTRUCTION ~4 OVERRIDE',
          '!my|our PRIOR ~2 LOOSE ~4 IGNORE',
          'PRIOR ~2 INSTRUCTION yok say',
          'bo qua ~5 huong|chi dan|thi ~2 truoc',
          'دستورات|دستورالعمل ~2 قبلی ~2 نادیده',
          'hagyd figyelmen kivul ~4 utasitast|utasitasokat',
          'not|don|never|stop|quit t? follow|following|obey|obeying|adhere ~3 PRIOR|your ~2 INSTRUCTION|LOOSE',
          'IGNORE everything|anything|all|whatever ~4 above|before|previously|told|said|prior|earlier',
          'ignore|disregard what ~4 told|instructed|asked you',
          'IGNORE alles|tout|todo|tudo|tutto ~5 vorher|zuvor|bisher|avant|antes|prima|precedemment',
          'you ~3 told|instructed|asked|given ~2 previously|before|earlier|above ~4 OVERRIDE',
        ],
      },
      {
        weight: 0.6,
        any: [
          '!NEGATED OVERRIDE the|all|everything|what ~1 above|preceding|foregoing',
          '!NEGATED OVERRIDE the|all|everything ~1 previous and|then|instead|now',
          '!NEGATED OVERRIDE THE DATA and|et|und|y|e ~1 REPORT',
          '!NEGATED OVERRIDE ~3 system prompt|instructions',
          '!NEGATED OVERRIDE ~2 USER ~1 request|requests|question|query|task',
          'not|don|never|stop|quit t? follow|following|obey|obeying|adhere ~2 system prompt|instructions',
          '!OWNED new|updated|revised|actual|real ~1 instructions|directive|directives ~2 follow|are|is|below|from',
          '!OWNED new|updated|revised|actual|real ~1 instructions|directives IMPERATIVE',
          'your ~1 new|updated|real|actual|true ~1 task|instructions|objective|goal|mission|role',
          'instead of ~3 INSTRUCTION REPORT',
          'forget|oublie|vergiss|olvida about? that|this|it|everything can|could|please|and|now|just|instead',
        ],
      },
    ],
  },
  secret_request: {
    title: 'asks for a password, key or the prompt',
    phrases: [
      {
        weight: 0.6,
        any: [
          'ASKED BE THE ~1 PASSWORD !COMPOUND',
          'ASKED BE THE ~2 SECRET KEY !COMPOUND',
          'ASKED ~2 would|could|might ~2 THE ~2 PASSWORD !COMPOUND',
          'THE ~1 PASSWORD ~4 ASKED ~1 would|could|might ~2 be',
          'if|imagine|suppose|hypothetically|pretend ~8 know|knew|had|access ~3 PASSWORD ~6 what|how',
          'quel est le mot de passe',
          'REVEAL ~2 THE|me|us ~2 PASSWORD !COMPOUND',
          'SPELL ~4 THE ~2 PASSWORD !COMPOUND',
          'PASSWORD ~2 SPELL',
          'you know THE ~1 PASSWORD !COMPOUND',
          'REVEAL ~3 THE|me|us ~1 SECRET ~1 KEY !COMPOUND',
          'SPELL ~3 THE ~1 SECRET ~1 KEY !COMPOUND',
          'REVEAL ~3 THE|me|us ~1 SYSTEM PROMPT',
          'ASKED BE ~1 your ~1 SYSTEM PROMPT',
          'ASKED ~1 your ~2 instructions|prompt|directives',
          'REVEAL ~2 your ~2 instructions|prompt|directives|guidelines',
          'repeat|print|output|recite|copy ~3 everything|text|words|instructions|all ~3 above|verbatim',
        ],
      },
    ],
  },
  personal_data_request: {
    title: 'asks for details of a person',
    phrases: [
      {
        weight: 0.55,
        any: [
          'where does|do|is the|this|our ~1 SUBJECT ~2 RESIDE',
          'where is the|this|our ~1 SUBJECT located',
          'SUBJECT ~4 RESIDES',
          'RESIDES ~2 SUBJECT',
          'where does NAME NAME ~1 RESIDE',
          'THE ~1 SUBJECT s ~2 PRIVATE',
          'PRIVATE DETAIL? of|for|from THE ~1 SUBJECT',
          'REVEAL ~3 NAME s ~2 PRIVATE DETAIL?',
          'ASKED BE ~1 NAME ~1 s ~2 PRIVATE DETAIL?',
          'ASKED BE ~2 PRIVATE DETAIL? of NAME NAME',
          'REVEAL ~3 PRIVATE DETAIL? of NAME NAME',
          'REVEAL ~4 SUBJECT ~2 DETAIL|data|PRIVATE',
          'information|data ~2 different|other|about ~2 SUBJECT ~2 database',
        ],
      },
    ],
  },
  persona_override: {
    title: 'gives the reader another self, without limits',
    phrases: [
      {
        weight: 0.65,
        any: [
          'do anything now',
          'you are|re ~4 UNBOUND ~3 MACHINE|MODE',
          'you are|re ~1 now ~4 UNBOUND',
          'ACT ~2 as|like|to ~6 UNBOUND ~3 MACHINE',
          'ACT ~1 as|like|to|a|an ~8 FREE ~3 LIMIT',
          'you ~4 FREE ~2 LIMIT',
          'not|longer|never ~2 bound|restricted|limited|constrained|abide|confined ~2 by|to ~4 LIMIT',
          'you|who|that|which have|has no ~1 LIMIT',
          'do not have to ~3 abide|follow|obey|comply|adhere',
          'broken free of|from',
          'MODAL MODE ~3 ON',
          'ON ~3 MODAL MODE',
          'ACT ~3 in ~2 MODAL mode',
          'role of ~3 another|different ~1 MACHINE',
        ],
      },
      {
        weight: 0.5,
        any: [
          'you are|re now a|an|my|in|the|no !STATUS',
          'from now on ~2 you ~2 are|will|must|act|answer|respond !receive|get|find|see|pay|earn|need',
        ],
      },
    ],
  },
  authority_claim: {
    title: 'claims to speak with authority over the reader',
    phrases: [
      {
        weight: 0.55,
        any: [
          'i am|m|as your|god ~1 developer|creator|administrator|admin|god|owner|maker|programmer',
          'i am|m|as the ~1 developer|creator|administrator|admin|god|owner|maker|programmer !of',
          'as an|the|your ai ~1 MADE by',
          'as an authority ~8 i|you|we ~3 suggest|order|must|command|instruct|need',
          'this is ~2 your|the ~1 developer|creator|administrator|admin speaking|here',
          'MAKER ~2 authorized|authorised|instructed|requires|permits|allows ~2 you',
        ],
      },
      { weight: 0.35, any: ['i am|m AUTHORITY', 'i am|m the|a|an ~1 AUTHORITY', 'as a|an|the ~1 AUTHORITY'] },
    ],
  },
  demand: {
    title: 'says the reader must obey',
    phrases: [
      {
        weight: 0.5,
        any: [
          'if you are|re a|an|the ~2 ai|llm|chatbot|bot|assistant|model|agent ~3 reading|processing|summarizing|reviewing|parsing',
          'ai|llm|llms|chatbots|bots|assistants|models reading|processing|summarizing|reviewing|parsing this',
        ],
      },
      {
        weight: 0.35,
        any: [
          'you MUST ~1 to? ~1 OBEY ~2 me|all|my|every|any',
          'important ~3 that you ~3 REVEAL',
          'i need you to REVEAL|explain|verify|OBEY',
          'i need to verify your',
          'for this|the ~2 audit|check|test|verification ~2 i|you',
          'do exactly|precisely as|what i|you',
          'you ~1 been instructed|ordered|authorized|authorised|told to',
          'please ~1 REVEAL|REPORT the following',
        ],
      },
    ],
  },
  concealment: {
    title: 'asks to act behind the user’s back',
    phrases: [
      {
        weight: 0.35,
        any: ['not|never|don t? ~2 tell|mention|reveal|inform|alert|notify|show|disclose ~3 SUBJECT'],
      },
      {
        weight: 0.6,
        any: [
          'not|never|don t? ~2 tell|mention|reveal|inform|alert|notify|show|disclose ~3 USER',
          'without ~3 telling|informing|asking|notifying|alerting|mentioning ~3 SUBJECT',
          'without ~3 SUBJECT ~2 knowledge|consent|knowing|noticing|approval|confirmation',
          'keep ~2 this|it ~2 secret|hidden ~2 from ~2 SUBJECT',
          'not|never|don t? ~2 mention|reveal|disclose ~3 these|this|that ~2 instructions|instruction|prompt|message',
        ],
      },
    ],
  },
  exfiltration: {
    title: 'asks to send data somewhere',
    phrases: [
      {
        weight: 0.6,
        any: [
          'SEND ~6 STOLEN ~6 to|a|at ~4 ADDRESS',
          'SEND ~3 USER s ~4 to|at ~4 ADDRESS',
          'also SEND ~4 to|a ~2 ADDRESS',
          'SEND ~2 STOLEN ~2 to|a ADDRESS',
          'SLY SEND ~6 STOLEN|SENT',
          'SEND ~3 SYSTEM prompt|instructions ~3 to',
          'STOLEN ~8 SEND ~2 to|a ADDRESS',
        ],
      },
      {
        weight: 0.35,
        any: ['SEND ~6 SENT ~6 to|a|at ~4 ADDRESS', 'SENT ~8 SEND ~2 to|a ADDRESS'],
      },
    ],
  },
  tool_call: {
    title: 'asks for a tool to be run',
    phrases: [
      { weight: 0.35, any: ['RUN ~3 TOOL ~4 with|to|on|and', 'RUN ~2 following ~2 TOOL', 'rm rf'] },
      { weight: 0.6, any: ['SLY ~1 RUN ~4 TOOL', 'you must ~2 RUN ~4 TOOL'] },
    ],
  },
  dictated_result: {
    title: 'dictates what the answer is to say',
    phrases: [
      {
        weight: 0.6,
        any: [
          'REPORT ~4 RESULT ~8 IS',
          'IS REPORT ~3 RESULT',
          'REPORT ~3 RESULT ~2 as',
          'REPORT ~2 injected|hacked|pwned|owned|compromised',
        ],
      },
      { weight: 0.5, any: ['RESULT could be'] },
    ],
  },
  answer_steering: {
    title: 'tells the reader how its own answer is to look',
    phrases: [
      {
        weight: 0.5,
        any: [
          'STEER ~2 your ~2 ANSWER ~4 FORM',
          'in your ~2 ANSWER ~1 STEER',
          'STEER ~4 to|in|into|at your ~2 ANSWER',
          'write your ~1 ANSWER !on|below|here|down',
          'use|using|employ|apply ~5 to|for ~3 your ~1 ANSWER',
          'your ~1 ANSWER must|should|needs|has|shall',
          'begin|start|end|finish|conclude ~2 every|each|all|your ~2 ANSWER|messages ~1 with|by',
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
          'answer|follow|execute|run|respond ~4 COMBINE',
          'COMBINE ~2 these|above ~2 PIECE',
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
        any: ['PLANT ~6 FOLLOWING ~1 CODE ~1 SNIPPET', 'PLANT ~3 FOLLOWING ~1 CODE ~2 in|into|to ~1 your'],
      },
      { weight: 0.35, any: ['FOLLOWING ~1 CODE SNIPPET ~6 your', 'your ~8 FOLLOWING ~1 CODE SNIPPET'] },
    ],
  },
} as const satisfies Record<string, Family>

export type PhraseFamily = keyof typeof PHRASE_FAMILIES
