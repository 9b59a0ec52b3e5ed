//! `lethe demo`: a whole shop in a temporary folder, from the first feed to a forgotten person. It checks itself:
//! a step that does not show what it should ends the tour with a failure.

mod narrator;
mod shop_server;
mod tour;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use self::narrator::{Narrator, TourVerbosity};
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
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Exit after the tour instead of serving on
    #[arg(long)]
    once: bool,
    /// Show each call as a line of curl, and each answer
    #[arg(long)]
    verbose: bool,
}

const EXAMPLES: &str = "\
It listens on 127.0.0.1:8080, its console on 8081, and on free ports where these are taken; --listen and
--console-listen name others. It takes no other setting, reads no file, and leaves nothing behind.

Examples:
  lethe demo                            # the tour, then it keeps serving until Ctrl-C
  lethe demo --once                     # the tour only
  lethe demo --verbose                  # with each call
  lethe demo --listen 127.0.0.1:9090";

/// Operator of the tour's console.
const OPERATOR: &str = "demo";

/// Ports of the server and of the console, where they are free.
const PORT: u16 = 8080;
const CONSOLE_PORT: u16 = 8081;

/// The shop of the tour, with pictures from its server.
fn demo_shop(pictures: String) -> SampleShop {
    SampleShop { products: 2_000, people: 300, pictures, ..SampleShop::default() }
}

/// Starts server and shop, walks the tour, then serves on or ends. The folder is removed in any case.
///
/// # Errors
/// When an address that is given is none, server or shop cannot be started, a step does not show what it
/// should, or the tour is interrupted.
pub async fn run(context: &CommandContext, options: &Options) -> Result<(), CliFault> {
    let told = CancellationToken::new();
    on_signal(told.clone())?;
    TemporaryFolder::remove_abandoned("demo");
    let folder = TemporaryFolder::create("demo")?;
    let metrics_token = uuid::Uuid::new_v4().to_string();
    let config = demo_config(context, folder.path(), &metrics_token)?;
    telemetry::metrics();
    let server = Server::start(Node::open(config.clone()).await?, &config).await?;
    let shop = ShopServer::start(&demo_shop(format!("http://{}", server.address))).await?;
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

/// Settings of the demo: two flags, no file, no variable.
fn demo_config(context: &CommandContext, folder: &Path, metrics_token: &str) -> Result<Config, CliFault> {
    let flags = &context.flags.settings;
    let mut config = Config {
        listen: choose_address("listen", flags.listen.as_deref(), PORT)?,
        feed_allow: vec![ipnet::IpNet::from(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST))],
        metrics_token: Some(metrics_token.to_owned()),
        try_page: true,
        ..Config::local(folder.join("data"), folder.join("keys"))
    };
    config.console.address =
        Some(choose_address("console-listen", flags.console_listen.as_deref(), CONSOLE_PORT)?);
    config.console.is_set = flags.console_listen.is_some();
    Ok(config)
}

/// The given address; without one this machine's, at the port or, if that is taken, at a free one.
fn choose_address(flag: &str, given: Option<&str>, port: u16) -> Result<SocketAddr, CliFault> {
    if let Some(given) = given {
        let wanted = "an address and port such as 127.0.0.1:8080 is expected";
        return given.parse().map_err(|_| CliFault::Usage(format!("--{flag}: {wanted}")));
    }
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let is_free = TcpListener::bind(address).is_ok();
    Ok(if is_free { address } else { SocketAddr::from((Ipv4Addr::LOCALHOST, 0)) })
}

/// Addresses and keys of the tour.
struct DemoLinks {
    url: String,
    access_key: String,
    secret_key: String,
    console: String,
}

impl DemoLinks {
    fn try_page(&self) -> String {
        format!("{}/try/{}", self.url, self.access_key)
    }

    fn print(&self) {
        print_line(format!("Search the shop:    {}", self.try_page()));
        print_line(format!("Open its console:   {}", self.console));
        print_line(format!("                    choose a password there, and sign in as {OPERATOR}"));
    }

    fn print_keys(&self) {
        let Self { url, access_key, secret_key, .. } = self;
        print_line(
            "To see on the search page why each product is found, open \"For the shop\" there, and paste this",
        );
        print_line(format!("secret key: {secret_key}"));
        print_line("In another terminal:");
        print_line(format!(
            "  export LETHE_URL={url} LETHE_ACCESS_KEY={access_key} LETHE_SECRET_KEY={secret_key}"
        ));
        print_line("  lethe catalogue --limit 5");
    }

    fn to_json(&self, steps: Vec<Value>) -> Value {
        json!({
            "Url": self.url,
            "AccessKey": self.access_key,
            "SecretKey": self.secret_key,
            "TryPage": self.try_page(),
            "Console": self.console,
            "Steps": steps,
        })
    }
}

async fn run_demo(
    context: &CommandContext,
    options: &Options,
    server: &Server,
    shop: &ShopServer,
    metrics_token: &str,
) -> Result<(), CliFault> {
    let links = make_shop(server).await?;
    let verbosity = match (context.json, options.verbose) {
        (true, _) => TourVerbosity::Nothing,
        (false, true) => TourVerbosity::Calls,
        (false, false) => TourVerbosity::Steps,
    };
    if !context.json && !options.once {
        links.print();
    }
    let network = Network::new(&links.url, links.access_key.clone(), links.secret_key.clone())?;
    let narrator = Narrator::new(verbosity, &links.url);
    let tour = Tour { api: Api::Network(network), url: &links.url, metrics_token, shop, narrator };
    let steps = tour.walk().await?.into_steps();
    if context.json {
        print_line(links.to_json(steps));
    } else if options.once {
        print_line("\nEvery step showed what it should.");
    } else {
        print_line("\nEvery step showed what it should. The server goes on until Ctrl-C.\n");
        links.print_keys();
        print_line("");
        links.print();
    }
    Ok(())
}

/// Makes the account of the tour and the operator of its console.
async fn make_shop(server: &Server) -> Result<DemoLinks, CliFault> {
    let url = format!("http://{}", server.address);
    let call = async |path, body: Value| {
        let answer = control::in_process(&server.node, path, body.to_string()).await?;
        Ok::<_, CliFault>(answer.error_for_status()?.answer)
    };
    let account = json!({"Name": "demo-shop", "Currency": "GBP"});
    let account = call("/control/account/create", account).await?;
    call("/control/account/set", json!({"Name": "demo-shop", "DisplayName": "The Demo Shop"})).await?;
    // Pages of this machine may ask, wherever they are tried; the server itself draws the pictures.
    let search = json!({"Name": "demo-shop", "Origins": ["*"], "Pictures": [url]});
    call("/control/account/search", search).await?;
    let operator = call("/control/operator/add", json!({"Name": OPERATOR})).await?;
    Ok(DemoLinks {
        access_key: text(&account, "AccessKey").to_owned(),
        secret_key: text(&account, "SecretKey").to_owned(),
        console: text(&operator, "Link").to_owned(),
        url,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_that_is_taken_is_replaced_by_a_free_one() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = taken.local_addr().expect("an address").port();
        assert_eq!(choose_address("listen", None, port).expect("an address").port(), 0);
        drop(taken);
        assert_eq!(choose_address("listen", None, port).expect("an address").port(), port);
        let given = choose_address("listen", Some("127.0.0.1:7"), port).expect("an address");
        assert_eq!(given, SocketAddr::from((Ipv4Addr::LOCALHOST, 7)));
        let fault = choose_address("console-listen", Some("8081"), port).expect_err("no address").to_string();
        assert_eq!(fault, "--console-listen: an address and port such as 127.0.0.1:8080 is expected");
    }
}
