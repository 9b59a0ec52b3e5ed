//! `lethe report`: what shoppers saw, viewed, searched, clicked and bought.

use serde_json::{Value, json};

use super::account::text;
use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::print::print_line;
use super::table::{cell, table};
use super::view::items;
use crate::addresses::printable;

/// A report.
#[derive(clap::Args)]
#[command(after_help = "\
A number is a sum of what five people or more did in one place; what fewer did is not told. All other rows are one
sum. Days are those of UTC. What visitors did whom nobody knows is kept for 30 days.

Examples:
  lethe report zones --account myshop                        # of the last 28 days
  lethe report search --from 2026-11-01 --until 2026-11-30
  lethe report missed                                        # what was searched and not found
  lethe report products                                      # product views, with their variants below
  lethe report quality --json
  lethe report zones --csv > zones.csv")]
pub struct ReportOptions {
    /// The report: `missed` has the searches without a result, `products` the views of products and their variants,
    /// `days` has `quality` day by day
    #[arg(value_parser = ["zones", "search", "missed", "products", "quality", "days"])]
    about: String,
    /// The first day, such as 2026-11-01
    #[arg(long, value_name = "DAY")]
    from: Option<String>,
    /// The last day; today, if it is left out
    #[arg(long, value_name = "DAY")]
    until: Option<String>,
    /// Number of rows
    #[arg(long, default_value_t = 100)]
    size: u32,
    /// As a table for spreadsheets
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    #[command(flatten)]
    whose: AccountOption,
}

/// Asks and prints it.
///
/// # Errors
/// When the server cannot be asked or refuses.
pub async fn run(context: &CommandContext, options: &ReportOptions) -> Result<(), CliFault> {
    let ReportOptions { about, from, until, size, csv, whose } = options;
    let mut asked = json!({"Report": about, "Size": size});
    for (name, day) in [("From", from), ("Until", until)] {
        if let Some(day) = day {
            asked[name] = day.as_str().into();
        }
    }
    let api = Api::open(context, whose)?;
    if *csv {
        asked["Format"] = "csv".into();
        let table = api.post_text("/api/report", &asked.to_string()).await?.answer;
        print_line(table.as_str().unwrap_or_default().trim_end());
        return Ok(());
    }
    let report = api.post("/api/report", &asked).await?;
    if context.json {
        print_line(&report);
    } else {
        print_report(about, &report);
    }
    Ok(())
}

fn print_report(about: &str, report: &Value) {
    print_line(format!("From {} to {}", text(report, "From"), text(report, "Until")));
    let (named, counted): (&[&str], &[&str]) = match about {
        "zones" => (&["Zone", "Recommender", "Campaign"], &["Count", "Clicks", "Orders", "Revenue"]),
        "search" | "missed" => {
            (&["Query"], &["Count", "WithoutResult", "Corrected", "Clicks", "Orders", "Revenue"])
        }
        "products" => (&["Product", "Variant"], &["Count"]),
        "days" => (&["Day", "Measure"], &["Count", "Revenue"]),
        _ => (&["Measure"], &["Count", "Revenue"]),
    };
    let head = named.iter().chain(&["People"]).chain(counted);
    let mut rows = vec![head.map(|name| (*name).to_owned()).collect::<Vec<_>>()];
    let line = |one: &Value| -> Vec<String> {
        let names = named.iter().map(|name| printable(text(one, name)));
        names.chain([cell(&one["People"])]).chain(counted.iter().map(|name| cell(&one[*name]))).collect()
    };
    for one in items(&report["Rows"]) {
        rows.push(line(one));
        rows.extend(items(&one["Variants"]).map(line));
    }
    let rest = &report["Rest"];
    if rest.is_object() {
        let names = std::iter::once("(rest)").chain(std::iter::repeat("")).take(named.len() + 1);
        let counts = counted.iter().map(|name| cell(&rest[*name]));
        rows.push(names.map(str::to_owned).chain(counts).collect());
    }
    table(&rows).iter().for_each(print_line);
    control(&report["Control"]);
}

/// People who see zones, compared with the control group.
fn control(compared: &Value) {
    if !compared.is_object() {
        return;
    }
    print_line("");
    let people = ["PeopleWith", "PeopleWithout", "PeopleOfBoth"].map(|name| cell(&compared[name]));
    print_line(format!(
        "at least {} people saw zones, {} did not, {} did and did not",
        people[0], people[1], people[2]
    ));
    for what in ["Orders", "Revenue"] {
        let uplift = &compared[what]["Uplift"];
        let percent = |name: &str| uplift[name].as_f64().map(|part| format!("{:+.1} %", 100.0 * part));
        let [measured, low, high] = ["Measured", "Low", "High"].map(percent);
        print_line(match measured.zip(low).zip(high) {
            Some(((measured, low), high)) => {
                format!("{what} of a person: {measured} (95 %: {low} to {high})")
            }
            None => format!("{what} of a person: too few to say"),
        });
    }
}
