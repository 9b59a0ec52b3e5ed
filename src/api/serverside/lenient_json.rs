//! The members of an object by their names, as plugins spell them: in any case, and numbers as texts.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::value::RawValue;

use crate::limits;
use crate::search::document::{members, scalar};

/// The members of an object by their names in small letters.
#[derive(Default)]
pub struct ByName<'a>(HashMap<String, MemberValue<'a>>);

/// Value of a name.
enum MemberValue<'a> {
    Value(&'a RawValue),
    /// It is there in several spellings, with different values.
    Ambiguous,
}

impl<'a> ByName<'a> {
    /// The members of an object; none of anything else, such as the empty list that PHP writes for an empty object.
    pub fn from_object(object: &'a RawValue) -> Self {
        let mut found = HashMap::new();
        for (name, value) in members(object) {
            match found.entry(name.to_ascii_lowercase()) {
                Entry::Vacant(free) => drop(free.insert(MemberValue::Value(value))),
                Entry::Occupied(mut taken) => {
                    // `7` and `"7"` are the same.
                    let is_same = |known: &RawValue| strip_quotes(known) == strip_quotes(value);
                    let is_repeated = matches!(taken.get(), MemberValue::Value(known) if is_same(known));
                    if !is_repeated {
                        taken.insert(MemberValue::Ambiguous);
                    }
                }
            }
        }
        Self(found)
    }

    /// Returns true if there is a member of this name, which is in small letters.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A value by its name in small letters.
    ///
    /// # Errors
    /// When it is given twice, with different values.
    pub fn find(&self, name: &str) -> Result<Option<&'a RawValue>, String> {
        match self.0.get(name) {
            None => Ok(None),
            Some(MemberValue::Value(value)) => Ok(Some(value)),
            Some(MemberValue::Ambiguous) => {
                Err(format!("{} is given twice, with different values", base_name(name)))
            }
        }
    }

    /// The text or number of a name, without white space around it; empty where there is none.
    ///
    /// # Errors
    /// As [`ByName::find`].
    pub fn text(&self, name: &str) -> Result<String, String> {
        Ok(self.find(name)?.map(text_of).unwrap_or_default())
    }

    /// The id of a name, if there is one.
    ///
    /// # Errors
    /// As [`ByName::find`]; also when it is too long or has a control character.
    pub fn opt_id(&self, name: &str) -> Result<Option<String>, String> {
        let id = self.text(name)?;
        let most = limits::ITEM_ID_BYTES;
        if id.len() > most {
            Err(format!("{} is longer than {most} bytes", base_name(name)))
        } else if id.chars().any(char::is_control) {
            Err(format!("{} holds a control character", base_name(name)))
        } else {
            Ok(Some(id).filter(|id| !id.is_empty()))
        }
    }

    /// The id of a name, which has to be there.
    ///
    /// # Errors
    /// As [`ByName::opt_id`]; also when it is missing.
    pub fn id(&self, name: &str) -> Result<String, String> {
        self.opt_id(name)?.ok_or_else(|| format!("{} is missing", base_name(name)))
    }
}

/// The text or number that a value is, without white space around it; empty for anything else.
pub fn text_of(value: &RawValue) -> String {
    scalar(value).trim().to_owned()
}

/// A name without the numbers of its line and its child, so that equal reasons are one: `sku` of `children1_0_sku`.
fn base_name(name: &str) -> &str {
    // The underscore of `page_type` is a part of the name.
    let last_part = name.rsplit('_').next().filter(|_| name.starts_with("children"));
    last_part.unwrap_or(name).trim_end_matches(|letter: char| letter.is_ascii_digit())
}

fn strip_quotes(value: &RawValue) -> &str {
    value.get().trim_matches('"')
}
