//! Parts of a product's document that are not in its row: names of its brand and categories, and prices agreed with
//! accounts.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::feeds::section::Section;
use crate::search::document::{
    AccountPrice, DocumentFault, ProductDocument, ShopTables, read_account_price, read_document,
};
use crate::search::pricing::PriceTerms;

/// The rows of an account's other sections, in memory while its index is open.
#[derive(Default)]
pub(super) struct SectionTables {
    shop: Arc<ShopTables>,
    /// Hashes of the rows of categories and brands, to tell repeated rows from changed ones.
    hashes: HashMap<(Section, String), u64>,
    /// By the id or SKU of the product or variant, then by the tag of the account that pays them.
    account_prices: HashMap<String, BTreeMap<String, AgreedPrice>>,
    /// These rows are newer than the documents: until the index has caught up, each named row is a changed one.
    is_ahead: bool,
}

/// Prices agreed with an account.
#[derive(Clone, PartialEq, Eq)]
struct AgreedPrice {
    /// Id or SKU of the product whose variant has them, or empty.
    parent_id: String,
    prices: PriceTerms,
}

impl AgreedPrice {
    /// Reads a row of `AccountPrices`.
    fn read(row: &[u8]) -> Result<Self, DocumentFault> {
        let AccountPrice { parent_id, prices, .. } = read_account_price(row)?;
        Ok(Self { parent_id, prices })
    }

    /// Returns true if variants of this product may have them: several products may have variants of one id.
    fn is_for_variants_of(&self, product_id: &str, product_sku: &str) -> bool {
        self.parent_id.is_empty() || [product_id, product_sku].contains(&self.parent_id.as_str())
    }
}

/// Effect of a changed row on the documents of products.
pub(super) enum AffectedProducts {
    /// Nothing: it is as it was.
    Nothing,
    /// The product of this id or SKU.
    Product(String),
    /// Any product may name it.
    Any,
}

impl SectionTables {
    /// Sets whether the rows are newer than the documents.
    pub(super) fn set_ahead(&mut self, is_ahead: bool) {
        self.is_ahead = is_ahead;
    }

    /// Names of brands and categories.
    pub(super) fn shop(&self) -> &Arc<ShopTables> {
        &self.shop
    }

    /// Takes a row of another section than Products, or takes it away; returns the documents that change.
    ///
    /// # Errors
    /// When it is no such row.
    pub(super) fn set_row(
        &mut self,
        section: Section,
        id: &str,
        row: Option<Vec<u8>>,
    ) -> Result<AffectedProducts, DocumentFault> {
        match section {
            Section::Products => Ok(AffectedProducts::Nothing),
            Section::AccountPrices => self.set_price(id, row.as_deref()),
            Section::Categories | Section::Brands => self.set_name(section, id, row.as_deref()),
        }
    }

    fn set_name(
        &mut self,
        section: Section,
        id: &str,
        row: Option<&[u8]>,
    ) -> Result<AffectedProducts, DocumentFault> {
        let key = (section, id.to_owned());
        let before = match row {
            Some(row) => self.hashes.insert(key, xxh3_64(row)),
            None => self.hashes.remove(&key),
        };
        if before == row.map(xxh3_64) {
            return Ok(AffectedProducts::Nothing);
        }
        let shop = Arc::make_mut(&mut self.shop);
        let named = if section == Section::Brands { &mut shop.brands } else { &mut shop.categories };
        match row {
            Some(row) => named.put_row(id, row)?,
            None => named.remove(id),
        }
        Ok(AffectedProducts::Any)
    }

    /// The key of a price is `tag|product`.
    fn set_price(&mut self, key: &str, row: Option<&[u8]>) -> Result<AffectedProducts, DocumentFault> {
        let Some((tag, product)) = key.split_once('|') else { return Ok(AffectedProducts::Nothing) };
        let prices = self.account_prices.entry(product.to_owned()).or_default();
        let before = match row {
            Some(row) => prices.insert(tag.to_owned(), AgreedPrice::read(row)?),
            None => prices.remove(tag),
        };
        let is_changed = self.is_ahead || before.as_ref() != prices.get(tag);
        if prices.is_empty() {
            self.account_prices.remove(product);
        }
        Ok(if is_changed { AffectedProducts::Product(product.to_owned()) } else { AffectedProducts::Nothing })
    }

    /// The document of a product.
    ///
    /// # Errors
    /// When the row is no product.
    pub(super) fn document(&self, row: &[u8]) -> Result<ProductDocument, DocumentFault> {
        let mut document = read_document(row, &self.shop)?;
        document.offer.add_account_prices(self.agreed_prices([&document.id, &document.sku], |_| true));
        for variant in &mut document.variants {
            let is_for_it = |agreed: &AgreedPrice| agreed.is_for_variants_of(&document.id, &document.sku);
            let agreed = self.agreed_prices([&variant.id, &variant.sku], is_for_it);
            variant.offer.add_account_prices(agreed);
        }
        Ok(document)
    }

    /// Prices that accounts agreed for a product or variant with this id and article number.
    fn agreed_prices(
        &self,
        [id, sku]: [&String; 2],
        is_for_it: impl Fn(&AgreedPrice) -> bool,
    ) -> Vec<(String, PriceTerms)> {
        let keys = std::iter::once(id).chain(Some(sku).filter(|sku| *sku != id));
        let agreed = keys.filter_map(|key| self.account_prices.get(key)).flatten();
        let own = agreed.filter(|(_, agreed)| is_for_it(agreed));
        own.map(|(tag, agreed)| (tag.clone(), agreed.prices.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_is_no_object_is_a_fault_in_every_section() {
        for section in [Section::Categories, Section::Brands, Section::AccountPrices] {
            for row in ["", "[]", "{"] {
                let set = SectionTables::default().set_row(section, "tag|1", Some(row.as_bytes().to_vec()));
                assert!(set.is_err(), "{section:?} {row}");
            }
            let removed = SectionTables::default().set_row(section, "tag|1", None);
            assert!(matches!(removed, Ok(AffectedProducts::Nothing)), "{section:?}");
        }
    }

    fn effect(set: Result<AffectedProducts, DocumentFault>) -> String {
        match set.expect("a row") {
            AffectedProducts::Nothing => "nothing".to_owned(),
            AffectedProducts::Product(product) => product,
            AffectedProducts::Any => "any".to_owned(),
        }
    }

    #[test]
    fn a_name_that_changes_may_be_of_any_product_and_one_that_comes_again_is_of_none() {
        let mut tables = SectionTables::default();
        let alder = "{\"Id\":\"1\",\"DisplayName\":\"Alder\"}";
        let birch = "{\"Id\":\"1\",\"DisplayName\":\"Birch\"}";
        for (section, row, expected, name) in [
            (Section::Brands, Some(alder), "any", "Alder"),
            (Section::Brands, Some(alder), "nothing", "Alder"),
            (Section::Categories, Some(birch), "any", "Alder"),
            (Section::Brands, Some(birch), "any", "Birch"),
            (Section::Brands, None, "any", "1"),
            (Section::Brands, None, "nothing", "1"),
            (Section::Products, Some(alder), "nothing", "1"),
        ] {
            let set = tables.set_row(section, "1", row.map(|row| row.as_bytes().to_vec()));
            assert_eq!(effect(set), expected, "{section:?} {row:?}");
            assert_eq!(tables.shop().brands.name("1"), name, "{section:?} {row:?}");
        }
        assert_eq!(tables.shop().categories.name("1"), "Birch");
    }

    #[test]
    fn a_price_that_changes_is_of_its_product_and_of_each_that_is_named_while_the_rows_are_ahead() {
        let mut tables = SectionTables::default();
        let price = |pounds: u8| {
            let row = format!("{{\"AccountTag\":\"tag\",\"Id\":\"P1\",\"Prices\":[\"{pounds}.00 GBP\"]}}");
            Some(row.into_bytes())
        };
        for (key, row, is_ahead, expected) in [
            ("tag|P1", price(8), false, "P1"),
            ("tag|P1", price(8), false, "nothing"),
            ("tag|P1", price(8), true, "P1"),
            ("tag|P1", price(7), false, "P1"),
            ("tag", price(7), true, "nothing"),
            ("tag|P1", None, false, "P1"),
            ("tag|P1", None, false, "nothing"),
            ("tag|S|1", price(7), false, "S|1"),
        ] {
            tables.set_ahead(is_ahead);
            assert_eq!(
                effect(tables.set_row(Section::AccountPrices, key, row)),
                expected,
                "{key} {is_ahead}"
            );
        }
        assert_eq!(tables.account_prices.keys().collect::<Vec<_>>(), ["S|1"]);
        // Agreed for the article number.
        let row = b"{\"Id\":\"P1\",\"Sku\":\"S|1\",\"Title\":\"Lamp\"}";
        let offer = |tables: &SectionTables| tables.document(row).expect("a product").offer;
        assert!(offer(&tables) != offer(&SectionTables::default()));
    }

    #[test]
    fn a_price_that_names_a_product_is_of_no_variant_of_another() {
        let mut tables = SectionTables::default();
        let price = br#"{"AccountTag":"tag","Id":"M","ParentId":"shirt","Prices":["8.00 GBP"]}"#;
        tables.set_row(Section::AccountPrices, "tag|M", Some(price.to_vec())).expect("a price");
        let accounts = |id: &str, sku: &str| {
            let row = format!(
                r#"{{"Id":"{id}","Sku":"{sku}","Title":"A","Variants":[{{"Id":"M"}},{{"Id":"L"}}]}}"#
            );
            let document = tables.document(row.as_bytes()).expect("a product");
            document.variants.iter().map(|variant| variant.offer.accounts.len()).collect::<Vec<_>>()
        };
        assert_eq!(accounts("shirt", "s-1"), [1, 0]);
        assert_eq!(accounts("p-7", "shirt"), [1, 0]);
        assert_eq!(accounts("trousers", "t-1"), [0, 0]);
        let price = br#"{"AccountTag":"tag","Id":"M","Prices":["8.00 GBP"]}"#;
        tables.set_row(Section::AccountPrices, "tag|M", Some(price.to_vec())).expect("a price");
        let row = br#"{"Id":"trousers","Title":"A","Variants":[{"Id":"M"}]}"#;
        let document = tables.document(row).expect("a product");
        assert_eq!(document.variants[0].offer.accounts.len(), 1, "it names no product");
    }
}
