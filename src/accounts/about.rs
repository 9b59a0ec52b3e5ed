//! Details of a shop for its people: the name that they know it by, a contact address, its language. They are read
//! when needed, so every node knows a change at once.

use std::collections::BTreeMap;

use super::fault::AccountFault;
use crate::i18n::UiLanguage;
use crate::ids::AccountId;
use crate::keys::{KeyFault, Keys, SlotNumber};
use crate::store::{Row, StoreFault, Tx};
use crate::{addresses, args, limits, sql};

/// Profile of a shop, as it describes itself.
#[derive(Clone, Default)]
pub struct ShopProfile {
    /// The name that people know it by.
    pub display_name: Option<String>,
    /// The language of its letters and pages.
    pub language: UiLanguage,
    /// Contact address, sealed: it may be a shopper's as well.
    contact: Option<SealedContact>,
}

/// A contact under a key of its own.
#[derive(Clone)]
pub struct SealedContact {
    /// The place of the key.
    pub slot: SlotNumber,
    /// Sealed bytes.
    pub bytes: Vec<u8>,
}

/// Change of one field of the profile.
#[derive(Clone)]
pub enum FieldChange<T> {
    /// It stays as it is.
    Keep,
    /// It goes.
    Clear,
    /// It becomes this.
    Set(T),
}

/// Changes of the profile.
pub struct Changes {
    /// The name.
    pub display_name: FieldChange<DisplayName>,
    /// The language.
    pub language: FieldChange<UiLanguage>,
    /// The contact.
    pub contact: FieldChange<SealedContact>,
}

/// A name that can stand in a heading.
#[derive(Clone)]
pub struct DisplayName(String);

/// Contact address: one line, such as an email address, a URL or a postal address.
pub struct Contact(String);

impl DisplayName {
    /// Reads one.
    ///
    /// # Errors
    /// When it is empty, too long, not a single line of visible letters, or holds an email address.
    pub fn parse(text: &str) -> Result<Self, AccountFault> {
        let text = one_line("DisplayName", text, limits::DISPLAY_NAME_BYTES)?;
        // It stands readable in the store; an address could belong to a person who is to be forgotten.
        if addresses::holds_address(text) {
            Err(AccountFault::DisplayNameAddress)
        } else {
            Ok(Self(text.to_owned()))
        }
    }
}

impl Contact {
    /// Reads one.
    ///
    /// # Errors
    /// When it is empty, too long, or not a single line of visible letters.
    pub fn parse(text: &str) -> Result<Self, AccountFault> {
        Ok(Self(one_line("Contact", text, limits::CONTACT_BYTES)?.to_owned()))
    }

    /// Seals it for an account.
    ///
    /// # Errors
    /// When the key cannot be used.
    pub fn seal(&self, keys: &Keys, account: AccountId, slot: SlotNumber) -> Result<SealedContact, KeyFault> {
        let bytes = keys.sealer(slot)?.seal(&contact_aad(account), self.0.as_bytes())?;
        Ok(SealedContact { slot, bytes })
    }
}

fn contact_aad(account: AccountId) -> Vec<u8> {
    [b"lethe/account-contact/v1/".as_slice(), &account.0.to_le_bytes()].concat()
}

/// The text without blanks around it, if all its letters are visible and stay in their places.
fn one_line<'a>(field: &'static str, text: &'a str, limit_bytes: usize) -> Result<&'a str, AccountFault> {
    // Signs that join letters (of emoji, of Hindi) count as part of those letters, and as nothing alone.
    let text =
        text.trim_matches(|sign: char| sign.is_whitespace() || matches!(sign, '\u{200c}' | '\u{200d}'));
    if text.is_empty() || text.len() > limit_bytes {
        return Err(AccountFault::TextLength { field, limit_bytes });
    }
    // Signs without width; marks that set, turn or isolate the direction; line and paragraph separators.
    let is_hidden = |sign: char| {
        sign.is_control()
            || matches!(
                sign,
                '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            )
            || matches!(sign, '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    if text.contains(is_hidden) { Err(AccountFault::TextSigns { field }) } else { Ok(text) }
}

impl ShopProfile {
    /// Contact address; `None` when its key is lost, as with a lost key folder.
    ///
    /// # Errors
    /// When the key cannot be read.
    pub fn contact(&self, keys: &Keys, account: AccountId) -> Result<Option<String>, KeyFault> {
        let Some(SealedContact { slot, bytes }) = &self.contact else { return Ok(None) };
        let opened = keys.sealer(*slot).and_then(|sealer| sealer.open(&contact_aad(account), bytes));
        match opened {
            Ok(text) => Ok(Some(String::from_utf8_lossy(&text).into_owned())),
            Err(fault) if fault.is_lost() => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    fn from_row(row: &Row) -> Result<Self, StoreFault> {
        let slot = row.opt_int("contact_slot")?.and_then(SlotNumber::from_row);
        let bytes = row.opt_blob("contact")?.map(<[u8]>::to_vec);
        Ok(Self {
            display_name: row.opt_text("display_name")?.map(str::to_owned),
            language: row.opt_text("language")?.and_then(UiLanguage::from_code).unwrap_or_default(),
            contact: slot.zip(bytes).map(|(slot, bytes)| SealedContact { slot, bytes }),
        })
    }
}

/// Profile of an account's shop.
///
/// # Errors
/// When the store fails.
pub fn get(tx: &mut Tx<'_>, account: AccountId) -> Result<ShopProfile, StoreFault> {
    let row = tx.row(&sql::account_about_get, args![account.0])?;
    row.map_or_else(|| Ok(ShopProfile::default()), |row| ShopProfile::from_row(&row))
}

/// Profiles of all shops that have one, by account number.
///
/// # Errors
/// When the store fails.
pub fn list(tx: &mut Tx<'_>) -> Result<BTreeMap<i64, ShopProfile>, StoreFault> {
    let rows = tx.run(&sql::account_about_list, args![])?;
    rows.iter().map(|row| Ok((row.int("account_id")?, ShopProfile::from_row(row)?))).collect()
}

/// Changes the profile; returns the new profile, and the slot of a contact that is no more: destroy its key after the
/// commit.
///
/// # Errors
/// When the store fails.
pub fn update(
    tx: &mut Tx<'_>,
    account: AccountId,
    changes: &Changes,
) -> Result<(ShopProfile, Option<SlotNumber>), StoreFault> {
    let Changes { display_name, language, contact } = changes;
    let mut about = get(tx, account)?;
    match display_name {
        FieldChange::Keep => {}
        FieldChange::Clear => about.display_name = None,
        FieldChange::Set(DisplayName(name)) => about.display_name = Some(name.clone()),
    }
    match language {
        FieldChange::Keep => {}
        FieldChange::Clear => about.language = UiLanguage::default(),
        FieldChange::Set(language) => about.language = *language,
    }
    let before = about.contact.as_ref().map(|sealed| sealed.slot);
    let ended = match contact {
        FieldChange::Keep => None,
        FieldChange::Clear => {
            about.contact = None;
            before
        }
        FieldChange::Set(contact) => {
            about.contact = Some(contact.clone());
            before
        }
    };
    let slot = about.contact.as_ref().map(|sealed| sealed.slot.row());
    let bytes = about.contact.as_ref().map(|sealed| sealed.bytes.as_slice());
    let args = args![account.0, about.display_name.as_deref(), about.language.code(), bytes, slot];
    tx.exec(&sql::account_about_put, args)?;
    Ok((about, ended))
}

/// Removes contacts whose key is lost, as after a restore: they cannot be read, and their slots hold other keys by
/// now. Returns how many there were.
///
/// # Errors
/// When the store fails or a key cannot be read; a lost key is not an error.
pub fn clear_lost<E: From<StoreFault> + From<KeyFault>>(tx: &mut Tx<'_>, keys: &Keys) -> Result<u64, E> {
    let mut cleared = 0;
    for (account, about) in list(tx)? {
        let account = AccountId(account);
        if about.contact.is_some() && about.contact(keys, account)?.is_none() {
            let display_name = FieldChange::Keep;
            let language = FieldChange::Keep;
            update(tx, account, &Changes { display_name, language, contact: FieldChange::Clear })?;
            cleared += 1;
        }
    }
    Ok(cleared)
}

static_assertions::assert_not_impl_any!(ShopProfile: std::fmt::Debug, std::fmt::Display, serde::Serialize);
static_assertions::assert_not_impl_any!(Contact: std::fmt::Debug, std::fmt::Display, serde::Serialize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_bound_to_its_account() {
        let account = 258_i64.to_le_bytes();
        let bound = [b"lethe/account-contact/v1/".as_slice(), &account].concat();
        assert_eq!(contact_aad(AccountId(258)), bound);
    }

    fn display_name(text: &str) -> Result<String, String> {
        DisplayName::parse(text).map(|name| name.0).map_err(|fault| fault.to_string())
    }

    #[test]
    fn a_display_name_is_one_line_up_to_its_length() {
        let longest = "x".repeat(limits::DISPLAY_NAME_BYTES);
        assert_eq!(display_name(&format!("\u{200d} {longest}\u{a0}\n")), Ok(longest.clone()));
        let length = "DisplayName has 1 to 200 bytes; an empty text takes it away".to_owned();
        for wrong in ["", " \t", "\u{200c} \u{200d}", &(longest + "x")] {
            assert_eq!(display_name(wrong), Err(length.clone()), "{wrong:?}");
        }
        let address = "DisplayName holds no email address; Contact is the place for one".to_owned();
        assert_eq!(display_name("Ada <ada@shop.test>"), Err(address));
        let contact =
            |text: &str| Contact::parse(text).map(|contact| contact.0).map_err(|fault| fault.to_string());
        assert_eq!(contact(" Ada <ada@shop.test> "), Ok("Ada <ada@shop.test>".to_owned()));
        let length = "Contact has 1 to 400 bytes; an empty text takes it away".to_owned();
        assert_eq!(contact(&"x".repeat(limits::CONTACT_BYTES + 1)), Err(length));
    }

    #[test]
    fn a_display_name_has_no_sign_that_hides_or_turns_its_letters() {
        let refused = AccountFault::TextSigns { field: "DisplayName" }.to_string();
        for hidden in [
            '\t', '\n', '\u{0}', '\u{85}', '\u{ad}', '\u{61c}', '\u{200b}', '\u{200e}', '\u{200f}',
            '\u{2028}', '\u{202e}', '\u{2060}', '\u{2069}', '\u{feff}',
        ] {
            assert_eq!(display_name(&format!("a{hidden}b")), Err(refused.clone()), "{hidden:?}");
        }
        for seen in ['\u{200c}', '\u{200d}', '\u{2027}', '\u{202f}', '\u{205f}', '\u{206a}', 'é', '–'] {
            let name = format!("a{seen}b");
            assert_eq!(display_name(&name), Ok(name.clone()), "{seen:?}");
        }
    }
}
