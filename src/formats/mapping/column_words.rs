//! Words by which shops name their columns, in English, German, French, Italian, Spanish and Dutch.

use crate::formats::mapping::column_rule::ColumnUse;

/// Words for a use, the surest first, as [`fold_name`] writes them.
pub(super) struct ColumnWords {
    pub(super) becomes: ColumnUse,
    /// Separated by blanks.
    pub(super) words: &'static str,
}

const fn words(becomes: ColumnUse, words: &'static str) -> ColumnWords {
    ColumnWords { becomes, words }
}

/// Words of every use. No word stands twice.
pub(super) const COLUMN_WORDS: &[ColumnWords] = &[
    words(
        ColumnUse::Id,
        "id productid itemid articleid artikelid produktid idproduct idproduit idproducto idprodotto \
         idarticle idarticulo idarticolo identifier identifiant uniqueid offerid externalid entityid uid \
         uuid key productkey",
    ),
    words(
        ColumnUse::Sku,
        "sku artikelnummer artikelnr artnr artikelno artno articlenumber itemnumber itemno partnumber \
         partno productnumber productcode itemcode articlecode artikelcode produktnummer produktnr \
         productnummer bestellnummer bestellnr bestelnummer modelnumber nummer code codearticle \
         codeproduit codicearticolo codiceprodotto codice codigo codigoarticulo codigoproducto \
         numeroarticle referenz referenznummer reference referencia riferimento ref variantsku \
         stockkeepingunit",
    ),
    words(
        ColumnUse::Gtin,
        "gtin gtin13 gtin14 ean ean13 eannummer eannr eancode codeean codiceean codigoean upc isbn isbn13 \
         barcode strichcode codebarre codebarres codiceabarre codigodebarras streepjescode variantbarcode \
         globaltradeitemnumber",
    ),
    words(
        ColumnUse::Group,
        "itemgroupid groupid group productgroupid parentid parent parentsku parentproductid parentproduct \
         masterid mastersku masterproduct vaterartikel vaterartikelnummer vaterid hauptartikel \
         hauptartikelnummer stammartikel elternartikel idparent idpadre skuparent skupadre styleid \
         variantengruppe variantgroup",
    ),
    words(
        ColumnUse::Title,
        "title name titel bezeichnung artikelbezeichnung produktbezeichnung titre nom titolo nome titulo \
         nombre naam benaming denominazione denominacion designation libelle intitule omschrijvingkort \
         displayname label productnaam kurzbezeichnung",
    ),
    words(
        ColumnUse::Description,
        "description beschreibung langbeschreibung langtext beschreibungstext longdescription \
         fulldescription descriptionlongue descrizione descrizionelunga descripcion descripcionlarga \
         beschrijving omschrijving body bodyhtml text details descriptif shortdescription \
         kurzbeschreibung descriptioncourte descrizionebreve descripcioncorta kurztext",
    ),
    words(
        ColumnUse::Link,
        "link url deeplink producturl productlink produkturl produktlink produktseite href permalink lien \
         urlproduit lienproduit urlprodotto linkprodotto collegamento enlace urlproducto landingpage \
         pageurl weblink webadresse canonicalurl linkurl",
    ),
    words(
        ColumnUse::Image,
        "image imagelink imageurl imagesrc mainimage mainimageurl bild bildurl bildlink hauptbild \
         hauptbildurl picture pictureurl photo photourl foto fotourl abbildung imageprincipale urlimage \
         lienimage immagine immagineprincipale urlimmagine imagen imagenprincipal urlimagen afbeelding \
         afbeeldingurl hoofdafbeelding images imageurls bilder pictures photos fotos immagini imagenes \
         afbeeldingen thumbnail media mediaurl grafik",
    ),
    words(
        ColumnUse::MoreImages,
        "additionalimagelink additionalimagelinks additionalimages moreimages weiterebilder zusatzbilder \
         zusatzbild gallery galerie galleria autresimages imagessupplementaires altreimmagini masimagenes \
         imagenesadicionales extraafbeeldingen extraimages bildergalerie",
    ),
    words(
        ColumnUse::Brand,
        "brand brandname marke markenname marque marca merk vendor manufacturer hersteller herstellername \
         fabricant fabrikant produttore fabricante maker designer",
    ),
    words(
        ColumnUse::CategoryPath('>'),
        "category categories categorypath categoryname producttype kategorie kategorien kategoriepfad \
         kategoriename warengruppe warengruppen artikelgruppe produktgruppe rubrik sortiment categorie \
         categorieen rubrique rayon famille familie categoria categorias seccion reparto productgroup \
         productcategory breadcrumb breadcrumbs googleproductcategory department",
    ),
    words(
        ColumnUse::Tags,
        "tags tag keywords searchkeywords searchterms searchtags suchbegriffe suchworte stichworte \
         schlagworte schlagworter schlusselworter motscles parolechiave etichette etiquetas palabrasclave \
         trefwoorden zoekwoorden zoektermen",
    ),
    words(
        ColumnUse::Price,
        "regularprice price preis prix prezzo precio prijs listprice baseprice unitprice retailprice \
         grossprice pricegross priceincltax priceinctax priceinclvat priceincvat sellingprice \
         verkaufspreis vkpreis vk vkbrutto bruttopreis preisbrutto preisinklmwst preisinclmwst endpreis \
         ladenpreis einzelpreis listenpreis bruttovk prixttc prixvente prixdevente prixpublic pvp pvttc \
         prixunitaire prezzodivendita prezzovendita prezzoivato prezzolistino preciodeventa precioventa \
         precioconiva verkoopprijs prijsinclbtw adviesprijs amount variantprice",
    ),
    words(
        ColumnUse::SalePrice,
        "saleprice specialprice offerprice promoprice promotionprice discountprice discountedprice \
         reducedprice sonderpreis aktionspreis angebotspreis reduzierterpreis prixpromo prixpromotionnel \
         prixpromotion prixsolde prixsoldes prixremise prixreduit prezzoscontato prezzopromo \
         prezzopromozionale prezzoofferta prezzospeciale preciooferta preciodeoferta preciorebajado \
         precioespecial aanbiedingsprijs actieprijs kortingsprijs",
    ),
    words(
        ColumnUse::Currency,
        "currency currencycode pricecurrency wahrung waehrung devise monnaie valuta moneda divisa \
         munteenheid",
    ),
    words(ColumnUse::SaleDates, "salepriceeffectivedate aktionszeitraum saledates"),
    words(
        ColumnUse::SaleStart,
        "salestart salestartdate salefrom salepricestartdate specialpricefrom specialpricefromdate \
         specialfromdate aktionvon aktionab aktionsbeginn aktionsstart angebotvon sonderpreisab \
         debutpromo iniziopromo inicioferta iniciooferta startaanbieding",
    ),
    words(
        ColumnUse::SaleEnd,
        "saleend saleenddate saleto salepriceenddate specialpriceto specialpricetodate specialtodate \
         aktionbis aktionsende angebotbis sonderpreisbis finpromo finepromo finoferta eindeaanbieding",
    ),
    words(
        ColumnUse::Start,
        "startdate validfrom visiblefrom activefrom onlinefrom gultigab gueltigab gultigvon sichtbarab \
         onlineab datedebut datainizio fechainicio startdatum geldigvanaf",
    ),
    words(
        ColumnUse::End,
        "enddate validto validuntil visibleto activeto expirationdate expirydate gultigbis gueltigbis \
         sichtbarbis onlinebis datefin datafine fechafin einddatum geldigtot",
    ),
    words(
        ColumnUse::Availability,
        "availability available instock isinstock isonstock stockstatus isavailable verfugbarkeit \
         verfuegbarkeit verfugbar verfuegbar lieferbar lieferbarkeit lagerstatus auflager disponibilite \
         disponible enstock disponibilita disponibile disponibilidad beschikbaarheid beschikbaar \
         opvoorraad",
    ),
    words(
        ColumnUse::Quantity,
        "quantity qty stock stockqty stockquantity stocklevel inventory inventoryquantity onhand bestand \
         lagerbestand lagermenge lager menge anzahl quantite quantitestock stockdisponible quantita \
         giacenza scorta cantidad existencias inventario voorraad aantal hoeveelheid verfugbaremenge \
         variantinventoryqty",
    ),
    words(
        ColumnUse::Option,
        "color colour size farbe grosse groesse couleur taille pointure colore taglia misura talla tamano \
         kleur maat konfektionsgrosse schuhgrosse farbton coloris",
    ),
    words(
        ColumnUse::LeftOut,
        "cost costprice costofgoods costofgoodssold purchaseprice wholesaleprice buyingprice ek ekpreis \
         eknetto einkaufspreis prixachat prixdachat prezzoacquisto prezzodiacquisto preciocompra \
         preciodecompra costo coste cout inkoopprijs margin marge spanne margine margen supplier \
         suppliername supplierid lieferant lieferantennummer fournisseur fornitore proveedor leverancier \
         tax taxclass taxrate vat vatrate steuer steuersatz steuerklasse mwst mwstsatz tva iva btw \
         internalnote internalnotes intern bemerkungintern metatitle metadescription metakeywords slug \
         urlkey handle prices creationdate createdat updatedat erstelltam geandertam",
    ),
];

/// Words before a name that say no more than that it is of a product.
const PREFIXES: [&str; 12] = [
    "product", "produkt", "artikel", "article", "articulo", "articolo", "prodotto", "producto", "produit",
    "item", "shop", "art",
];

/// Words after a name: currencies of a price, and the kind of an address.
const SUFFIXES: [&str; 9] = ["eur", "usd", "gbp", "chf", "sek", "dkk", "nok", "pln", "url"];

/// A name in lower case, only letters and digits, without accents.
pub(super) fn fold_name(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for letter in name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase) {
        match letter {
            'ä' | 'à' | 'á' | 'â' | 'ã' | 'å' => folded.push('a'),
            'é' | 'è' | 'ê' | 'ë' => folded.push('e'),
            'í' | 'ì' | 'î' | 'ï' => folded.push('i'),
            'ö' | 'ó' | 'ò' | 'ô' | 'õ' => folded.push('o'),
            'ü' | 'ú' | 'ù' | 'û' => folded.push('u'),
            'ç' => folded.push('c'),
            'ñ' => folded.push('n'),
            'ß' => folded.push_str("ss"),
            _ => folded.push(letter),
        }
    }
    folded
}

/// Shorter forms of a folded name: without its number, its currency and the word for a product.
pub(super) fn shorten_name(folded: &str) -> Vec<String> {
    let numberless = folded.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let unsuffixed = SUFFIXES.iter().find_map(|suffix| numberless.strip_suffix(suffix)).unwrap_or(numberless);
    let mut forms = vec![numberless, unsuffixed];
    for form in [numberless, unsuffixed] {
        forms.extend(PREFIXES.iter().find_map(|prefix| form.strip_prefix(prefix)));
    }
    forms.retain(|form| form.len() > 1 && *form != folded);
    forms.into_iter().map(str::to_owned).collect()
}

/// Use that a word means.
pub(super) fn find_use(name: &str) -> Option<ColumnUse> {
    let folded = fold_name(name);
    let is_named = |entry: &&ColumnWords| entry.words.split(' ').any(|word| word == folded);
    COLUMN_WORDS.iter().find(is_named).map(|entry| entry.becomes)
}
