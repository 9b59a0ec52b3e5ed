//! `GET /api/track`: one event in an address, whose values one plugin does not encode.

use percent_encoding::percent_decode_str;
use serde_json::Value;
use serde_json::value::RawValue;

use super::event::ParsedPluginEvent;
use super::lenient_json::ByName;
use super::request::{PluginCall, ShownKeys};
use crate::api::json_fields::without_nul;
use crate::transport::refusal::Refusal;

/// Names that are about the call, and not about its event.
const OF_CALL: [&str; 5] = ["appid", "evt", "visitorid", "sessionid", "currency"];

impl PluginCall {
    /// Reads the address of a call: `appid`, the name of the event as `evt`, and its data. A secret is not read there:
    /// logs keep addresses.
    ///
    /// # Errors
    /// A refusal when one of these names is given twice with different values.
    pub fn of_address(query: &str) -> Result<Self, Refusal> {
        let pairs = pairs(query);
        let object = |is_part: &dyn Fn(&str) -> bool| {
            let parts = pairs.iter().filter(|(name, _)| is_part(&name.to_ascii_lowercase()));
            let members =
                parts.map(|(name, value)| format!("{}:{}", Value::from(&**name), Value::from(&**value)));
            RawValue::from_string(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
        };
        let all = object(&|_| true).map_err(|_| Refusal::fault())?;
        let fields = ByName::from_object(&all);
        let text = |name: &str| fields.text(name).map_err(Refusal::malformed);
        let access_key = without_nul(text("appid")?, "appid")?;
        let access_key = Some(access_key).filter(|key| !key.is_empty());
        let mut call = Self::new(ShownKeys { access_key, secret: None });
        call.take_ids(&text("visitorid")?, &text("sessionid")?);
        call.take_currency(&text("currency")?);
        let event = text("evt")?;
        let is_data = |name: &str| !OF_CALL.contains(&name) || name.eq_ignore_ascii_case(&event);
        let data = object(&is_data).map_err(|_| Refusal::fault())?;
        call.take_event(|reasons| ParsedPluginEvent::parse_data(&event, Some(&data), reasons));
        Ok(call)
    }
}

/// The names and values of an address, decoded.
fn pairs(query: &str) -> Vec<(String, String)> {
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for piece in query.split('&') {
        match (piece.split_once('='), pairs.last_mut()) {
            (Some((name, value)), _) => pairs.push((name, value.to_owned())),
            // An ampersand within a value that is not encoded.
            (None, Some((_, value))) => value.extend(["&", piece]),
            (None, None) => {}
        }
    }
    // A plus stays one: it stands in addresses of people, which are not encoded either.
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    pairs.into_iter().map(|(name, value)| (decoded(name), decoded(&value))).collect()
}
