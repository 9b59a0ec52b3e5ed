//! `lethe drill`: a made-up person goes through every door of a server of its own, is forgotten, and is looked for in
//! every file; then an old backup is restored, and they are looked for again. The report is dated, to be kept.

mod canary;
mod report;
mod shop;

use std::io::Write;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::canary::{Canary, LOOK_DURATION};
use self::report::DrillReport;
use self::shop::DrillShop;
use super::api::client;
use super::context::CommandContext;
use super::fault::CliFault;
use super::folder::TemporaryFolder;
use super::print::print_line;
use super::serve::Server;
use crate::api::events::impressions;
use crate::config::Config;
use crate::evidence::{person_scan, residue};
use crate::ids::AccountId;
use crate::keys::SlotNumber;
use crate::maintenance::backup;
use crate::node::{FolderLock, Node};
use crate::people::subject::record_aad;
use crate::recovery::RecoveryFault;
use crate::recovery::restore::{self, RestoreRequest};
use crate::store::{StoreFault, read_copy};
use crate::{args, disk, sql};

/// Longest wait for all work to end.
const WORK_DURATION: Duration = Duration::from_secs(120);

/// Target of the report.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  lethe drill --report 2026-11-drill.md\n\n\
    Exit code 5: something of the person was found after they were forgotten.")]
pub struct Options {
    /// File for the report, in Markdown; the same in JSON is written next to it
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// Runs it, tells the report, and fails when something was found.
///
/// # Errors
/// When a step cannot be done or does not show what it should, or the report cannot be written.
pub async fn run(context: &CommandContext, options: &Options) -> Result<(), CliFault> {
    let folder = TemporaryFolder::create("drill")?;
    let mut report = DrillReport::begin();
    run_drill(folder.path(), &mut report).await?;
    if let Some(path) = &options.report {
        let json = format!("{:#}\n", report.json());
        let written = disk::output(path)
            .and_then(|mut file| file.write_all(report.markdown().as_bytes()))
            .and_then(|()| disk::output(&path.with_extension("json"))?.write_all(json.as_bytes()));
        written.map_err(|error| CliFault::Failed(format!("the report cannot be written: {error}")))?;
    }
    if context.json {
        print_line(report.json())
    } else {
        print_line(report.markdown())
    }
    match report.count_failed() {
        0 => Ok(()),
        failed => Err(CliFault::Found(format!("{failed} steps of the drill did not show what they should"))),
    }
}

async fn run_drill(folder: &Path, report: &mut DrillReport) -> Result<(), CliFault> {
    let canary = Canary::new();
    let config = config(folder, "data");
    let server = Server::start(Node::open(config.clone()).await?, &config).await?;
    let shop = DrillShop::open(&server, &canary).await?;
    take_in(&server, &shop, &canary, report).await?;
    let old = folder.join("backup-before");
    backup::make(&server.node, old.clone(), |_| ()).await?;
    let folders = [config.data_dir.clone(), config.key_dir.clone()];
    let seen = scan_folders(&server.node, &folders, &[&canary.key]).await?;
    report.add_step("The scan finds the key of a product", seen.found > 0, seen.to_json());
    let clear = scan_folders(&server.node, &folders, &canary.texts()).await?;
    report.add_step("Nothing of the person is readable in any file", clear.found == 0, clear.to_json());
    let readable = count_readable(&server.node, &old).await?;
    report.add_step(
        "The records in the backup open while the person is known",
        readable > 0,
        json!({"Opened": readable}),
    );

    shop.forget(&canary).await?;
    wait_until_idle(&server).await?;
    let is_known = shop.is_known(&canary).await?;
    report.add_step("Forgotten: nobody is known under their identifiers", !is_known, json!({}));
    let left = scan_folders(&server.node, &folders, &canary.texts()).await?;
    report.add_step("Forgotten: nothing in any file of data and keys", left.found == 0, left.to_json());
    let new = folder.join("backup-after");
    backup::make(&server.node, new.clone(), |_| ()).await?;
    let left = scan_folders(&server.node, &[new], &canary.texts()).await?;
    report.add_step("A new backup holds nothing", left.found == 0, left.to_json());
    let readable = count_readable(&server.node, &old).await?;
    report.add_step(
        "Today's keys open no record of the old backup",
        readable == 0,
        json!({"Opened": readable}),
    );
    server.stop().await;

    let server = start_restored(folder, &config, &old).await?;
    let replayed = server.node.recovered.replayed;
    let told = json!({"Records": replayed.records, "People": replayed.subjects});
    report.add_step("The old backup is restored, and the erasure is done again", replayed.records > 0, told);
    wait_until_idle(&server).await?;
    let folders = [server.node.config.data_dir.clone(), config.key_dir.clone()];
    let left = scan_folders(&server.node, &folders, &canary.texts()).await?;
    report.add_step("Nothing is in the restored files", left.found == 0, left.to_json());
    let moved = shop.moved_to(&server);
    moved.plant(&canary).await?;
    wait_until_idle(&server).await?;
    moved.go_shopping(&canary).await?;
    impressions::store_all(&server.node).await;
    let left = scan_folders(&server.node, &folders, &canary.texts()).await?;
    let is_known = moved.is_known(&canary).await?;
    let is_out = left.found == 0 && !is_known;
    report.add_step("Nothing that is sent or done next brings them back", is_out, left.to_json());
    server.stop().await;
    shop.close().await;
    Ok(())
}

/// Sends the person through every door, and lets them shop.
async fn take_in(
    server: &Server,
    shop: &DrillShop,
    canary: &Canary,
    report: &mut DrillReport,
) -> Result<(), CliFault> {
    let planted = shop.plant(canary).await?;
    for (door, token) in &planted {
        report.add_step(format!("Planted: {door}"), true, json!({"Token": token}));
    }
    wait_until_idle(server).await?;
    let submissions = shop.submissions().await?;
    let shopped = shop.go_shopping(canary).await?;
    for (door, is_taken) in &shopped {
        report.add_step(format!("Shopped: {door}"), *is_taken, json!({}));
    }
    impressions::store_all(&server.node).await;
    let is_known = shop.is_known(canary).await?;
    let is_in = submissions == 0 && shopped.iter().all(|(_, is_taken)| *is_taken) && is_known;
    let of = json!({"Doors": planted.len() + shopped.len(), "NotDone": submissions});
    report.add_step("Every door took the person in", is_in, of);
    Ok(())
}

/// No other program asks the servers of the drill.
static METRICS_TOKEN: LazyLock<String> = LazyLock::new(|| uuid::Uuid::new_v4().to_string());

/// Settings of the drill and of nothing else: no file, no variable.
fn config(folder: &Path, data: &str) -> Config {
    Config {
        feed_allow: vec![ipnet::IpNet::from(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST))],
        metrics_token: Some(METRICS_TOKEN.clone()),
        ..Config::local(folder.join(data), folder.join("keys"))
    }
}

async fn start_restored(folder: &Path, before: &Config, backup: &Path) -> Result<Server, CliFault> {
    let config = Config { data_dir: folder.join("data-restored"), ..before.clone() };
    let lock = FolderLock::acquire(&config.data_dir)?;
    let asked = RestoreRequest {
        backup: backup.to_path_buf(),
        recovery_key: None,
        journal: None,
        accept_gap: false,
        change_engine: false,
    };
    let copying = config.clone();
    let lock = tokio::task::spawn_blocking(move || {
        restore::restore_backup(&copying, &lock, &asked, &mut |_| ()).map(|_| lock)
    });
    let lock = lock.await.unwrap_or(Err(RecoveryFault::BrokeOff))?;
    Server::start(Node::open_in(config.clone(), lock).await?, &config).await
}

/// Waits until no submission and no erasure waits any more.
async fn wait_until_idle(server: &Server) -> Result<(), CliFault> {
    let url = format!("http://{}/ready", server.address);
    let began = Instant::now();
    loop {
        let unreachable = |error: reqwest::Error| CliFault::Failed(error.to_string());
        let asking = client()?.get(&url).bearer_auth(METRICS_TOKEN.as_str()).send();
        let answer = asking.await.map_err(unreachable)?.text().await.map_err(unreachable)?;
        let ready: Value = serde_json::from_str(&answer).unwrap_or_default();
        let waiting = ready["Waiting"].as_object();
        if waiting.is_some_and(|kinds| kinds.values().all(|count| count == 0)) {
            return Ok(());
        }
        if began.elapsed() > WORK_DURATION {
            return Err(CliFault::Failed(format!(
                "the work of the drill does not end: {}",
                ready["Waiting"]
            )));
        }
        tokio::time::sleep(LOOK_DURATION).await;
    }
}

/// Result of a scan.
struct DrillScan {
    found: u64,
    files: u64,
    bytes: u64,
}

impl DrillScan {
    fn to_json(&self) -> Value {
        json!({"Found": self.found, "Files": self.files, "Bytes": self.bytes})
    }
}

async fn scan_folders(node: &Node, folders: &[PathBuf], texts: &[&str]) -> Result<DrillScan, CliFault> {
    let folders = folders.to_vec();
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let held = person_scan::special_files(node);
    let scanning = tokio::task::spawn_blocking(move || residue::scan(&folders, &texts, &held, &|_| Ok(())));
    let failed = |error: std::io::Error| CliFault::Failed(format!("a file cannot be scanned: {error}"));
    let seen = scanning.await.unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into())).map_err(failed)?;
    Ok(DrillScan {
        found: seen.found.iter().map(|found| found.times).sum(),
        files: seen.files,
        bytes: seen.bytes,
    })
}

/// Number of records of a backup that open with the present keys.
async fn count_readable(node: &Arc<Node>, backup: &Path) -> Result<u64, CliFault> {
    let keys = node.keys.clone();
    let database = backup.join("lethe.db");
    let opening = tokio::task::spawn_blocking(move || {
        read_copy(&database, |tx| {
            let mut opened = 0;
            for row in tx.run(&sql::record_keyed, args![])? {
                let subject = row.bytes("subject_id")?;
                let kind = row.text("kind")?;
                let n = row.int("n")?;
                let aad = record_aad(AccountId(row.int("account_id")?), &subject, kind, n);
                let sealer = SlotNumber::from_row(row.int("slot")?).and_then(|slot| keys.sealer(slot).ok());
                let sealed = row.blob("sealed")?;
                opened += u64::from(sealer.is_some_and(|sealer| sealer.open(&aad, sealed).is_ok()));
            }
            Ok(opened)
        })
    });
    let opened = opening.await.unwrap_or(Err(StoreFault::Panicked));
    opened.map_err(|fault| CliFault::Failed(fault.to_string()))
}
