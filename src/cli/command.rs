//! All commands, and the code that runs each.

use clap::Subcommand;

use super::context::CommandContext;
use super::fault::CliFault;
use super::{
    account, backup, check, completions, config, delta, demo, doctor, drill, erasure, feed, forget, health,
    issues, key, key_epoch, key_mirror, ledger, man, model, operator, person, quality, recent_errors,
    recommend, recovery_key, report, restore, rules, sample, search, serve, shopper_events, snapshot, status,
    view, webhook, why, zones,
};

/// The command.
#[derive(Subcommand)]
pub(super) enum Command {
    /// Serve shops, and the console
    Serve(serve::Options),
    /// A guided tour: a whole shop in a temporary folder, from feed to forgetting
    Demo(demo::Options),
    /// Make and list accounts
    #[command(subcommand)]
    Account(account::Command),
    /// Rotate, revoke and list secret keys
    #[command(subcommand)]
    Key(key::Command),
    /// Add, list and change who works at the console
    #[command(subcommand)]
    Operator(operator::Command),
    /// Hand out the ledger of erasures: its key, a checkpoint, all entries, the proof that it only grew
    #[command(subcommand)]
    Ledger(ledger::Command),
    /// Show or rotate the epoch of the keys of people: old copies of the slot file die with it
    #[command(subcommand)]
    KeyEpoch(key_epoch::Command),
    /// Restore a lost key folder from its mirror
    #[command(subcommand)]
    KeyMirror(key_mirror::Command),
    /// Check a feed as the server would, without a server
    Check(check::Options),
    /// Submit product feeds
    #[command(subcommand)]
    Feed(feed::Command),
    /// List, compare and restore earlier snapshots
    #[command(subcommand)]
    Snapshot(snapshot::Command),
    /// Put products in front, higher, lower or out of searches, and lead searches elsewhere
    #[command(subcommand)]
    Rules(rules::Command),
    /// Content of the zones of the shop's pages
    #[command(subcommand)]
    Zones(zones::Command),
    /// Tell the shop's own server what ended
    #[command(subcommand)]
    Webhook(webhook::Command),
    /// Send changes
    #[command(subcommand)]
    Delta(delta::Command),
    /// Ask where feeds and deltas are
    Status(status::Options),
    /// Forget a person
    Forget(forget::Options),
    /// Show what became of requests to forget, with the evidence
    #[command(subcommand)]
    Erasure(erasure::Command),
    /// Print everything that is stored about a person, for them
    Export(person::ExportOptions),
    /// Look for a person in every place and every byte
    Scan(person::Scan),
    /// Ask whether a person is on the list of the forgotten
    #[command(subcommand)]
    Suppression(person::SuppressionCommand),
    /// Let a forgotten person in again who came back
    Return(person::Return),
    /// Show one product as the shop shows it now, or why it does (--why)
    Product(view::ProductOptions),
    /// Show the live catalogue: counts, and a page of items
    Catalogue(view::CatalogueOptions),
    /// Search a shop as its shoppers do
    Search(search::SearchOptions),
    /// Complete a shopper's text
    Complete(search::CompleteOptions),
    /// Recommend products as a shop's page would
    Recommend(recommend::Recommend),
    /// Send shoppers' events
    #[command(subcommand)]
    Events(shopper_events::Command),
    /// Rebuild the recommendation models, and compare them with the live ones
    #[command(subcommand)]
    Model(model::Command),
    /// Show gaps in the products, and the effect of filling them on searches
    Quality(quality::QualityOptions),
    /// Say what shoppers saw, searched, clicked and bought
    Report(report::ReportOptions),
    /// Show faults in the rows of a feed or delta, and their remedies
    Issues(issues::Issues),
    /// Show recently refused requests of a shop, and the reasons
    Refused(recent_errors::Options),
    /// Show recent feeds and deltas with their progress
    Submissions(view::Submissions),
    /// Make a backup of the database and the catalogue files, while the server goes on
    Backup(backup::Options),
    /// Make a backup the data folder and the database again
    Restore(restore::Options),
    /// Show urgent tasks before something is lost; exit 1 when there is one
    #[command(after_help = "Examples:\n  lethe doctor\n  lethe doctor --json --data-dir /var/lib/lethe/data")]
    Doctor,
    /// Send a made-up person through every door, forget them, restore an old backup, and look for them
    Drill(drill::Options),
    /// Make the key that survives a lost key folder
    #[command(subcommand)]
    RecoveryKey(recovery_key::Command),
    /// Show the effective settings, or a commented template
    #[command(subcommand)]
    Config(config::Command),
    /// Ask a server whether it lives: the one at LETHE_URL or, without it, at --listen
    #[command(after_help = "Examples:\n  lethe health\n  lethe health --listen 127.0.0.1:9090
  LETHE_URL=http://10.0.0.5:8080 lethe health")]
    Health,
    /// Write the feed of a made-up shop, of any size, or a history of its shoppers
    Sample(sample::Options),
    /// Print a completion script for a shell
    Completions(completions::Options),
    /// Write the manual pages into a folder
    Man(man::Options),
}

/// Runs a command; `commands` is the whole command line, for its manual pages and completions.
pub(super) async fn dispatch(
    context: &CommandContext,
    commands: clap::Command,
    command: Command,
) -> Result<(), CliFault> {
    match command {
        Command::Serve(options) => serve::run(context, &options).await,
        Command::Demo(options) => demo::run(context, &options).await,
        Command::Account(command) => account::run(context, command).await,
        Command::Key(command) => key::run(context, command).await,
        Command::Operator(command) => operator::run(context, command).await,
        Command::Ledger(command) => ledger::run(context, command).await,
        Command::KeyEpoch(command) => key_epoch::run(context, &command).await,
        Command::KeyMirror(command) => key_mirror::run(context, &command),
        Command::Check(options) => check::run(context, &options).await,
        Command::Feed(command) => feed::run(context, command).await,
        Command::Snapshot(command) => snapshot::run(context, command).await,
        Command::Rules(command) => rules::run(context, command).await,
        Command::Zones(command) => zones::run(context, command).await,
        Command::Webhook(command) => webhook::run(context, command).await,
        Command::Delta(command) => delta::run(context, command).await,
        Command::Status(options) => status::run(context, &options).await,
        Command::Forget(options) => forget::run(context, options).await,
        Command::Erasure(command) => erasure::run(context, command).await,
        Command::Export(options) => person::export(context, &options).await,
        Command::Scan(options) => person::scan(context, &options).await,
        Command::Suppression(command) => person::suppression(context, &command).await,
        Command::Return(options) => person::come_back(context, &options).await,
        Command::Product(options) if options.why => why::run(context, &options).await,
        Command::Product(options) => view::product(context, &options).await,
        Command::Catalogue(options) => view::catalogue(context, &options).await,
        Command::Search(options) => search::search(context, &options).await,
        Command::Complete(options) => search::complete(context, &options).await,
        Command::Recommend(options) => recommend::run(context, &options).await,
        Command::Events(command) => shopper_events::run(context, command).await,
        Command::Model(command) => model::run(context, &command).await,
        Command::Quality(options) => quality::run(context, &options).await,
        Command::Report(options) => report::run(context, &options).await,
        Command::Issues(options) => issues::run(context, &options).await,
        Command::Refused(options) => recent_errors::run(context, &options).await,
        Command::Submissions(options) => view::submissions(context, &options).await,
        Command::Backup(options) => backup::run(context, options).await,
        Command::Restore(options) => restore::run(context, options).await,
        Command::Doctor => doctor::run(context).await,
        Command::Drill(options) => drill::run(context, &options).await,
        Command::RecoveryKey(command) => recovery_key::run(context, &command),
        Command::Config(command) => config::run(context, &command).await,
        Command::Health => health::run(context).await,
        Command::Sample(options) => sample::run(context, &options).await,
        Command::Completions(options) => completions::run(context, commands, &options),
        Command::Man(options) => man::run(context, commands, &options),
    }
}
