//! `lethe doctor`.

use serde_json::json;

use super::account::text;
use super::context::CommandContext;
use super::control;
use super::fault::CliFault;
use super::print::print_line;
use crate::addresses::printable;

/// Runs it; fails when something has to be done.
///
/// # Errors
/// When something has to be done, or there is neither a server nor a store.
pub async fn run(context: &CommandContext) -> Result<(), CliFault> {
    let findings = control::call(context, "/control/doctor", &json!({})).await?;
    let list = findings.as_array().map_or(&[][..], Vec::as_slice);
    if context.json {
        print_line(&findings);
    } else {
        for found in list {
            let mark = match text(found, "Standing") {
                "Good" => "ok  ",
                "Weak" => "weak",
                _ => "ACT ",
            };
            print_line(printable(&format!("{mark}  {}: {}", text(found, "Check"), text(found, "Sentence"))));
        }
    }
    let open = list.iter().filter(|found| text(found, "Standing") == "Act").count();
    match open {
        0 => Ok(()),
        1 => Err(CliFault::Refused("one thing has to be done".to_owned())),
        more => Err(CliFault::Refused(format!("{more} things have to be done"))),
    }
}
