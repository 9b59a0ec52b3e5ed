//! Headings of tables for the test of guessed mappings.

use super::column_rule::ColumnUse;

/// Headings of tables in six languages, and the uses that are guessed.
pub const GUESSED: &[(&[&str], &[ColumnUse])] = {
    use ColumnUse::{
        Availability, Brand, CategoryPath, Description, Gtin, Id, Image, Link, Option, Price, Quantity,
        SalePrice, Sku, Title,
    };
    const PATH: ColumnUse = CategoryPath('>');
    &[
        (
            &[
                "id",
                "sku",
                "title",
                "price",
                "sale_price",
                "stock",
                "description",
                "image",
                "url",
                "brand",
                "color",
            ],
            &[Id, Sku, Title, Price, SalePrice, Quantity, Description, Image, Link, Brand, Option],
        ),
        (
            &[
                "Artikelnummer",
                "Bezeichnung",
                "Preis (EUR)",
                "Lagerbestand",
                "Beschreibung",
                "Bild 1",
                "Marke",
                "Warengruppe",
                "Größe",
            ],
            &[Sku, Title, Price, Quantity, Description, Image, Brand, PATH, Option],
        ),
        (
            &["Artikel-Nr.", "Artikelname", "VK-Preis", "EAN", "Verfügbar", "Groesse", "Deeplink"],
            &[Sku, Title, Price, Gtin, Availability, Option, Link],
        ),
        (
            &[
                "référence",
                "nom",
                "prix",
                "prix promo",
                "quantité",
                "lien",
                "marque",
                "catégorie",
                "couleur",
                "taille",
            ],
            &[Sku, Title, Price, SalePrice, Quantity, Link, Brand, PATH, Option, Option],
        ),
        (
            &[
                "codice",
                "titolo",
                "prezzo",
                "giacenza",
                "descrizione",
                "immagine",
                "marca",
                "categoria",
                "taglia",
            ],
            &[Sku, Title, Price, Quantity, Description, Image, Brand, PATH, Option],
        ),
        (
            &["referencia", "nombre", "precio", "existencias", "descripción", "imagen", "enlace", "tamaño"],
            &[Sku, Title, Price, Quantity, Description, Image, Link, Option],
        ),
        (
            &[
                "artikelcode",
                "naam",
                "prijs",
                "voorraad",
                "omschrijving",
                "afbeelding",
                "merk",
                "kleur",
                "maat",
            ],
            &[Sku, Title, Price, Quantity, Description, Image, Brand, Option, Option],
        ),
    ]
};
