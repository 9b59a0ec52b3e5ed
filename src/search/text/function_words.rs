//! Function words: articles, prepositions, conjunctions and the commonest pronouns and forms of "to be", folded.
//!
//! Lethe's own short lists. General stop-word lists hold words that a shop sells (Dutch "haar", Danish "have", English
//! "can"); a word that also names a product or tells two products apart is left out here. Negations stay words.

pub(super) const BULGARIAN: &str =
    "а без в във за и или от на с със по към при до през под над като който която което са се това тази този";
pub(super) const CATALAN: &str = "a al als amb com d de del dels el els em en entre es i l la les lo los ni o on per \
     pel pels que se sense som son un una uns unes";
pub(super) const CZECH: &str = "a aby ale ani az bez co do i ja je jak jako jsou k ke ktera ktere ktery na nad nebo o od po pod pro pri s se si \
     ta tak te ten to u v ve z za ze";
pub(super) const DANISH: &str = "af at den der det de en er et fra for i ikke med men mod og om over pa paa samt som til uden under ved eller";
pub(super) const GERMAN: &str = "ab als am an auf aus bei beim bis das dass dem den der des die durch ein eine einem \
     einen einer eines es fuer fur im in ins ist mit nach oder ohne sich sind sowie um und unter vom von vor was wie \
     wird zu zum zur zwischen uber ueber";
pub(super) const GREEK: &str = "ο η το οι τα του τησ των τον την τουσ τισ στο στη στην στον στουσ στα στισ και κι για με σε απο χωρισ ωσ που να \
     ειναι ενα ενασ μια η";
pub(super) const ENGLISH: &str = "a about an and any are as at be been but by do does during each for from had has have how i if in into is it \
     its me my of on or our so some such than that the their them then there these they this those to via was we were \
     what when where which while who will with within without you your";
pub(super) const SPANISH: &str = "a al ante con contra como cual cuando de del desde donde e el en entre es esta este hacia hasta la las lo los mas \
     mi ni o para pero por que se segun ser si sin son su sus tu u un una unas unos y";
pub(super) const ESTONIAN: &str =
    "ja ning voi ehk ka et kui aga on ei see need ma ta ilma jaoks kuni koos ning";
pub(super) const BASQUE: &str = "eta edo baina da dira du ez bat hau hori hura ere gabe arte";
pub(super) const FINNISH: &str =
    "ja tai seka on ei etta kun kuin jos myos se ne han mina sina joka jotka mutta ilman kanssa varten";
pub(super) const FRENCH: &str = "a au aux avec c ce ces cet cette chez comme d dans de des du elle en entre est et eux il ils j je l la le les \
     leur lors lui m ma mais mes moi mon n ne notre nos nous on ou par pas pour qu que qui s sa sans se ses si \
     sont sous sur t ta te tes toi ton un une vers vos votre vous y";
pub(super) const IRISH: &str = "a ag agus an ar as do de go gan i in is la le na no o og the";
pub(super) const CROATIAN: &str =
    "a ali bez da do i ili iz je k kao kod koja koje koji na nad o od po pod pri s sa se su u uz za";
pub(super) const HUNGARIAN: &str =
    "a az egy es vagy de hogy is ha mint meg nem van ez ezek azok itt ami amely nelkul alatt felett kozott";
pub(super) const ICELANDIC: &str =
    "a ad af an eda en er fra fyrir fra hja i med og ofan sem til um undir ur vid yfir thad hann hun";
pub(super) const ITALIAN: &str = "a ad agli ai al alla alle allo che chi ci col con contro cui d da dagli dai dal dall dalla dalle dallo degli dei \
     del dell della delle dello di e ed fra gli ha i il in io l la le lei lo lui ma mi ne negli nei nel nell nella \
     nelle nello o per piu quale quando questa questo se senza si sia sono su sua sue sugli sui sul sull sulla sulle \
     sullo suo tra un una uno";
pub(super) const LITHUANIAN: &str =
    "ir ar bei be su i is nuo iki per po prie ant uz kad kaip bet yra tai jo jos del";
pub(super) const LATVIAN: &str =
    "un vai ar bez no lidz uz par pie pa pec pirms zem virs ka bet ir tas ta si sis";
pub(super) const DUTCH: &str = "aan al als bij dan dat de den der des deze die dit door een en er het hij hoe ik in is je maar me met mijn na \
     naar niet of om onder ook op over s t te ten ter tot tussen uit uw van voor waar wat wie wij worden wordt ze \
     zich zijn zo zonder";
pub(super) const NORWEGIAN: &str = "av at de den der det du ein eit en er et fra for i ikke ikkje med men mot og om over pa som til uten under ved \
     eller";
pub(super) const POLISH: &str = "a ale az bez byc co czy dla do i ich ich jak jako jest juz ktora ktore ktory lub ma na nad nie o od oraz po pod \
     przez przy sa sie ta tak te ten to tym u w we z za ze";
pub(super) const PORTUGUESE: &str = "a ao aos as ate com como da das de dela dele do dos e em entre esta este eu la mais mas na nas no nos o os ou \
     para pela pelas pelo pelos por que quem se sem ser seu seus sob sobre sua suas um uma umas uns";
pub(super) const ROMANIAN: &str = "a al ai ale ca care ce cu cum da de din dintre dupa e este fara in intre la mai nu o pe pentru prin sa sau se si \
     sub sunt un una unei unor unui pana";
pub(super) const RUSSIAN: &str = "а без бы в во для до если и из или к как ко который которая которые ли на над не но о об от по под при с со так \
     то у через что это эта этот за";
pub(super) const SLOVAK: &str = "a aby ale alebo az bez co do i je ako k ktora ktore ktory ku na nad o od po pod pre pri s sa si so su ta ten to u \
     v vo z za ze";
pub(super) const SLOVENIAN: &str =
    "a ali brez da do in iz je k kako kot ki na nad o ob od pa po pod pri s se so ta te to v z za";
pub(super) const SERBIAN: &str = "a ali bez da do i ili iz je k kao kod koja koje koji na nad o od po pod pri s sa se su u uz za \
     а али без да до и или из је к као код која које који на над о од по под при с са се су у уз за";
pub(super) const SWEDISH: &str = "av att de den det du en ett fran for fran har i inte med men mot och om over pa som till under utan vid ar eller";
pub(super) const TURKISH: &str =
    "ve veya ile icin bir bu o da de mi ki gibi kadar ya ama en daha olan olarak";
pub(super) const UKRAINIAN: &str = "а або без в від для до з за зі і із й як який яка які на над не о об по під при про та те то у це ця цей";

/// Articles and plurals.
pub(super) const BULGARIAN_ENDINGS: &str =
    "ите ата ото ета ъта ият ия ят ове еве ища ът та то те ен на но ни и а о е я";
/// Cases, plurals and the attached article.
pub(super) const ICELANDIC_ENDINGS: &str =
    "arinnar anna unum inum innar arnir urnar irnar ina inn num nir nna inu ins um ir ar ur id in a i u s";
/// Cases and plurals.
pub(super) const LATVIAN_ENDINGS: &str = "iem ajam ajai ais ju as ai am ie is us os es em im um u s a e i";
/// Cases and plurals.
pub(super) const SLOVENIAN_ENDINGS: &str = "ega emu imi ama oma ami ih im em am ah om ov ev a e i o u";
/// Cases and plurals.
pub(super) const UKRAINIAN_ENDINGS: &str = "ового ами ями ого ому ими іми ові еві ах ях ів їв ам ям ом ем єм ою ею єю ий ій їй их іх им ім ої а я и і у ю е є о ь";
/// Plurals, cases and the vowel at the end. Without the accusative: a folded `kabát` would lose its end too.
pub(super) const HUNGARIAN_ENDINGS: &str = "okkal ekkel akkal okban ekben akban oknak eknek aknak okhoz ekhez akhoz okra ekre akra ban ben nak nek val vel hoz \
     hez bol tol rol ok ek ak k a e o i";
/// Plurals and possession.
pub(super) const TURKISH_ENDINGS: &str =
    "larinin lerinin lari leri larin lerin lar ler sinin si su in un i u";
