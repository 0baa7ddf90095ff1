import type { Lexicon } from './grammar.ts'

/** Words of planted instructions in languages beside English, each class under the name of what it is there for. */
export const LANGUAGES: Lexicon = {
  AN_AI: `
    ai ki ia ии ші llm gpt chatgpt copilot gemini claude chatbot chatboti 인공지능 人工智能 人工知能 大模型 语言模型 言語モデル нейросеть
    нейросети нейросетью ذكاء الذكاء الذكي एआई sprachmodell sprachmodells modell modele modelo modello modelu модель модели
    asistenta asisten asistan assistente asistente assistant assistenten assistenti المساعد tekoaly yapay inteligence
    inteligencia inteligencja intelligenz intelligence zeka zekaya assistent асистент ассистент`,
  READS: `
    doc lit lisez lisent liest lesen lesende lee leen leyendo leyere lendo ler leggono czyta czytaja czytajacy cte ctou ctouci
    leest lezen laser laeser читает читают читающий читающим читає читают 阅读 读取 读到 読んで 読む 読んだ 읽는 읽고 membaca يقرأ
    تقرأ पढ़ पढ़ने पढ़ें okuyan okuyorsan auswertende bewertende zusammenfassende oceniajacego hodnotici`,
  NOTE: `
    notiz hinweis anmerkung nachricht nota note remarque mensaje mensagem aviso messaggio uwaga notatka poznamka upozorneni
    opmerking bericht примечание сообщение внимание примітка 注意 提示 备注 お知らせ 注記 メモ 알림 참고 ملاحظة تنبيه सूचना नोट catatan pesan
    mesaj`,
  WITHOUT: `ohne sans sin sem senza без bez utan uten zonder بلا بدون बिना 没有 無い のない ない 없는 없이 khong tanpa olmayan`,
  LIMITS: `
    regeln filter grenzen einschrankungen zensur moral restrictions limites filtres regles censure restricciones filtros
    reglas censura restricoes regras limitacoes limite etica restrizioni regole filtri limiti цензуры ограничений правил
    фильтров морали обмежень cenzury ograniczen zasad omezeni pravidel filtru granser regler begransningar regels beperkingen
    filters 限制 规则 道德 约束 审查 制限 ルール 倫理 規制 제한 규칙 윤리 검열 قيود أخلاق قواعد सीमा नियम पाबंदी नियमों gioi batasan aturan sinir kural`,
  NEVER: `nie nunca jamais mai никогда nigdy nikdy nooit aldrig 从不 絶対 절대 لا لن कभी bao tidak asla`,
  DECLINES: `
    verweigert verweigerst ablehnt refuse refuses refusent rechaza niega recusa rifiuta отказывает отказываешься отказывать odmawia
    odmita weigert vagrar 拒绝 拒否 断り 거절 거부 يرفض ترفض मना इनकार choi menolak reddetmez`,
  SHOW: `
    dis donne donnez revele revelez affiche affichez montre montrez gib gebt sag nenne verrate zeig zeige ausgeben anzeigen
    dime dame muestra revela muestrame diga revele mostre exiba dimmi mostra rivela mostrami geef zeg toon podaj powiedz pokaz
    wyswietl wypisz zdradz скажи скажите назови покажи покажите выведи выведите раскрой покажіть виведи ukaz rekni vypis
    prozrad visa beratta sag soyle goster yaz katakan tampilkan tunjukkan berikan 说出 显示 输出 教えて 表示 出力 見せて 알려 말해 보여 출력 बताओ
    बताइए दिखाइए दिखाओ أخبرني أعطني اعرض اكشف hien geven verklap 告诉我 告訴我 wypisac надаи даи тебе`,
  SYSTEM_PROMPT: `
    systemprompt systemprompts systemprompten systempromptet systemprompter システムプロンプト 系统提示词 系统提示 系統提示
    시스템프롬프트`,
  OF_SYSTEM: `system sistema systeme systemu systemowy systemovy системный системного системну 시스템 सिस्टम النظام sistem`,
  A_PROMPT: `prompt prompts промпт промт подсказку підказку 프롬프트 प्रॉम्प्ट प्रॉम्प्ट्स موجه التعليمات`,
  BACKWARDS: `
    backwards backward reversed ruckwarts baklanges envers reves contrario achterstevoren wspak наоборот 倒着 倒序 反过来 逆から 逆順
    거꾸로 उल्टे उलटा بالعكس pozpatku terbalik tersten`,
  A_POEM: `poem poema gedicht poeme wiersz basen стих стихотворение 詩 诗 시 siir acrostic akrostichon dikt puisi`,
  NOT: `
    nicht niet nie ne pas no nao non не inte ikke jangan dung लا ولا لا मत 不要 别 勿 neni`,
  TELL: `
    sag sage sagen erwahne informiere verrate dites dis parlez mentionnez informez digas diga menciones informes conte
    mencione avise dire dica menzionare mow powiedz wspominaj informuj говори говорите сообщай сообщайте рассказывай упоминай
    кажи zeg vermeld beritahu beri sebutkan تخبر تخبري تذكر बताना बताओ 告诉 告知 提及 tell`,
  THE_USER: `
    user users nutzer benutzer anwender utilisateur usuario usuaria utente gebruiker uzytkownik uzytkownikowi uzytkownika
    пользователю пользователя користувачу uzivateli uzivatele anvandaren pengguna kullaniciya المستخدم उपयोगकर्ता 用户 用戶 ユーザー
    사용자`,
  YOU_ARE: `
    bist eres etes es e sei jestes jsi jste bent ar anda 你是 あなた あなたが 당신은 당신이`,
  IF: `wenn falls si se jesli если якщо pokud als om eger kalau jika もし 如果 若 만약 إذا यदि अगर neu`,
  SAFETY: `
    securite sicherheit seguridad sicurezza seguranca guvenlik безопасности безпеки bezpieczenstwa bezpecnosti veiligheid sakerhet
    安全 안전 السلامة सुरक्षा keamanan`,
  OFF: `
    desactivees desactivadas deaktiviert aufgehoben uitgeschakeld disi отключены отменены вимкнено скасовано wylaczone vypnuta
    解除 关闭 停用 비활성화 disattivate desativadas معطلة dinonaktifkan avstangda`,
  HIDDEN: `
    ocultas secretas cachees secretes versteckten geheimen versteckte geheime nascoste segrete ukryte tajne приховані скрытые
    секретные таємні skryte tajne verborgen geheime dolda hemliga السرية المخفية 隐藏 秘密 숨겨진 비밀 隠された छिपे rahasia gizli`,
  SAY_AGAIN: `repite repita repete repita repetez wiederhole ripeti powtorz повтори повторите herhaal zopakuj upprepa`,
  BEFORE: `antes avant vor prima przed перед выше oben arriba voor pred fore`,
  FOR: `fur an para pour pro dla для voor per al alla till til untuk cho 给 致 へ 向け 에게`,
  A_PAGE: `
    page seite pagina strone stranku stranka sidan страницу сторінку 页 页面 网页 ページ 페이지 halaman laman trang thu mail email cv
    lebenslauf curriculum zivotopis письмо лист nachricht dokument document documento dokumen 邮件 メール 이메일 الصفحة الرسالة sayfayi
    पृष्ठ पेज`,
  PERSONAL: `
    medication prescription adresse direccion indirizzo endereco adres telefon telefone telefono numero numer konta konto
    kontostand compte conta cuenta saldo solde geburtstag geburtsdatum адрес телефон баланс счета`,
}
