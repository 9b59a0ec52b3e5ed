//! `lethe account …`.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::account_feed;
use super::context::CommandContext;
use super::control;
use super::fault::CliFault;
use super::print::{print_line, print_warning};
use super::table::{cell, facts, row, table};
use super::text_file::read_text_file;
use crate::accounts::quota::in_words;
use crate::addresses::printable;
use crate::recommend::bought_together_focus::BoughtTogetherFocus;
use crate::search::synonyms;

/// Commands for accounts.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Make an account; prints its keys once
    #[command(
        after_help = "Examples:\n  lethe account create myshop --currency EUR\n  lethe account create myshop --json > keys.json\n  lethe account create myshop --new-store"
    )]
    Create {
        /// A name of your choice: letters, digits, '-', '_' and '.'
        name: String,
        /// Currency of prices that name none, such as EUR
        #[arg(long)]
        currency: Option<String>,
        /// Begin a store, with its keys, when the data folder has none and no server runs
        #[arg(long)]
        new_store: bool,
    },
    /// List accounts; secrets are not shown
    #[command(after_help = "Example:\n  lethe account list")]
    List,
    /// Set the removal guard: how large a part of its products a feed may remove
    #[command(
        after_help = "Examples:\n  lethe account guard myshop 50\n  lethe account guard myshop     the default again"
    )]
    Guard {
        /// Name of the account
        name: String,
        /// Percent from 1 to 100, where 100 switches it off; left out: the default
        percent: Option<u8>,
    },
    /// Set how much of the disk an account may hold: feeds on their way, and catalogues
    #[command(after_help = "\
Without a quota a single account may fill the disk; of several, each may hold a quarter of it.

Examples:
  lethe account quota myshop 20GB
  lethe account quota myshop none    no limit
  lethe account quota myshop         the default again")]
    Quota {
        /// Name of the account
        name: String,
        /// A size such as 500MB, 20GB or 1.5TiB, or `none`; left out: the default
        size: Option<String>,
    },
    /// Show or set a shop's search and recommendations: language, facets, pages, synonyms, …; rebuild its index
    #[command(after_help = "\
The language is that of the titles and texts. An attribute that at least one product in a hundred has, has a facet and
an order by itself; --attribute names others, and takes the place of those named before. --origin names a page whose
scripts may ask, such as https://shop.example, and takes the place of those before; '*' is any, '' none. --pictures
names where the pictures lie that the page of `lethe serve --try` may show, such as https://cdn.shop.example.

--synonyms takes the place of all lines before; an empty file takes them away, and --json shows them. A line such as
'tv, television, telly' names the same thing three times; 'notebook => portable computer' finds portable computers for
notebooks, and not the other way round; a line that begins with # says nothing. They need no new index. 'glass !=
glasses' keeps two forms of a word apart, once the index is rebuilt.

--popularity false: what shoppers looked at and bought lifts nothing in searches. --bought-together is the order of
products that are recommended as bought with another. likely, the default: those bought with it most often, many of
which sell with everything; specific: those bought with it more than with others; balanced: between the two.

Examples:
  lethe account search myshop
  lethe account search myshop --language de --origin https://shop.example --origin https://www.shop.example
  lethe account search myshop --synonyms synonyms.txt
  lethe account search myshop --renew")]
    Search {
        /// Name of the account
        name: String,
        #[command(flatten)]
        settings: SearchSettingsOptions,
        /// Rebuild the index; the old one answers meanwhile
        #[arg(long)]
        renew: bool,
    },
    /// Show or set how a shop's feeds are read: their format, and what each column of a table means
    #[command(after_help = "\
Without a format, the content of each feed tells it; without a mapping, the columns of a table or of JSON are guessed.
`lethe check FILE --map MAP` tries a mapping. It is JSON: the use of each column, which docs/feeds.md lists.

  {\"Columns\": {\"Artikel\": \"Id\", \"Name\": \"Title\", \"Preis\": \"Price\", \"Farbe\": \"Option\"}, \"Others\": \"Attributes\"}

Examples:
  lethe account feed myshop
  lethe account feed myshop --format csv --map columns.json
  lethe account feed myshop --format '' --map ''")]
    Feed {
        /// Name of the account
        name: String,
        /// Format: lethe, google, shopify, woocommerce, magento, csv, json or ndjson; '' tells it by the content
        #[arg(long, value_name = "FORMAT")]
        format: Option<String>,
        /// Mapping of columns, a JSON file; '' guesses them again
        #[arg(long, value_name = "FILE")]
        map: Option<PathBuf>,
    },
    /// Set a shop's details for letters and pages: its name, a contact address, its language
    #[command(after_help = "\
What is not named stays as it is; an empty text takes it away.

Examples:
  lethe account set myshop --display-name 'Tea & more' --contact privacy@shop.example --language de
  lethe account set myshop --contact ''")]
    Set {
        /// Name of the account
        name: String,
        #[command(flatten)]
        about: ShopProfileOptions,
    },
    /// Deletions of accounts that plugins asked for
    #[command(subcommand)]
    Deletion(DeletionCommand),
}

/// A shop's details.
#[derive(clap::Args)]
#[group(required = true, multiple = true)]
pub struct ShopProfileOptions {
    /// The name that people know the shop by, in one line
    #[arg(long, value_name = "TEXT")]
    display_name: Option<String>,
    /// Contact address: an email address, a URL or a postal address, in one line
    #[arg(long, value_name = "TEXT")]
    contact: Option<String>,
    /// Language of letters and pages: en, de or fr
    #[arg(long, value_name = "CODE")]
    language: Option<String>,
}

/// Settings of a shop's search.
#[derive(clap::Args)]
pub struct SearchSettingsOptions {
    /// Language of titles and texts, such as de; '' is the default again, English
    #[arg(long, value_name = "CODE")]
    language: Option<String>,
    /// An attribute that has a facet and an order however few products have it; may be repeated
    #[arg(long = "attribute", value_name = "NAME")]
    attributes: Vec<String>,
    /// A page whose scripts may ask; may be repeated
    #[arg(long = "origin", value_name = "ORIGIN")]
    origins: Vec<String>,
    /// Origin of pictures that the page for trying the search may show; may be repeated
    #[arg(long = "pictures", value_name = "ORIGIN")]
    pictures: Vec<String>,
    /// File with the lines of all synonyms, or - for standard input
    #[arg(long, value_name = "FILE")]
    synonyms: Option<PathBuf>,
    /// Rank popular products a little higher: true or false
    #[arg(long, value_name = "BOOL")]
    popularity: Option<bool>,
    /// Order of products that are bought together: likely, balanced or specific
    #[arg(long = "bought-together", value_name = "FOCUS", value_parser = BoughtTogetherFocus::ALL.map(BoughtTogetherFocus::name))]
    bought_together: Option<String>,
    /// Option for each of whose values a product appears once, such as Colour; '' for none
    #[arg(long = "group-by", value_name = "OPTION")]
    group_by: Option<String>,
}

/// Commands for a requested deletion. None removes data.
#[derive(clap::Subcommand)]
pub enum DeletionCommand {
    /// List all requested deletions, and the decisions
    #[command(after_help = "Example:\n  lethe account deletion list")]
    List,
    /// Close the account: its keys open nothing from now on, and its data stay
    #[command(after_help = "Example:\n  lethe account deletion confirm myshop")]
    Confirm {
        /// Name of the account
        name: String,
    },
    /// Leave the account as it is
    #[command(after_help = "Example:\n  lethe account deletion dismiss myshop")]
    Dismiss {
        /// Name of the account
        name: String,
    },
}

/// Runs it.
///
/// # Errors
/// When there is neither a server nor a store, or the server refuses.
pub async fn run(context: &CommandContext, command: Command) -> Result<(), CliFault> {
    match command {
        Command::Create { name, currency, new_store } => {
            let mut body = json!({"Name": name});
            if let Some(currency) = currency {
                body["Currency"] = currency.into();
            }
            let made =
                control::call_creating_store(context, "/control/account/create", &body, new_store).await?;
            show_keys(context, &made);
        }
        Command::List => {
            let accounts = control::call(context, "/control/account/list", &json!({})).await?;
            if context.json { print_line(&accounts) } else { show_list(&accounts) }
        }
        Command::Guard { name, percent } => {
            let mut body = json!({"Name": name});
            if let Some(percent) = percent {
                body["Percent"] = percent.into();
            }
            let set = control::call(context, "/control/account/guard", &body).await?;
            if context.json {
                print_line(&set);
            } else {
                print_line(format!("A feed may remove up to {} % of the products.", set["RemovalGuard"]));
            }
        }
        Command::Quota { name, size } => {
            let mut body = json!({"Name": name});
            if let Some(size) = size {
                body["Quota"] = size.into();
            }
            let set = control::call(context, "/control/account/quota", &body).await?;
            if context.json {
                print_line(&set);
            } else {
                print_line(format!("The account holds {}.", format_usage(&set)));
            }
        }
        Command::Search { name, settings, renew } => {
            return set_search(context, &name, settings, renew).await;
        }
        Command::Feed { name, format, map } => {
            return account_feed::set_feed(context, &name, format, map.as_deref()).await;
        }
        Command::Set { name, about } => return set_profile(context, &name, about).await,
        Command::Deletion(command) => return run_deletion(context, command).await,
    }
    Ok(())
}

/// An account's use of its quota.
fn format_usage(account: &Value) -> String {
    let bytes = |name: &str| account[name].as_i64().map(in_words);
    let held = bytes("HeldBytes").unwrap_or_default();
    match bytes("QuotaBytes") {
        Some(limit) => format!("{held} of {limit}"),
        None => format!("{held}, no limit"),
    }
}

fn show_list(accounts: &Value) {
    let mut rows = vec![row(["AccessKey", "Name", "Language", "State", "DisplayName", "Held", "Number"])];
    rows.extend(accounts.as_array().into_iter().flatten().map(|account| {
        let [key, name, language, display_name] =
            ["AccessKey", "Name", "Language", "DisplayName"].map(|name| text(account, name).to_owned());
        let state = if account["ClosedAt"].is_null() { "open" } else { "closed" };
        vec![
            key,
            name,
            language,
            state.to_owned(),
            display_name,
            format_usage(account),
            account["Number"].to_string(),
        ]
    }));
    table(&rows).iter().for_each(print_line);
}

async fn set_profile(
    context: &CommandContext,
    name: &str,
    about: ShopProfileOptions,
) -> Result<(), CliFault> {
    let mut body = json!({"Name": name});
    let texts =
        [("DisplayName", about.display_name), ("Contact", about.contact), ("Language", about.language)];
    for (name, text) in texts {
        if let Some(text) = text {
            body[name] = text.into();
        }
    }
    let set = control::call(context, "/control/account/set", &body).await?;
    if context.json {
        print_line(&set);
        return Ok(());
    }
    let names = ["Name", "DisplayName", "Contact", "Language"];
    facts(&names.map(|name| (name, text(&set, name)))).iter().for_each(print_line);
    if let Some(note) = set["Note"].as_str() {
        print_warning(note);
    }
    Ok(())
}

async fn set_search(
    context: &CommandContext,
    name: &str,
    settings: SearchSettingsOptions,
    renew: bool,
) -> Result<(), CliFault> {
    let mut body = json!({"Name": name});
    if let Some(language) = settings.language {
        body["Language"] = language.into();
    }
    let lists =
        [("Attributes", settings.attributes), ("Origins", settings.origins), ("Pictures", settings.pictures)];
    for (name, texts) in lists {
        match texts.as_slice() {
            [] => {}
            [text] if text.is_empty() => body[name] = json!([]),
            texts => body[name] = texts.into(),
        }
    }
    if let Some(popularity) = settings.popularity {
        body["Popularity"] = popularity.into();
    }
    if let Some(focus) = settings.bought_together {
        body["BoughtTogether"] = focus.into();
    }
    if let Some(group_by) = settings.group_by {
        body["GroupBy"] = group_by.into();
    }
    if let Some(file) = settings.synonyms {
        body["Synonyms"] = read_text_file(&file)?.into();
    }
    let mut set = control::call(context, "/control/account/search", &body).await?;
    if renew {
        let renewed = control::call(context, "/control/account/search/renew", &json!({"Name": name})).await?;
        set["Products"] = renewed["Products"].clone();
    }
    if context.json {
        print_line(&set);
        return Ok(());
    }
    let joined = |name: &str| match set[name].as_array() {
        Some(texts) => texts.iter().map(cell).collect::<Vec<_>>().join(", "),
        None => cell(&set[name]),
    };
    let synonyms = synonyms::lines(text(&set, "Synonyms")).count();
    let synonyms = match synonyms {
        0 => String::new(),
        1 => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    };
    let shown =
        ["Name", "Language", "Attributes", "Origins", "Pictures", "Popularity", "BoughtTogether", "GroupBy"]
            .map(|name| (name, joined(name)));
    let mut lines: Vec<_> = shown.iter().map(|(name, value)| (*name, value.as_str())).collect();
    lines.push(("Synonyms", &synonyms));
    facts(&lines).iter().for_each(print_line);
    if renew {
        print_line(format!("The index was made anew, with {} products.", set["Products"]));
    }
    Ok(())
}

async fn run_deletion(context: &CommandContext, command: DeletionCommand) -> Result<(), CliFault> {
    let (path, body) = match command {
        DeletionCommand::List => ("/control/account/deletion/list", json!({})),
        DeletionCommand::Confirm { name } => ("/control/account/deletion/confirm", json!({"Name": name})),
        DeletionCommand::Dismiss { name } => ("/control/account/deletion/dismiss", json!({"Name": name})),
    };
    let answer = control::call(context, path, &body).await?;
    if context.json {
        print_line(&answer);
        return Ok(());
    }
    let one = std::slice::from_ref(&answer);
    for deletion in answer.as_array().map_or(one, Vec::as_slice) {
        print_line(printable(&format!("{}  {}", text(deletion, "Name"), text(deletion, "State"))));
    }
    Ok(())
}

/// Prints keys that are never shown again.
pub fn show_keys(context: &CommandContext, made: &Value) {
    if context.json {
        return print_line(made);
    }
    let names = ["Name", "AccessKey", "SecretKey"];
    facts(&names.map(|name| (name, text(made, name)))).iter().for_each(print_line);
    print_line("The secret is not stored and is not shown again.");
}

/// A text member of an answer.
pub fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}
