//! The live catalogue and the outcome of submissions: `lethe product|catalogue|submissions`.

use serde_json::{Value, json};

use super::account::text;
use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::print::print_line;
use super::table::{cell, pretty, row, table};
use super::wait;
use crate::addresses::{printable, shell_word};
use crate::limits;

/// One item of the catalogue.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  lethe product P-0000007\n  lethe product c3 --section Categories
  lethe product P-0000007 --why --feed feed.json")]
pub struct ProductOptions {
    /// Its Id or SKU
    pub id: String,
    /// Products, Categories, Brands or AccountPrices
    #[arg(long, default_value = "Products")]
    pub section: String,
    /// Show the deltas and feeds that touched it, newest first, with their rows and the faults of these
    ///
    /// Works for a removed item, too, as long as a kept feed or a change tells of it.
    #[arg(long)]
    pub why: bool,
    /// With --why: a copy of the feed; its row is shown as it was sent, if it is the one the shop stands on
    #[arg(long, value_name = "FILE|URL", requires = "why")]
    pub feed: Option<String>,
    /// With --feed: currency of prices that name none, as the account has it
    #[arg(long, value_name = "CODE", requires = "feed")]
    pub currency: Option<String>,
    #[command(flatten)]
    pub whose: AccountOption,
}

/// A page of the catalogue.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  lethe catalogue --limit 5\n  lethe catalogue --section Brands --account myshop"
)]
pub struct CatalogueOptions {
    /// Products, Categories, Brands or AccountPrices
    #[arg(long, default_value = "Products")]
    section: String,
    /// Number of items
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Cursor at which the page before ended, from its output
    #[arg(long, value_name = "CURSOR")]
    from: Option<String>,
    #[command(flatten)]
    whose: AccountOption,
}

/// Recent submissions.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  lethe submissions --account myshop\n  lethe submissions --kind feed --state failed"
)]
pub struct Submissions {
    /// Only submissions of one kind: feed or delta
    #[arg(long)]
    kind: Option<String>,
    /// Only submissions of one state: open, complete or failed
    #[arg(long)]
    state: Option<String>,
    /// Go on before this place, from the output of the page before
    #[arg(long)]
    before: Option<i64>,
    #[command(flatten)]
    whose: AccountOption,
}

/// Shows one item as JSON; for people indented and with where it comes from.
///
/// # Errors
/// When the server cannot be asked or refuses.
pub async fn product(context: &CommandContext, options: &ProductOptions) -> Result<(), CliFault> {
    let api = Api::open(context, &options.whose)?;
    let found = api.post("/api/product", &json!({"Id": options.id, "Section": options.section})).await?;
    if context.json {
        print_line(&found);
        return Ok(());
    }
    print_line(pretty(&found["Item"]));
    let origin = |place: &str| {
        // A section without a feed has the place 0.
        found[place].as_i64().filter(|place| *place > 0)?;
        let number = &found[format!("{place}Number")];
        Some(kind_and_number(&json!({"Kind": place.to_lowercase(), "KindNumber": number})))
    };
    let origins: Vec<String> = ["Feed", "Delta"].into_iter().filter_map(origin).collect();
    print_line(format!("From submission: {}", origins.join(", changed by ")));
    Ok(())
}

/// Shows counts of all sections and a page of one.
///
/// # Errors
/// When the server cannot be asked or refuses.
pub async fn catalogue(context: &CommandContext, options: &CatalogueOptions) -> Result<(), CliFault> {
    let api = Api::open(context, &options.whose)?;
    let mut body = json!({"Section": options.section, "Limit": options.limit});
    if let Some(from) = &options.from {
        body["From"] = from.as_str().into();
    }
    let page = api.post("/api/catalogue", &body).await?;
    if context.json {
        print_line(&page);
        return Ok(());
    }
    let counts = page["Counts"].as_object().into_iter().flatten();
    let counts: Vec<_> = counts.map(|(section, count)| format!("{section}: {count}")).collect();
    print_line(printable(&counts.join("  ")));
    let mut rows = vec![row(["Id", "Title", "Price", "In stock"])];
    rows.extend(items(&page["Items"]).map(|found| {
        let item = &found["Item"];
        let title = if item["Title"].is_null() { &item["DisplayName"] } else { &item["Title"] };
        vec![cell(&found["Id"]), cell(title), cell(&item["Prices"][0]), cell(&item["InStock"])]
    }));
    table(&rows).iter().for_each(print_line);
    if let Some(next) = page["Next"].as_str() {
        // A value that begins like an option has to follow a `=`.
        let between = if next.starts_with('-') { '=' } else { ' ' };
        let next = shell_word(next);
        print_line(format!("More: --from{between}{next}"));
    }
    Ok(())
}

/// Shows recent submissions, newest first.
///
/// # Errors
/// When the server cannot be asked or refuses.
pub async fn submissions(context: &CommandContext, options: &Submissions) -> Result<(), CliFault> {
    let api = Api::open(context, &options.whose)?;
    let mut asked = json!({"Kind": options.kind.as_deref().unwrap_or_default(), "State": options.state.as_deref().unwrap_or_default()});
    if let Some(before) = options.before {
        asked["Before"] = before.into();
    }
    let found = api.post("/api/submissions", &asked).await?;
    if context.json {
        print_line(&found);
        return Ok(());
    }
    let mut rows = vec![row(["Number", "Token", "Kind", "Status", "Phase", "Source", "Format", "Reason"])];
    rows.extend(items(&found).map(|item| {
        let phase = text(&item["Progress"], "Phase").to_owned();
        let named = |name: &str| cell(&item[name]);
        let reason = wait::describe_setback(&item["Progress"]).unwrap_or_else(|| named("Reason"));
        vec![
            named("KindNumber"),
            named("Token"),
            named("Kind"),
            named("Status"),
            phase,
            named("Source"),
            named("Format"),
            reason,
        ]
    }));
    table(&rows).iter().for_each(print_line);
    let is_narrow = options.kind.is_some() || options.state.is_some();
    let is_full = items(&found).count() as i64 >= limits::SUBMISSIONS_SHOWN;
    if let Some(last) = items(&found).last().filter(|_| is_full || is_narrow) {
        print_line(format!("More: --before {}", shell_word(&cell(&last["Number"]))));
    }
    Ok(())
}

/// Kind and number of a submission, such as `feed 3`; its kind alone if the number is not known.
pub fn kind_and_number(submission: &Value) -> String {
    let kind = text(submission, "Kind");
    match submission["KindNumber"].as_i64() {
        Some(number) => format!("{kind} {number}"),
        None => kind.to_owned(),
    }
}

/// The members of a list.
pub fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}
