//! `lethe health`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use serde_json::json;

use super::api::{client, server_url, unreachable, variable};
use super::context::CommandContext;
use super::fault::CliFault;
use super::print::print_line;

/// Asks `/health` of the server that LETHE_URL names, or of the address that `lethe serve` listens on with the same
/// settings; for container checks.
///
/// # Errors
/// When the settings or `LETHE_URL` cannot be used, no server answers, or its answer is not a success.
pub async fn run(context: &CommandContext) -> Result<(), CliFault> {
    let named = if context.flags.settings.listen.is_some() { None } else { variable("LETHE_URL")? };
    let url = named.map_or_else(|| local_address(context), |named| server_url(&named))?;
    let answer =
        client()?.get(format!("{url}/health")).send().await.map_err(|error| unreachable(&url, &error))?;
    if !answer.status().is_success() {
        let status = answer.status().as_u16();
        let sentence = format!("{url} answers with status {status}");
        // Codes of refused keys and of unknown things say nothing of a server's health.
        return Err(if status >= 500 {
            CliFault::Answered { status, sentence }
        } else {
            CliFault::Failed(sentence)
        });
    }
    if context.json {
        print_line(json!({"Healthy": true, "Url": url}))
    } else {
        print_line(format!("{url} is healthy"))
    }
    Ok(())
}

/// Address at which a server with these settings listens.
fn local_address(context: &CommandContext) -> Result<String, CliFault> {
    let listen = context.flags.load()?.listen;
    let address = match listen.ip() {
        ip if ip.is_unspecified() => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), listen.port()),
        _ => listen,
    };
    Ok(format!("http://{address}"))
}
