//! Settings of an account's feeds: their format, and the mapping of the shop's own columns.

use crate::feeds::feed_format::FeedFormat;
use crate::ids::AccountId;
use crate::store::{StoreFault, Tx};
use crate::{args, sql};

/// Feed settings of a shop.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct FeedSettings {
    /// Format of its feeds; `None` to tell it by the content of each.
    pub format: Option<FeedFormat>,
    /// Mapping of the columns of tables and JSON, as its text; `None` to guess it.
    pub mapping: Option<String>,
}

/// Changes of feed settings; `None` leaves a field as it is.
#[derive(Clone, Default)]
pub struct FeedSettingsChanges {
    /// The format; `Some(None)` to tell it by the content again.
    pub format: Option<Option<FeedFormat>>,
    /// The mapping; `Some(None)` to guess it again.
    pub mapping: Option<Option<String>>,
}

/// Feed settings of an account's shop.
///
/// # Errors
/// When the store fails.
pub fn get(tx: &mut Tx<'_>, account: AccountId) -> Result<FeedSettings, StoreFault> {
    let Some(row) = tx.row(&sql::feed_settings_get, args![account.0])? else {
        return Ok(FeedSettings::default());
    };
    let format = row.opt_text("format")?.and_then(FeedFormat::parse);
    Ok(FeedSettings { format, mapping: row.opt_text("mapping")?.map(str::to_owned) })
}

/// Sets the given fields, and returns the settings that result.
///
/// # Errors
/// When the store fails.
pub fn update(
    tx: &mut Tx<'_>,
    account: AccountId,
    changes: &FeedSettingsChanges,
) -> Result<FeedSettings, StoreFault> {
    let before = get(tx, account)?;
    let settings = FeedSettings {
        format: changes.format.unwrap_or(before.format),
        mapping: changes.mapping.clone().unwrap_or(before.mapping),
    };
    let format = settings.format.map(FeedFormat::as_str);
    tx.exec(&sql::feed_settings_put, args![account.0, format, settings.mapping.as_deref()])?;
    Ok(settings)
}
