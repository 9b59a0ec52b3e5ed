//! Search settings of a shop: the language of its texts, the attributes that always have a facet, the pages whose
//! scripts may search, synonyms, and whether popularity counts.

use std::sync::Arc;

use super::fault::AccountFault;
use super::list_kind::ListKind;
use super::lists;
use crate::ids::AccountId;
use crate::search::rules::RuleList;
use crate::search::synonyms::SynonymLines;
use crate::search::text::ShopLanguage;
use crate::store::{StoreFault, Tx};
use crate::{args, limits, sql};

/// Search settings of a shop.
#[derive(Clone, Debug)]
pub struct SearchSettings {
    /// The language of its texts; `None`: English.
    pub language: Option<ShopLanguage>,
    /// Names of attributes that have a facet and an order however few products have them.
    pub attributes: Vec<String>,
    /// The origins of the pages whose scripts may ask, such as `https://shop.example`; `*` is any.
    pub origins: Vec<String>,
    /// The origins of pictures that the page for trying the search may show.
    pub pictures: Vec<String>,
    /// Synonyms, searched in addition to the words of a query.
    pub synonyms: Arc<SynonymLines>,
    /// Rules for some searches.
    pub rules: Arc<RuleList>,
    /// True if products that shoppers like are boosted.
    pub popularity: bool,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            language: None,
            attributes: Vec::new(),
            origins: Vec::new(),
            pictures: Vec::new(),
            synonyms: Arc::default(),
            rules: Arc::default(),
            popularity: true,
        }
    }
}

/// Changes of the settings; `None` stays as it is.
#[derive(Clone, Default)]
pub struct SearchChanges {
    /// The language; inside, `None` takes it away.
    pub language: Option<Option<ShopLanguage>>,
    /// The attributes.
    pub attributes: Option<Vec<String>>,
    /// The origins.
    pub origins: Option<Vec<String>>,
    /// The origins of pictures.
    pub pictures: Option<Vec<String>>,
    /// The lines of synonyms, which were checked.
    pub synonyms: Option<String>,
    /// True to boost products that shoppers like.
    pub popularity: Option<bool>,
}

impl SearchSettings {
    /// The language in which the shop's texts are read.
    #[must_use]
    pub fn language(&self) -> ShopLanguage {
        self.language.unwrap_or(ShopLanguage::English)
    }

    /// The settings with these lines of synonyms and the rules of the account, read in their language.
    fn with_texts(self, tx: &mut Tx<'_>, account: AccountId, lines: String) -> Result<Self, StoreFault> {
        let language = self.language();
        let (version, rules) = lists::get(tx, account, ListKind::Rules)?;
        let rules = Arc::new(RuleList::new(version, rules, language));
        Ok(Self { synonyms: Arc::new(SynonymLines::new(lines, language)), rules, ..self })
    }

    /// True if a script of a page of this origin may ask.
    #[must_use]
    pub fn allows(&self, origin: &str) -> bool {
        self.origins.iter().any(|allowed| allowed == "*" || allowed.eq_ignore_ascii_case(origin))
    }
}

/// The language of a code.
///
/// # Errors
/// [`AccountFault::SearchLanguage`] when there is none.
pub fn language(code: &str) -> Result<ShopLanguage, AccountFault> {
    ShopLanguage::parse(code).ok_or(AccountFault::SearchLanguage)
}

/// The names of attributes, each once.
///
/// # Errors
/// [`AccountFault::SearchAttributes`] when there are too many, or one is empty, too long or has a line break.
pub fn attributes(names: Vec<String>) -> Result<Vec<String>, AccountFault> {
    let is_wrong = |name: &String| {
        name.is_empty() || name.len() > limits::SEARCH_ATTRIBUTE_BYTES || name.contains(['\n', '\0'])
    };
    let names = once(names);
    if names.len() > limits::SEARCH_ATTRIBUTES || names.iter().any(is_wrong) {
        Err(AccountFault::SearchAttributes)
    } else {
        Ok(names)
    }
}

/// The origins of pages, each once and as browsers write them.
///
/// # Errors
/// [`AccountFault::SearchOrigins`] when there are too many, or one is none.
pub fn origins(origins: Vec<String>) -> Result<Vec<String>, AccountFault> {
    let origins = once(origins).iter().map(|origin| as_browsers_write(origin)).collect::<Option<Vec<_>>>();
    origins
        .filter(|origins| origins.len() <= limits::SEARCH_ORIGINS)
        .map(once)
        .ok_or(AccountFault::SearchOrigins)
}

/// The origins of pictures, each once and as browsers write them: named ones, as a page shows a shop's own pictures.
///
/// # Errors
/// [`AccountFault::SearchPictures`] when there are too many, or one is none.
pub fn pictures(origins_of: Vec<String>) -> Result<Vec<String>, AccountFault> {
    // They stand in a policy for browsers, where other signs would say something else.
    let is_plain = |origin: &String| {
        let host = origin.split_once("://").map_or("", |(_, host)| host);
        !host.is_empty() && host.bytes().all(|sign| sign.is_ascii_alphanumeric() || b".-:[]".contains(&sign))
    };
    let pictures = origins(origins_of).ok().filter(|origins| origins.iter().all(is_plain));
    pictures.ok_or(AccountFault::SearchPictures)
}

/// `https://Shop.example:443/` is `https://shop.example`.
fn as_browsers_write(origin: &str) -> Option<String> {
    if origin == "*" {
        return Some(origin.to_owned());
    }
    let url = url::Url::parse(origin).ok()?;
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let is_web = matches!(url.scheme(), "http" | "https") && url.username().is_empty();
    (is_bare && is_web).then(|| url.origin().ascii_serialization())
}

fn once(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts.dedup();
    texts
}

/// Search settings of an account's shop.
///
/// # Errors
/// When the store fails.
pub fn get(tx: &mut Tx<'_>, account: AccountId) -> Result<SearchSettings, StoreFault> {
    let Some(row) = tx.row(&sql::search_settings_get, args![account.0])? else {
        return SearchSettings::default().with_texts(tx, account, String::new());
    };
    let lines = |column| row.text(column).map(|text| text.lines().map(str::to_owned).collect());
    let settings = SearchSettings {
        language: row.opt_text("language")?.and_then(ShopLanguage::parse),
        attributes: lines("attributes")?,
        origins: lines("origins")?,
        pictures: lines("pictures")?,
        popularity: row.int("popularity")? != 0,
        ..SearchSettings::default()
    };
    settings.with_texts(tx, account, row.text("synonyms")?.to_owned())
}

/// Sets the given fields, and returns the settings that result.
///
/// # Errors
/// When the store fails.
pub fn update(
    tx: &mut Tx<'_>,
    account: AccountId,
    changes: &SearchChanges,
) -> Result<SearchSettings, StoreFault> {
    let before = get(tx, account)?;
    let settings = SearchSettings {
        language: changes.language.unwrap_or(before.language),
        attributes: changes.attributes.clone().unwrap_or(before.attributes),
        origins: changes.origins.clone().unwrap_or(before.origins),
        pictures: changes.pictures.clone().unwrap_or(before.pictures),
        popularity: changes.popularity.unwrap_or(before.popularity),
        ..SearchSettings::default()
    };
    let synonyms = changes.synonyms.as_deref().unwrap_or(before.synonyms.text()).to_owned();
    let settings = settings.with_texts(tx, account, synonyms)?;
    let language = settings.language.map(|language| language.code());
    let attributes = settings.attributes.join("\n");
    let origins = settings.origins.join("\n");
    let pictures = settings.pictures.join("\n");
    let synonyms = settings.synonyms.text();
    let popularity = i64::from(settings.popularity);
    let all = args![account.0, language, &*attributes, &*origins, &*pictures, synonyms, popularity];
    tx.exec(&sql::search_settings_put, all)?;
    Ok(settings)
}
