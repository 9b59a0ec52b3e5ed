//! Lists of singular and plural, Lethe's own: words whose plural no rule and no stemmer knows, folded.
//!
//! Each entry is `plural/singular`, or another form that shoppers type in place of the singular.

pub(super) const CZECH: &str = "deti/dite domy/dum kone/kun kridel/kridlo letadel/letadlo lide/clovek lidi/clovek \
     mydel/mydlo noze/nuz oci/oko oken/okno prkynek/prkynko psi/pes skel/sklo stoly/stul svetel/svetlo \
     usi/ucho vozy/vuz zrcadel/zrcadlo";
pub(super) const DANISH: &str = "boern/barn boger/bog born/barn cykler/cykel fodder/fod gaffler/gaffel gafler/gaffel haender/hand \
     hander/hand kabler/kabel maend/mand mobler/mobel nogler/nogle ojne/oje spejle/spejl stovler/stovle \
     taender/tand tender/tand";
pub(super) const GERMAN: &str = "akkus/akku alben/album aromen/aroma atlanten/atlas atlasse/atlas busse/bus caps/cap cds/cd \
     chips/chip clips/clip cups/cup desktops/desktop dvds/dvd emus/emu firmen/firma freundinnen/freundin \
     globen/globus gnus/gnu iglus/iglu iltisse/iltis kakadus/kakadu kakteen/kaktus konten/konto \
     kurbisse/kurbis laptops/laptop lehrerinnen/lehrerin lexika/lexikon lkws/lkw lps/lp menus/menu \
     museen/museum pcs/pc pizzen/pizza pkws/pkw risiken/risiko seren/serum shops/shop slips/slip \
     stadte/stadt straps/strap studios/studio sudokus/sudoku taxis/taxi tees/tee themen/thema tipps/tipp tofus/tofu \
     tops/top tutus/tutu tvs/tv villen/villa wraps/wrap zirkusse/zirkus";
pub(super) const ENGLISH: &str = "abacuses/abacus aliases/alias antennae/antenna appendices/appendix atlases/atlas atvs/atv axes/axe \
     biases/bias bikinis/bikini bonuses/bonus bookshelves/bookshelf bureaux/bureau buses/bus cacti/cactus \
     cactuses/cactus calves/calf campuses/campus canvases/canvas cds/cd censuses/census children/child childrens/child \
     christmases/christmas circuses/circus citruses/citrus cpus/cpu crocuses/crocus crts/crt \
     dormice/dormouse dvds/dvd dvrs/dvr dwarves/dwarf elves/elf emus/emu feet/foot fezzes/fez \
     focuses/focus fungi/fungus gases/gas gateaux/gateau geese/goose gnus/gnu gpus/gpu \
     grandchildren/grandchild halves/half hdds/hdd hibiscuses/hibiscus hooves/hoof indices/index \
     irises/iris kiwis/kiwi knives/knife larvae/larva lcds/lcd leaves/leaf lenses/lens lice/louse \
     lives/life loaves/loaf lotuses/lotus lps/lp matrices/matrix mattresses/mattress mcbs/mcb men/man mens/man \
     menus/menu mice/mouse mp3s/mp3 nvrs/nvr octopuses/octopus oxen/ox pancreases/pancreas pcbs/pcb \
     pcs/pc pdas/pda people/person plateaux/plateau platypuses/platypus psus/psu quizzes/quiz \
     rhinoceroses/rhinoceros rvs/rv scarves/scarf selves/self shelves/shelf sinuses/sinus skis/ski \
     ssds/ssd statuses/status suvs/suv taxis/taxi teeth/tooth thermoses/thermos thieves/thief \
     trellises/trellis tutus/tutu tvs/tv usbs/usb vertices/vertex viruses/virus walruses/walrus \
     wharves/wharf whizzes/whiz wives/wife wolves/wolf women/woman womens/woman zebus/zebu";
pub(super) const SPANISH: &str = "autobuses/autobus buses/bus cds/cd champus/champu dvds/dvd jerseis/jersey jerseys/jersey menus/menu \
     pcs/pc reyes/rey tvs/tv";
pub(super) const FRENCH: &str = "aloyaux/aloyau baux/bail blanche/blanc blanches/blanc boyaux/boyau cds/cd cieux/ciel coraux/corail \
     douce/doux douces/doux dvds/dvd emaux/email epaisse/epais epaisses/epais fraiches/fraiche \
     grasse/gras grasses/gras grosse/gros grosses/gros joyaux/joyau longue/long longues/long noyaux/noyau \
     pcs/pc publique/public publiques/public rousse/roux rousses/roux seche/sec seches/sec \
     soupiraux/soupirail travaux/travail tuyaux/tuyau tvs/tv vitraux/vitrail yeux/oeil";
pub(super) const ITALIAN: &str = "braccia/braccio buoi/bue chiavi/chiave dita/dito ginocchia/ginocchio labbra/labbro lenzuola/lenzuolo \
     mani/mano paia/paio uomini/uomo uova/uovo";
pub(super) const DUTCH: &str = "baden/bad beurzen/beurs bladeren/blad brieven/brief broodjes/broodje buizen/buis cds/cd daken/dak \
     dozen/doos druiven/druif duiven/duif dvds/dvd eieren/ei fietsen/fiets gaten/gat glasses/glas \
     glazen/glas goederen/goed golven/golf grenzen/grens hazen/haas hozen/hoos huizen/huis kaarsen/kaars \
     kaarzen/kaars kalveren/kalf kazen/kaas kinder/kind kinderen/kind kleren/kleed kloven/kloof \
     korven/korf laarzen/laars lammeren/lam leden/lid lenzen/lens liederen/lied muizen/muis neuzen/neus \
     paden/pad pcs/pc prijzen/prijs raderen/rad reizen/reis ringen/ring rozen/roos schepen/schip \
     schijven/schijf schroeven/schroef sluizen/sluis steden/stad steles/steel toetsen/toets tvs/tv \
     vaten/vat vazen/vaas wolven/wolf zeven/zeef";
pub(super) const NORWEGIAN: &str = "artikler/artikkel barna/barn boker/bok bonder/bonde brodre/bror filtre/filter fotter/fot \
     gafler/gaffel gjess/gas handklaer/handkle hender/hand kabler/kabel klaer/kler knaer/kne menn/mann \
     mobler/mobel muskler/muskel netter/natt nokler/nokkel orer/ore oyne/oye regler/regel skoene/sko \
     sonner/sonn stenger/stang stovler/stovel sykler/sykkel tenger/tang tenner/tann titler/tittel \
     traer/tre";
pub(super) const POLISH: &str = "buty/but dzbanki/dzbanek dzieci/dziecko dzieciece/dzieciecy garnki/garnek guziki/guzik \
     haczyki/haczyk koce/koc kocyki/kocyk kosze/kosz koty/kot krzesla/krzeslo kubki/kubek kwiatki/kwiatek \
     lozka/lozko ludzie/czlowiek lustra/lustro materace/materac notesy/notes noze/noz obrazki/obrazek \
     oczy/oko ogorki/ogorek okna/okno piora/pioro plecaczki/plecaczek psy/pies pudelka/pudelko rece/reka \
     rowery/rower stoliki/stolik stoly/stol swiatla/swiatlo szkla/szklo uszy/ucho wiadra/wiadro \
     woreczki/woreczek worki/worek wozki/wozek zegarki/zegarek zeszyty/zeszyt";
pub(super) const PORTUGUESE: &str = "alemaes/alemao barris/barril bois/boi caes/cao canis/canil capitaes/capitao cds/cd chas/cha \
     dificeis/dificil dvds/dvd faceis/facil frageis/fragil funis/funil infantis/infantil irmaos/irmao \
     leis/lei maos/mao oculo/oculos orgaos/orgao ovos/ovo paes/pao pas/pa pcs/pc perfis/perfil pes/pe \
     portateis/portatil reis/rei repteis/reptil texteis/textil tvs/tv uteis/util";
pub(super) const SWEDISH: &str = "artiklar/artikel bocker/bok bonder/bonde cykeln/cykel cyklar/cykel doerrar/dorr dorrar/dorr \
     dottrar/dotter foetter/fot fotter/fot gaffeln/gaffel gafflar/gaffel gass/gas handdukar/handduk \
     hander/hand kabeln/kabel kablar/kabel kladers/klader loss/lus mobeln/mobel mobler/mobel modrar/moder \
     moss/mus muskler/muskel natter/natt nyckeln/nyckel nycklar/nyckel ogon/oga oron/ora rotter/rot \
     skor/sko soner/son spegeln/spegel speglar/spegel stader/stad stanger/stang stoveln/stovel \
     stovlar/stovel tander/tand tanger/tang";

/// Words that no ending is taken off: the stemmer takes their end for one.
pub(super) const ENGLISH_WHOLE: &str = "atlas bus canvas chassis gas iris lens quiz thermos trellis";
/// Singulars that end as plurals do.
pub(super) const GERMAN_EXCEPTIONS: &str = "albatros alias ananas anis atlas basis beweis bonus bus cannabis chaos dachs eis extras gas glas \
     gras gratis haus iris kaktus kaos kosmos kreis kurbis lapis logos los mais maus moos pathos praxis \
     preis radius reis rhinozeros status tennis thermos trios virus";
/// Singulars that end as plurals do.
pub(super) const FRENCH_EXCEPTIONS: &str =
    "bras bus cas dans fois gaz gps jus mars nous os pas pays plus sans sous tous vous";
