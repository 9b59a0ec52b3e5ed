//! `lethe demo`: a whole shop in a temporary folder, from the first feed to a forgotten person. It checks itself:
//! a step that does not show what it should ends the tour with a failure.

mod narrator;
mod shop_server;
mod tour;

use std::net::Ipv4Addr;
use std::path::Path;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use self::narrator::Narrator;
use self::shop_server::ShopServer;
use self::tour::Tour;
use super::account::text;
use super::api::{Api, Network};
use super::context::CommandContext;
use super::control;
use super::fault::CliFault;
use super::folder::TemporaryFolder;
use super::print::print_line;
use super::serve::{Server, on_signal};
use crate::config::Config;
use crate::node::Node;
use crate::sample::SampleShop;
use crate::telemetry;

/// Extent of the tour.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  lethe demo          # the tour, then it keeps serving until Ctrl-C\n  lethe demo --once   # the tour only"
)]
pub struct Options {
    /// Exit after the tour instead of serving on
    #[arg(long)]
    once: bool,
}

/// Operator of the tour's console.
const OPERATOR: &str = "demo";

/// The shop of the tour.
fn shop() -> SampleShop {
    SampleShop { products: 2_000, people: 300, errors: true, ..SampleShop::default() }
}

/// Starts server and shop, walks the tour, then serves on or ends. The folder is removed in any case.
///
/// # Errors
/// When server or shop cannot be started, a step does not show what it should, or the tour is interrupted.
pub async fn run(context: &CommandContext, options: &Options) -> Result<(), CliFault> {
    let told = CancellationToken::new();
    on_signal(told.clone())?;
    let folder = TemporaryFolder::create("demo")?;
    let metrics_token = uuid::Uuid::new_v4().to_string();
    let config = config(folder.path(), &metrics_token);
    telemetry::metrics();
    let server = Server::start(Node::open(config.clone()).await?, &config).await?;
    let shop = ShopServer::start(&shop()).await?;
    let ended = tokio::select! {
        ended = run_demo(context, options, &server, &shop, &metrics_token) => ended,
        () = told.cancelled() => Err(CliFault::Failed("the tour was interrupted".to_owned())),
    };
    if ended.is_ok() && !options.once {
        server.run(&told).await;
    } else {
        server.stop().await;
    }
    shop.stop().await;
    ended
}

/// Settings of the demo and of nothing else: no file, no variable.
fn config(folder: &Path, metrics_token: &str) -> Config {
    Config {
        feed_allow: vec![ipnet::IpNet::from(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST))],
        metrics_token: Some(metrics_token.to_owned()),
        try_page: true,
        ..Config::local(folder.join("data"), folder.join("keys"))
    }
}

async fn run_demo(
    context: &CommandContext,
    options: &Options,
    server: &Server,
    shop: &ShopServer,
    metrics_token: &str,
) -> Result<(), CliFault> {
    let url = format!("http://{}", server.address);
    let body = json!({"Name": "demo-shop", "Currency": "GBP"}).to_string();
    let account =
        control::in_process(&server.node, "/control/account/create", body).await?.error_for_status()?.answer;
    // Pages of this machine may ask, wherever they are tried.
    let origins = json!({"Name": "demo-shop", "Origins": ["*"]}).to_string();
    control::in_process(&server.node, "/control/account/search", origins).await?.error_for_status()?;
    let operator = json!({"Name": OPERATOR}).to_string();
    let operator = control::in_process(&server.node, "/control/operator/add", operator)
        .await?
        .error_for_status()?
        .answer;
    let access_key = text(&account, "AccessKey");
    let secret_key = text(&account, "SecretKey");
    let mut narrator = Narrator::new(context.json, &url, access_key, secret_key);
    narrator.heading("An account");
    narrator.narrate("`lethe account create demo-shop` makes one and shows its keys once.");
    narrator.evidence("AccessKey", access_key);
    let network = Network::new(&url, access_key.to_owned(), secret_key.to_owned())?;
    let tour = Tour { api: Api::Network(network), url: &url, metrics_token, shop, narrator };
    let narrator = tour.walk().await?;
    if context.json {
        print_line(
            json!({"Url": url, "AccessKey": access_key, "SecretKey": secret_key, "TryPage": format!("{url}/try/{access_key}"),
            "Console": operator["Link"], "Steps": narrator.into_steps()}),
        );
    } else if options.once {
        print_line("\nEvery step showed what it should.");
    } else {
        print_line(
            "\nEvery step showed what it should. The server goes on until Ctrl-C. Try the shop's search in a browser:",
        );
        print_line(format!("  {url}/try/{access_key}"));
        print_line(format!("For the shop, there, takes the secret key {secret_key} and says why."));
        print_line("The console is here: choose a password, and sign in as demo.");
        print_line(format!("  {}", text(&operator, "Link")));
        print_line("In another terminal:");
        print_line(format!(
            "  export LETHE_URL={url} LETHE_ACCESS_KEY={access_key} LETHE_SECRET_KEY={secret_key}"
        ));
        print_line("  lethe catalogue --limit 5");
    }
    Ok(())
}
