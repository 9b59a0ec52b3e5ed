//! `lethe delta …`.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use super::account::text;
use super::api::{Api, Whose};
use super::{CliFault, Context, wait};

/// What to do with deltas.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Send changes: products and people that replace, ids to remove
    ///
    /// FILE holds one JSON object of sections, without keys: Products, DeleteProducts, Users, DeleteUsers,
    /// AccountPrices, DeleteAccountPrices, SetCategoryOnProducts, RemoveCategoryFromProducts; and Token, a GUID of your
    /// own, if sending it again shall change nothing. Prints the token.
    #[command(after_help = EXAMPLES)]
    Send {
        /// File with the sections, or - for standard input
        file: PathBuf,
        /// Wait until it is applied; exit 1 with the reason when rows were refused
        #[arg(long)]
        wait: bool,
        #[command(flatten)]
        whose: Whose,
    },
}

const EXAMPLES: &str = "\
Examples:
  lethe delta send changes.json --wait
  echo '{\"DeleteProducts\":[\"P-7\"]}' | lethe delta send -";

/// Runs it.
///
/// # Errors
/// When the file cannot be read or is not one JSON object, or the server cannot be asked or refuses; with
/// `--wait`, also when rows were refused.
pub async fn run(context: &Context, command: Command) -> Result<(), CliFault> {
    let Command::Send { file, wait, whose } = command;
    let api = Api::open(context, &whose)?;
    let sections = read(&file)?;
    let answer = api.post_text("/api/delta", &sections).await?.answer;
    let token = text(&answer, "Token");
    wait::shown(context, &api, token, wait).await
}

fn read(file: &Path) -> Result<String, CliFault> {
    let mut sections = String::new();
    let read = if file == Path::new("-") {
        std::io::stdin().read_to_string(&mut sections)
    } else {
        std::fs::File::open(file).and_then(|mut file| file.read_to_string(&mut sections))
    };
    read.map_err(|error| CliFault::Usage(format!("{} cannot be read: {error}", file.display())))?;
    let checked = serde_json::from_str::<&RawValue>(&sections).map_err(|error| {
        CliFault::Usage(format!(
            "{} is not JSON: line {}, column {}",
            file.display(),
            error.line(),
            error.column()
        ))
    })?;
    if !checked.get().starts_with('{') {
        return Err(CliFault::Usage(format!("{} has to hold one JSON object of sections", file.display())));
    }
    Ok(sections)
}
