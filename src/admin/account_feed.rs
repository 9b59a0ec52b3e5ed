//! `/control/account/feed`, for the operator: how a shop's feeds are read.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;

use crate::accounts;
use crate::accounts::feeds::{self, FeedSettings, FeedSettingsChanges};
use crate::api::account_change::{change, load_owner};
use crate::api::body::read_json;
use crate::api::feed_format;
use crate::api::json_fields::JsonFields;
use crate::feeds::feed_format::FeedFormat;
use crate::formats::mapping::shop_mapping::ShopMapping;
use crate::limits;
use crate::node::Node;
use crate::transport::refusal::Refusal;

/// A mapping, in which each sign may be escaped, and the other fields.
const BODY_BYTES: usize = 2 * limits::FEED_MAPPING_BYTES + limits::REQUEST_BODY_BYTES;

/// Feed settings of a shop.
#[derive(serde::Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct ShopFeedSettings {
    name: String,
    /// Format of its feeds; null: the content tells.
    format: Option<&'static str>,
    /// Mapping of its columns, as it was set; null: it is guessed.
    mapping: Option<serde_json::Value>,
}

impl ShopFeedSettings {
    fn new(name: String, settings: &FeedSettings) -> Self {
        let mapping = settings.mapping.as_deref().and_then(|text| serde_json::from_str(text).ok());
        Self { name, format: settings.format.map(FeedFormat::as_str), mapping }
    }
}

/// Sets how a shop's feeds are read; omitted fields stay, empty ones go.
///
/// # Errors
/// A refusal when the request is malformed, the mapping has a fault, no account has the name, or the store fails.
pub async fn set(
    State(node): State<Arc<Node>>,
    request: Request<Body>,
) -> Result<Json<ShopFeedSettings>, Refusal> {
    let body = read_json(request, BODY_BYTES).await?;
    let fields = JsonFields::parse(&body)?;
    let name = fields.text(&["Name"])?;
    let format = fields.opt_text(&["Format"])?.is_some().then(|| feed_format::parse(&fields)).transpose()?;
    let mapping = fields.opt_text(&["Mapping"])?.map(|text| Some(text).filter(|text| !text.is_empty()));
    if let Some(Some(text)) = &mapping {
        ShopMapping::parse(text).map_err(|fault| Refusal::malformed(format!("Mapping: {fault}")))?;
    }
    let owner = load_owner(&node, &name).await?;
    let changes = FeedSettingsChanges { format, mapping };
    let setting = change(&node, owner, move |tx| {
        let account = accounts::by_name(tx, &name)?;
        let settings = feeds::update(tx, account.id, &changes)?;
        Ok((account, settings))
    });
    let (account, settings) = setting.await?;
    tracing::info!(account = account.id.0, "the feeds of an account were set");
    Ok(Json(ShopFeedSettings::new(account.name, &settings)))
}
