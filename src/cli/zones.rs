//! `lethe zones …`.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::account::text;
use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::lists::ListResource;
use super::print::print_line;
use super::table::{cell, row, table};
use super::view::items;
use crate::addresses::printable;

/// Commands for the content of the zones of a shop's pages.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Print the live campaigns, or those of a version, as a file
    #[command(
        after_help = "Examples:\n  lethe zones list --account myshop >zones.json\n  lethe zones list --version 3"
    )]
    List {
        /// The version, as `lethe zones history` lists them
        #[arg(long = "version", value_name = "VERSION")]
        of_version: Option<i64>,
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Show what a file of campaigns would change, and with --yes publish it
    ///
    /// The file replaces the whole list: campaigns missing in it are deleted. A zone shows the first of its campaigns
    /// that fits the page and has something to show. Without one, the usual zones (HP-01 to HP-04, and the same of PP,
    /// PL, CP, SR, SP, BP, OC and AC) show products by themselves.
    #[command(after_help = "\
Example of a file:
  {\"Campaigns\": [
    {\"Id\": \"sale\", \"Zone\": \"HP-01\", \"Until\": \"2027-01-01T00:00:00Z\", \"Html\": \"<p>Sale</p>\"},
    {\"Id\": \"shoes\", \"Zone\": \"PL-01\", \"Categories\": [\"12\"], \"Title\": \"Best shoes\",
     \"ProductsShown\": {\"Recommender\": \"best_sellers\", \"Within\": \"category\", \"Size\": 8, \"Min\": 4}},
    {\"Id\": \"half\", \"Zone\": \"PP-01\", \"Share\": 50, \"ProductsShown\": {\"Recommender\": \"similar\"}},
    {\"Id\": \"brands\", \"Zone\": \"HP-02\", \"BrandsShown\": {\"Size\": 6}},
    {\"Id\": \"news\", \"Zone\": \"HP-03\", \"Title\": \"News\", \"Html\": \"<p>New shoes</p>\", \"Popup\": true}
  ]}

Examples:
  lethe zones apply zones.json --account myshop
  lethe zones apply zones.json --yes")]
    Apply {
        /// The file
        file: PathBuf,
        /// Publish the file
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Show the content of a zone of a page, and the reason
    #[command(after_help = "\
Examples:
  lethe zones preview HP-01 --account myshop
  lethe zones preview PP-01 --product 4711 --file zones.json")]
    Preview(Box<Preview>),
    /// List the published versions of the campaigns, newest first
    #[command(after_help = "Example:\n  lethe zones history --account myshop")]
    History {
        #[command(flatten)]
        whose: AccountOption,
    },
    /// Restore the campaigns before the last change, or those of a version
    #[command(after_help = "Examples:\n  lethe zones undo --account myshop\n  lethe zones undo 3")]
    Undo {
        /// The version; 0 is no campaigns at all
        version: Option<i64>,
        #[command(flatten)]
        whose: AccountOption,
    },
}

/// A zone, and the page that it is on.
#[derive(clap::Args)]
pub struct Preview {
    /// The zone
    zone: String,
    /// Campaigns to try instead of the live ones
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The kind of the page, such as homepage or product_page
    #[arg(long, value_name = "KIND")]
    page: Option<String>,
    /// Its product
    #[arg(long, value_name = "ID")]
    product: Option<String>,
    /// Its category
    #[arg(long, value_name = "ID")]
    category: Option<String>,
    /// Its brand
    #[arg(long, value_name = "ID")]
    brand: Option<String>,
    /// A product that the shopper looked at, the newest last; may be repeated
    #[arg(long, value_name = "ID")]
    viewed: Vec<String>,
    /// A product in the basket; may be repeated
    #[arg(long, value_name = "ID")]
    basket: Vec<String>,
    /// One of 100 groups of visitors, for campaigns with a Share
    #[arg(long, default_value_t = 0, value_name = "0-99")]
    group: u8,
    #[command(flatten)]
    whose: AccountOption,
}

const CAMPAIGNS: ListResource =
    ListResource { name: "Campaigns", path: "/api/zones", help: "lethe zones apply --help" };

/// Runs it.
///
/// # Errors
/// When a file cannot be read, or the server cannot be asked or refuses.
pub async fn run(context: &CommandContext, command: Command) -> Result<(), CliFault> {
    match command {
        Command::List { of_version, whose } => CAMPAIGNS.list(context, of_version, &whose).await,
        Command::Apply { file, yes, whose } => CAMPAIGNS.apply_file(context, &file, yes, &whose).await,
        Command::History { whose } => CAMPAIGNS.history(context, &whose).await,
        Command::Undo { version, whose } => CAMPAIGNS.undo(context, version, &whose).await,
        Command::Preview(preview) => print_preview(context, &preview).await,
    }
}

async fn print_preview(context: &CommandContext, preview: &Preview) -> Result<(), CliFault> {
    let Preview { zone, file, page, product, category, brand, viewed, basket, group, whose } = preview;
    let mut asked = json!({"Zone": zone, "Page": page, "Product": product, "Category": category, "Brand": brand,
        "Viewed": viewed, "Group": group});
    if !basket.is_empty() {
        asked["Basket"] = json!(basket);
    }
    if let Some(file) = file {
        asked["Campaigns"] = CAMPAIGNS.read_file(file)?;
    }
    let shown = Api::open(context, whose)?.post("/api/zones/preview", &asked).await?;
    if context.json {
        print_line(&shown);
        return Ok(());
    }
    for passed in items(&shown["Passed"]) {
        print_line(format!(
            "{} is skipped: {}",
            campaign_name(&passed["Campaign"]),
            printable(text(passed, "Why"))
        ));
    }
    let zone = &shown["Zone"];
    if zone.is_null() {
        print_line("The zone is empty.");
        return Ok(());
    }
    print_line(format!("{}: {}", campaign_name(&shown["Campaign"]), printable(text(zone, "type"))));
    if let Some(html) = zone["html"].as_str() {
        print_line(printable(html));
        return Ok(());
    }
    let is_products = zone["type"] == "recommender-product";
    let [names, fields] = if is_products {
        [["Id", "Sku", "Price", "Title"], ["Id", "Sku", "DisplayPrice", "Title"]]
    } else {
        [["Id", "Name", "Link", "Image"], ["Id", "DisplayName", "Link", "Image"]]
    };
    let columns = |item: &Value| fields.map(|name| cell(&item[name])).to_vec();
    let rows: Vec<_> = [row(names)].into_iter().chain(items(&zone["items"]).map(columns)).collect();
    print_line(printable(text(zone, "title")));
    table(&rows).iter().for_each(print_line);
    Ok(())
}

/// A campaign by its id; default content has none.
fn campaign_name(id: &Value) -> String {
    match id.as_str() {
        None | Some("") => "default content".to_owned(),
        Some(id) => format!("campaign {}", printable(id)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_campaign_is_named_by_its_id_and_default_content_by_that() {
        for (id, expected) in [
            (json!("sale"), "campaign sale"),
            (json!("a\u{1b}"), "campaign a·"),
            (json!(""), "default content"),
            (json!(null), "default content"),
        ] {
            assert_eq!(campaign_name(&id), expected);
        }
    }
}
