//! `lethe doctor`.

use serde_json::json;

use super::account::text;
use super::{CliFault, Context, control, say};
use crate::spelling::printable;

/// Runs it; fails when something has to be done.
///
/// # Errors
/// When something has to be done, or there is neither a server nor a store.
pub async fn run(context: &Context) -> Result<(), CliFault> {
    let findings = control::ask(context, "/control/doctor", &json!({})).await?;
    let list = findings.as_array().map_or(&[][..], Vec::as_slice);
    if context.json {
        say(&findings);
    } else {
        for found in list {
            let mark = match text(found, "Standing") {
                "Good" => "ok  ",
                "Weak" => "weak",
                _ => "ACT ",
            };
            say(printable(&format!("{mark}  {}: {}", text(found, "Check"), text(found, "Sentence"))));
        }
    }
    let open = list.iter().filter(|found| text(found, "Standing") == "Act").count();
    match open {
        0 => Ok(()),
        1 => Err(CliFault::Refused("one thing has to be done".to_owned())),
        more => Err(CliFault::Refused(format!("{more} things have to be done"))),
    }
}
