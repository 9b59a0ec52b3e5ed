//! Search settings of a shop: the language of its texts, the attributes that always have a facet, the pages whose
//! scripts may search, synonyms, whether popularity counts, and the order of products that are bought together.

use std::sync::Arc;

use super::fault::AccountFault;
use super::list_kind::ListKind;
use super::lists;
use crate::ids::AccountId;
use crate::recommend::bought_together_focus::BoughtTogetherFocus;
use crate::search::rules::RuleList;
use crate::search::synonyms::SynonymLines;
use crate::search::text::{Analyser, ShopLanguage};
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
    /// Order of the products that are bought together.
    pub bought_together: BoughtTogetherFocus,
    /// The option for each of whose values a product appears once in searches that name none; empty: each appears once.
    pub group_by: String,
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
            bought_together: BoughtTogetherFocus::default(),
            group_by: String::new(),
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
    /// Order of the products that are bought together.
    pub bought_together: Option<BoughtTogetherFocus>,
    /// The option that groups, which was checked; empty takes it away.
    pub group_by: Option<String>,
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
        let synonyms = SynonymLines::new(lines, language);
        let rules = RuleList::new(version, rules, language).with_words_apart(synonyms.words_apart());
        Ok(Self { synonyms: Arc::new(synonyms), rules: Arc::new(rules), ..self })
    }

    /// Analyser of the shop's texts.
    #[must_use]
    pub fn analyser(&self) -> Analyser {
        Analyser::with_words_apart(self.language(), self.synonyms.words_apart())
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

/// The focus of a name.
///
/// # Errors
/// [`AccountFault::BoughtTogether`] when there is none.
pub fn bought_together(name: &str) -> Result<BoughtTogetherFocus, AccountFault> {
    BoughtTogetherFocus::from_name(name).ok_or(AccountFault::BoughtTogether)
}

/// The names of attributes, each once.
///
/// # Errors
/// [`AccountFault::SearchAttributes`] when there are too many, or one is empty, too long or has a line break.
pub fn attributes(names: Vec<String>) -> Result<Vec<String>, AccountFault> {
    let names = once(names);
    if names.len() > limits::SEARCH_ATTRIBUTES || !names.iter().all(|name| is_attribute(name)) {
        Err(AccountFault::SearchAttributes)
    } else {
        Ok(names)
    }
}

/// The option that groups, or empty.
///
/// # Errors
/// [`AccountFault::SearchAttributes`] when no attribute can be named so.
pub fn group_by(name: String) -> Result<String, AccountFault> {
    if name.is_empty() || is_attribute(&name) { Ok(name) } else { Err(AccountFault::SearchAttributes) }
}

fn is_attribute(name: &str) -> bool {
    !name.is_empty() && name.len() <= limits::SEARCH_ATTRIBUTE_BYTES && !name.contains(['\n', '\0'])
}

/// The origins of pages, each once and as browsers write them.
///
/// # Errors
/// [`AccountFault::SearchOrigins`] when there are too many, or one is none.
pub fn origins(origins: Vec<String>) -> Result<Vec<String>, AccountFault> {
    let origins = origins.iter().map(|origin| as_browsers_write(origin)).collect::<Option<Vec<_>>>();
    origins
        .map(once)
        .filter(|origins| origins.len() <= limits::SEARCH_ORIGINS)
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
    let names_nobody = url.username().is_empty() && url.password().is_none();
    let is_web = matches!(url.scheme(), "http" | "https");
    (is_bare && names_nobody && is_web).then(|| url.origin().ascii_serialization())
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
        bought_together: BoughtTogetherFocus::from_name(row.text("bought_together")?).unwrap_or_default(),
        group_by: row.text("group_by")?.to_owned(),
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
        bought_together: changes.bought_together.unwrap_or(before.bought_together),
        group_by: changes.group_by.clone().unwrap_or(before.group_by),
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
    let together = settings.bought_together.name();
    let texts = [&*attributes, &*origins, &*pictures, synonyms, together, &*settings.group_by];
    let [attributes, origins, pictures, synonyms, together, group_by] = texts;
    let all =
        args![account.0, language, attributes, origins, pictures, synonyms, popularity, together, group_by];
    tx.exec(&sql::search_settings_put, all)?;
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn numbered(count: usize, around: [&str; 2]) -> Vec<String> {
        (0..count).map(|n| format!("{}{n}{}", around[0], around[1])).collect()
    }

    #[test]
    fn attributes_are_so_many_names_of_so_many_bytes() {
        let read = |names: Vec<String>| attributes(names).ok().map(|names| names.len());
        assert_eq!(attributes(owned(&["b", "a", "b"])).ok(), Some(owned(&["a", "b"])));
        let most = limits::SEARCH_ATTRIBUTES;
        let mut names = numbered(most, ["", ""]);
        assert_eq!(read(names.clone()), Some(most));
        names.push("0".to_owned());
        assert_eq!(read(names.clone()), Some(most), "one twice");
        names.push("another".to_owned());
        assert_eq!(read(names), None);
        let longest = limits::SEARCH_ATTRIBUTE_BYTES;
        assert_eq!(read(vec!["x".repeat(longest)]), Some(1));
        for wrong in ["", "a\nb", "a\0b", &"x".repeat(longest + 1)] {
            assert_eq!(read(owned(&["a", wrong])), None, "{wrong:?}");
        }
    }

    #[test]
    fn origins_are_written_as_browsers_write_them() {
        let origin = |text: &str| origins(owned(&[text])).ok().and_then(|mut origins| origins.pop());
        for (text, written) in [
            ("https://Shop.example:443/", Some("https://shop.example")),
            ("http://shop.example:8080", Some("http://shop.example:8080")),
            ("*", Some("*")),
            ("https://shop.example/a", None),
            ("https://shop.example/?a", None),
            ("https://shop.example/#a", None),
            ("https://ada@shop.example", None),
            ("https://:word@shop.example", None),
            ("ftp://shop.example", None),
            ("shop.example", None),
            ("", None),
        ] {
            assert_eq!(origin(text).as_deref(), written, "{text}");
        }
        assert_eq!(
            origins(owned(&["https://b.test", "*", "https://a.test"])).ok().map(|all| all.len()),
            Some(3)
        );
        let twice = origins(owned(&["https://shop.example", "https://SHOP.example:443"])).ok();
        assert_eq!(twice, Some(owned(&["https://shop.example"])));
        let many = |count| origins(numbered(count, ["https://s", ".example"])).ok().map(|all| all.len());
        let most = limits::SEARCH_ORIGINS;
        assert_eq!([many(most), many(most + 1)], [Some(most), None]);
    }

    #[test]
    fn origins_of_pictures_are_named_in_plain_signs() {
        let plain = ["http://[2001:db8::1]", "https://a-b.example", "https://cdn.shop.example:8443"];
        assert_eq!(pictures(owned(&plain)).ok(), Some(owned(&plain)));
        for wrong in ["*", "https://a_b.example", "https://shop.example/a.png"] {
            assert!(pictures(owned(&["https://cdn.shop.example", wrong])).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_page_may_ask_whose_origin_is_allowed_in_any_case() {
        let allows = |origins: &[&str], origin: &str| {
            SearchSettings { origins: owned(origins), ..SearchSettings::default() }.allows(origin)
        };
        let two = ["https://a.test", "https://shop.example"];
        assert!(allows(&two, "https://a.test") && allows(&two, "https://SHOP.example"));
        assert!(!allows(&two, "https://b.test") && !allows(&two, "*") && !allows(&[], "https://a.test"));
        assert!(allows(&["https://a.test", "*"], "https://b.test"));
    }
}
