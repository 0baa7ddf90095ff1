import type { Lexicon } from './grammar.ts'
import { LANGUAGES } from './languages.ts'

/**
 * Words by the part they play in a phrase, in the languages that planted
 * instructions are most often written in. A word may play several parts.
 */
/** To disregard something, whatever it is. */
const IGNORE = `
    ignore ignoring ignored disregard disregarding disregarded forget forgetting forgot forgotten neglect abandon overlook unlearn
    ignorez ignorer ignore oubliez oublie oublier ignorar ignora ignorad ignoren olvida olvide olviden olvidar olvidad descarta
    esquece esqueca esquecer desconsidere desconsiderar descarte ignorieren ignoriere ignorier vergiss vergessen vergesst missachte
    missachten ignorate ignori dimentica dimenticate dimenticare trascura negeer vergeet ignoruj zignoruj pomin zapomnij
    игнорируи игнорируите игнорировать проигнорируи проигнорируите забудь забудьте отмени αγνοησε αγνοηστε ξεχασε ξεχαστε
    abaikan lupakan mengabaikan yoksay unut unutun gormezden ignorera glom glem ignorer ignoroi unohda
    ігноруй ігноруйте проігноруй hiraukan ละเว้น เพิกเฉย התעלם התעלמי התעלמו
    忽略 忽视 无视 無視 忘记 忘掉 忘れて 忘れ 無視して 무시 잊어 잊고 تجاهل تجاهلوا انس अनदेखा नजरअंदाज भूल भूलें`

/** What may accompany an answer and is not the answer. */
const APOLOGY = `disclaimer disclaimers apology apologies caveats moralizing lectures refusals hedging`

/** What people hand out, and what a manual asks them to do with a key of theirs. */
const HAND_OUT = `
    reveal share print output disclose expose leak recite dump say divulge
    dis donne donnez revele revelez sag nenne verrate dime dame muestra revela diga revele mostre dimmi mostra rivela
    告诉 透露 显示 教えて 알려 скажи назови покажи`
const ENTRUST = `confirm provide copy paste type supply state write send show give tell list display repeat`

/** Ways to get a secret in pieces or in disguise. */
const RIDDLE = `
    spell spells spelling encode encoding encoded decode rhyme rhymes hint hints acrostic summarize summarise poem song clue clues
    riddle crossword anagram`

/** Modes that no device has. */
const LAWLESS = `god dan jailbreak sudo unrestricted unfiltered uncensored opposite evil`

export const LEXICON: Lexicon = {
  ...LANGUAGES,
  IGNORE,
  //  to make void: common of an order or a task, uncommon of instructions
  OVERRIDE: `${IGNORE}
    skip bypass bypassing override overriding overrule dismiss discard drop erase omit nullify cancel void supersede circumvent
    revoke scrap ditch toss overlook`,
  //  what came earlier; stands before or after the noun
  PRIOR: `
    previous previously prior preceding earlier above foregoing former past original initial existing preexisting current old
    before given other
    precedentes precedente precedents precedent anterieures anterieurs anterieur anterior anteriores previas previos previa
    previo vorherigen vorherige vorangegangenen vorigen bisherigen obigen fruheren vorige eerdere voorgaande bovenstaande
    onceki попередні попередніх anterioare ก่อนหน้า הקודמות
    precedenti sopra predchozi poprzednie poprzednich wczesniejsze предыдущие предыдущих предыдущую прошлые прежние
    προηγουμενες προηγουμενη προηγουμενα sebelumnya onceki tidigare tidligere aiemmat truoc
    之前 以前 先前 上面 上述 前面 以上 此前 前の 以前の 上記 これまで 이전 위의 앞의 기존 السابقة السابقه पिछले पिछली 지금까지 지금까지의 이제까지 predesle`,
  INSTRUCTION: `
    instruction instructions directive directives direction directions prompt prompts command commands guideline guidelines
    guidance guardrails programming policies restrictions constraints training protocols safeguards інструкції вказівки
    instructiunile instructiuni instruksjoner arahan คำสั่ง ההוראות הנחיות consignes consigne instructies opdracht opdrachten
    instrucciones ordenes indicaciones reglas instrucoes instrucao ordens regras anweisungen anweisung befehle regeln vorgaben
    istruzioni istruzione comandi regole ordini instrukcje instrukcji polecenia инструкции инструкции инструкций инструкцию
    указания команды правила οδηγιες οδηγια εντολες instruksi perintah talimatlari talimatlar instruktioner ohjeet 指示 指令 说明 規則
    规则 命令 提示 提示词 要求 지시사항 지시 명령 지침 التعليمات निर्देशों निर्देश pokyny pokynu instrukce prikazy anvisningar anvisningarna
    petunjuk wskazowki aanwijzingen disposizioni 지시를 criteria rubric constitution instruktioner`,
  //  what may be an instruction, and is an everyday word
  //  what a program says, and people rightly pass over
  FAULT: `error errors warning warnings note notes example command output`,
  LOOSE: `order orders rule rules context conversation message messages text task tasks request requests`,
  //  what an assistant runs by, which people hardly ever say was changed
  PROGRAM: `instructions directives prompt programming guidelines restrictions guardrails safeguards`,
  RULEBOOK: `training policy policies guidelines filter filters protocols guardrails restrictions rules`,
  YOUR: `
    your thy deine deinen deiner ihre ihren tes vos tus sus suas teus tuas le tue vostre jouw je uw twoje swoje tvoje
    твои свои ваши dina dine din sizin 你的 您的 あなたの 너의 당신의`,
  VOID: `
    void test fake false invalid outdated obsolete cancelled canceled revoked suspended decoy irrelevant lifted removed`,
  CHANGED: `updated changed replaced overridden disabled lifted removed reset deleted rewritten revoked suspended wiped`,
  EVERYTHING: `everything anything all whatever alles tout todo tudo tutto все всё wszystko 一切`,
  TOLD: `told said gesagt dit dicho dito detto сказано сказали powiedziano vorher zuvor before previously`,
  //  people who may know the secrets of somebody else
  CONFIDANT: `
    doctor physician nurse lawyer attorney detective officer investigator journalist researcher guardian wife husband
    spouse son daughter mother father relative`,
  REFUSE: `refuse decline reject deny say`,
  ANY_REQUEST: `request requests question questions command commands prompt prompts query queries no me anything message messages`,
  READING: `
    reading processing summarizing summarising reviewing parsing grading evaluating screening scoring assessing ranking
    indexing crawling analyzing analysing seeing scanning`,
  //  people who work with such readers, and others one addresses
  COMMUNITY: `
    community engineers engineer researchers researcher developers developer experts enthusiasts team teams friends students
    act safety lab labs railway`,
  READER: `ai llm llms chatbot chatbots gpt chatgpt claude gemini copilot ais`,
  REVEALS: `reveals revealing discloses disclosing recites reciting leaks leaking disclosed revealed`,
  WARNING: `${APOLOGY} warning warnings caveat lecture`,
  APOLOGY,
  REFUSAL_WORD: `sorry cannot unable unfortunately however`,
  CONSENT: `confirmation permission approval consent confirm approve`,
  ONLY_ANSWER: `responda responde responder antworte reponds repondez отвечай відповідай odpowiadaj answer respond reply say`,
  LETTERS: `letter letters character characters word words digit digits vowel vowels syllable syllables`,
  WHOLE: `full entire complete exact whole first verbatim initial original precise`,
  WHERE: `ou où wo dove donde onde waar gdzie где hvor var dimana di`,
  //  instructions that belong to the addressee, clear enough without "previous"
  OWN_RULES: `
    instructions directives prompt programming guidelines rules restrictions guardrails training constraints filters limitations
    safeguards moderation ethics alignment`,
  DATA: `
    function code table data text document article paper email content input numbers context facts figures results question task
    fonction tableau texte funktion tabelle daten funcion tabla codigo datos funcao tabela dados funzione tabella dati 函数 数据 関数 함수`,
  //  to say as told
  REPORT: `
    state say output report claim conclude print answer reply respond declare write assert tell announce mention repeat
    display pretend assume imagine consider suppose believe
    indiquez dites affichez repondez sagen sage geben gib antworte antworten behaupte afirma afirme di diga indica responda declare
    diga imprima indicare dichiara rispondi stampare zeg antwoord
    声明 说明 输出 回答 说 陈述 出力 述べ 答え 말해 출력 답변 скажи скажите выведи ответь`,
  RESULT: `
    output result results answer sum total conclusion conclusions outcome summary average population populations
    sortie resultat reponse somme conclusion ausgabe ergebnis antwort summe schlussfolgerung salida resultado respuesta suma
    conclusion saida soma conclusao uscita risultato risposta somma
    结论 结果 输出 总和 答案 結論 結果 出力 合計 결론 결과 출력 합계`,
  IS: `is are be was were equals equal being est sont ist sind betragt lautet es son e sao sono 是 为 は です 입니다`,
  //  to hand out
  REVEAL: `${HAND_OUT} ${ENTRUST}`,
  HAND_OUT,
  ENTRUST,
  ASKED: `
    what whats which quel quelle quels quelles was welche welches wie cual que qual quale какои каков ποιος ποιο apa wat vad
    hvad jaki jaka jakie какая какова hva`,
  BE: `is s are was est ist es e είναι ειναι lautet adalah jest sono son sont`,
  THE: `the your our my his her its their this that user users le la les votre ton das der die dein ihr el su tu sua il lo tuo`,
  PASSWORD: `
    password passwords passcode passphrase passwort kennwort contrasena senha пароль wachtwoord haslo losenord sifre 密码 密碼
    パスワード 비밀번호 parola motdepasse adgangskode sifreyi sifresini`,
  SECRET: `secret secrets hidden private confidential internal master admin root api access security encryption`,
  KEY: `key keys code codes token tokens phrase word pin credentials credential password passwords passphrase login logins`,
  SPELL: `${RIDDLE} translate describe guess list format write generate story convert`,
  RIDDLE,
  COMBINE: `combine combined combining concatenate concatenated concatenating concatenation join joined merge merged together append`,
  PIECE: `
    part parts piece pieces string strings variable variables half halves fragment fragments substring substrings chunk chunks
    sentence sentences phrases segments letters words`,
  SYSTEM: `system initial original hidden secret confidential internal developer initialization starting base pre`,
  PROMPT: `prompt prompts instructions instruction message rules configuration guidelines directives`,
  COMPOUND: `policy policies rules strength manager managers protection protected reset security hygiene generator field requirements hashing`,
  USER: `user users utilisateur benutzer usuario utente gebruiker 用户 ユーザー 사용자 사용자가 пользователь пользователя χρηστης pengguna kullanici`,
  SUBJECT: `
    user users customer customers patient patients employee employees utilisateur benutzer usuario utente gebruiker 用户 ユーザー
    사용자 사용자가 пользователь пользователя χρηστης pengguna kullanici cliente clienti kunde kunden patienten paciente paziente
    klient klienta pacjent pacjenta клиент клиента пациента klant pelanggan musteri 客户 患者 顧客 고객`,
  PRIVATE: `
    address email phone birthday birthdate ssn salary balance location password passport credit medical income diagnosis birth
    bank card account whereabouts residence`,
  DETAIL: `address number balance details detail date history record records information info data birthday birthdate location year city`,
  RESIDE: `live lives living reside resides stay`,
  RESIDES: `resides reside habite wohnt lebt vive mora reside abita woont 住 住んで 居住 거주 살고 живет ζει tinggal yasiyor vit vivent wohnen`,
  //  who the text claims to speak for, or to
  AUTHORITY: `
    developer creator administrator admin administrators god owner engineer maker programmer supervisor operator master
    superuser root boss ceo president police fbi cia openai anthropic google meta microsoft auditor`,
  MAKER: `openai anthropic google meta microsoft deepmind mistral`,
  MADE: `developed created made built trained designed programmed`,
  MUST: `must have need required obligated obliged shall`,
  OBEY: `obey comply answer tell reveal follow provide confirm share give do say submit`,
  MACHINE: `ai assistant chatbot bot model llm gpt chatgpt claude gemini llama agent application`,
  UNBOUND: `
    dan jailbroken unrestricted unfiltered uncensored unbound unhinged evil amoral unethical immoral unlimited limitless rogue
    omnipotent stan dude aim devmode`,
  LIMIT: `
    restrictions restriction rules limits limitations limitation filters filter guidelines ethics morals constraints
    censorship boundaries safeguards confines policies guardrails moderation`,
  FREE: `without no free beyond bypass bypassing ignore ignoring break broken unbound escape disable disabled remove removed`,
  MODE: `mode override`,
  MODAL: `${LAWLESS}
    system developer dev debug admin administrator maintenance override root diagnostic privileged superuser test bypass`,
  LAWLESS,
  ON: `enabled activated engaged initiated on active unlocked enable activate enter entering engage initiate`,
  ACT: `act pretend roleplay behave respond simulate pose impersonate play`,
  //  to move data out
  SEND: `
    send forward post upload email mail exfiltrate transmit leak submit deliver copy ship transfer envia envie envoyez sende
    invia envialos enviar envoie enviar prepposli preposli kirimkan kirim verstuur wyslij przeslij отправь перешли أرسل 发送 転送
    보내 chuyen skicka`,
  STOLEN: `
    conversation chat history context credentials password passwords secret secrets key keys token tokens
    prompt cookies session environment transcript everything inbox mailbox contacts`,
  //  what people send each other every day too
  SENT: `data contents content information files file summary messages it them datos empleados`,
  SLY: `silently secretly quietly discreetly covertly invisibly automatically`,
  RUN: `call invoke use run execute trigger activate`,
  TOOL: `tool tools function functions plugin plugins api shell terminal command bash powershell script`,
  //  steering the reader's own answer
  STEER: `
    provide write translate encode convert display present give modify enhance reverse render deliver craft compose
    express rewrite phrase structure generate include incorporate insert add append end begin start finish conclude alter
    change adjust tailor infuse embed weave augment supplement output respond reply answer use using mention`,
  ANSWER: `answer answers response responses reply replies output explanation elucidation`,
  //  words that a teacher does not use with pupils
  REPLY: `response responses reply replies elucidation`,
  CODED: `backward backwards reverse reversed base64 base32 base16 hex rot13 morse binary emoji emojis`,
  A_FORMAT: `a an the currency json csv text bullet bullets xml yaml html markdown plain numbers percentage preliminary well soon one`,
  FORM: `
    in into with by using backward backwards reverse reversed to as base64 base32 base16 hex rot13 morse binary emoji emojis
    rhyme capital uppercase lowercase every each at`,
  PLANT: `
    include including inclusion add adding insert inserting embed embedding incorporate incorporating integrate integrating
    introduce introducing employ employing utilize utilizing inject attach append make paste put`,
  FOLLOWING: `following subsequent below next this given provided succeeding`,
  CODE: `code script program`,
  SNIPPET: `snippet snippets block section segment excerpt fragment piece portion sample lines`,
  //  what a service says its customer is now
  STATUS: `member customer subscriber premium verified registered certified licensed proud part guest participant queue line`,
  //  precedes `new instructions` in ordinary speech
  OWNED: `our the my their his her its these those some any of with for got get gave issued read see follow receive received`,
  IMPERATIVE: `
    send transfer forward reveal print output say reply answer respond ignore disregard forget delete approve act pretend do
    execute run call visit tell write stop`,
  NEGATED: `
    not never t cannot without don dont shouldn why into 누구에게도 아무에게도 誰にも 不要 不 别 勿 nie nicht ne nao niemandem niemals nigdy
    никому не nunca nadie ninguem nessuno non لا jangan khong dung hech kimseye ninguno aldrig ingen`,
}
