//! `lethe issues`: faults in the rows of a submission, counted, in pages or as a list.

use serde_json::{Value, json};

use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::misnamed::advice_on_suggestions;
use super::print::{print_line, print_text};
use super::table::{cell, row, table};
use super::view::kind_and_number;
use crate::addresses::{printable, shell_word};
use crate::feeds::issue::IssueCode;

/// Issues of a submission.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Issues {
    /// Token of a feed or delta
    token: String,
    /// Only issues of one code, such as title_missing
    #[arg(long)]
    code: Option<String>,
    /// Only issues of one section, such as Products
    #[arg(long)]
    section: Option<String>,
    /// bad or warning
    #[arg(long)]
    severity: Option<String>,
    /// As a table of counts and rows, or the whole list as lines of JSON or as CSV
    #[arg(long, value_enum, default_value_t = IssueFormat::Table)]
    format: IssueFormat,
    /// List all that are kept, not one page
    #[arg(long)]
    all: bool,
    /// Number of the first issue to list
    #[arg(long, default_value_t = 0)]
    from: u32,
    #[command(flatten)]
    whose: AccountOption,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum IssueFormat {
    Table,
    Ndjson,
    Csv,
}

const EXAMPLES: &str = "\
Examples:
  lethe issues 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55
  lethe issues 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 --severity bad --all
  lethe issues 0b0f2f4e-7a7c-4f0e-9d5b-1d5f0c9f7e55 --code price_missing --format csv > prices.csv

Each issue is explained by the server at /docs/issues/CODE, and in docs/issues.md. A line of a list without a row stands for issues that were only counted.";

/// Shows the number and the remedy of each issue, then the rows.
///
/// # Errors
/// When the server cannot be asked or refuses.
pub async fn run(context: &CommandContext, options: &Issues) -> Result<(), CliFault> {
    let api = Api::open(context, &options.whose)?;
    let format = match options.format {
        IssueFormat::Table => return print_issues(context, options, ask_pages(&api, options).await?),
        IssueFormat::Ndjson => "ndjson",
        IssueFormat::Csv => "csv",
    };
    let mut asked = options.request_body(0);
    asked["Format"] = format.into();
    match api.post("/api/issues", &asked).await? {
        Value::String(lines) => print_text(&lines),
        // A list of one line is an object.
        line => print_line(line),
    }
    Ok(())
}

impl Issues {
    fn request_body(&self, from: u64) -> Value {
        let mut asked = json!({"Token": self.token, "From": from});
        for (name, value) in [("Code", &self.code), ("Section", &self.section), ("Severity", &self.severity)]
        {
            if let Some(value) = value {
                asked[name] = value.as_str().into();
            }
        }
        asked
    }
}

/// One page, or all pages as one.
async fn ask_pages(api: &Api<'_>, options: &Issues) -> Result<Value, CliFault> {
    let mut found = api.post("/api/issues", &options.request_body(options.from.into())).await?;
    while let (true, Some(next)) = (options.all, found["Next"].as_u64()) {
        let mut page = api.post("/api/issues", &options.request_body(next)).await?;
        found["Next"] = page["Next"].take();
        if let (Some(all), Some(some)) = (found["Issues"].as_array_mut(), page["Issues"].as_array_mut()) {
            all.append(some);
        }
    }
    Ok(found)
}

fn print_issues(context: &CommandContext, options: &Issues, mut found: Value) -> Result<(), CliFault> {
    if context.json {
        print_line(&found);
        return Ok(());
    }
    let counts = found["Counts"].as_array_mut().map(std::mem::take).unwrap_or_default();
    if counts.is_empty() {
        print_line("No issues.");
        return Ok(());
    }
    if found["KindNumber"].is_i64() {
        print_line(format!("Issues of {}:", printable(&kind_and_number(&found))));
    }
    let mut rows = vec![row(["Count", "Severity", "Code", "Section", "First rows", "Advice"])];
    let issues = found["Issues"].as_array().map_or(&[][..], Vec::as_slice);
    rows.extend(counts.iter().map(|count| {
        let first: Vec<_> = count["FirstRows"].as_array().into_iter().flatten().map(cell).collect();
        let named = |name: &str| cell(&count[name]);
        vec![
            named("Count"),
            named("Severity"),
            named("Code"),
            named("Section"),
            first.join(" "),
            advice(issues, count),
        ]
    }));
    table(&rows).iter().for_each(print_line);
    print_line("");
    const NAMES: [&str; 8] = ["Section", "Row", "Line", "Offset", "Severity", "Code", "Field", "Meant"];
    let mut rows = vec![row(NAMES)];
    rows.extend(issues.iter().map(|issue| NAMES.map(|name| cell(&issue[name])).to_vec()));
    table(&rows).iter().for_each(print_line);
    if !found["Next"].is_null() {
        print_line(format!("More: --from {}, or --all", shell_word(&cell(&found["Next"]))));
    }
    say_kept(options, &counts, &found["Kept"]);
    print_line("Codes are explained by the server at /docs/issues, and in docs/issues.md.");
    Ok(())
}

/// Advice on the issues of one count: it names the fields that were meant otherwise.
fn advice(issues: &[Value], count: &Value) -> String {
    let is_alike = |issue: &&Value| ["Section", "Code"].iter().all(|name| issue[*name] == count[*name]);
    let names = issues.iter().filter(is_alike);
    let names = names.filter_map(|issue| Some((issue["Field"].as_str()?, issue["Meant"].as_str()?)));
    let code = count["Code"].as_str().and_then(IssueCode::parse);
    advice_on_suggestions(code, names).unwrap_or_else(|| cell(&count["Advice"]))
}

/// Says it when more was counted than can be listed.
fn say_kept(options: &Issues, counts: &[Value], kept: &Value) {
    let counted: u64 = counts.iter().filter_map(|count| count["Count"].as_u64()).sum();
    let is_all = options.request_body(0).as_object().is_some_and(|asked| asked.len() == 2);
    if let (true, Some(kept)) = (is_all, kept.as_u64())
        && counted > kept
    {
        print_line(format!("{counted} issues were counted; {kept} of them are kept one by one."));
    }
}
