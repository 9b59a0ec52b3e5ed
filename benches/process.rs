//! Resource use of processes, from `/proc`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The program that is measured: that of this build, or the one that `LETHE_TEST_PROGRAM` names.
pub fn program() -> OsString {
    std::env::var_os("LETHE_TEST_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_lethe").into())
}

/// Fields of `stat` after the name: user and system time in ticks, and those of children that were waited for.
const OWN_TIME: std::ops::Range<usize> = 11..13;
const ALL_TIME: std::ops::Range<usize> = 11..15;
const TICKS_PER_SECOND: f64 = 100.0;

/// CPU-seconds of a process so far; `None` when it is gone.
pub fn cpu_seconds(process: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    Some(seconds_in(stat.rsplit(')').next()?, OWN_TIME))
}

/// Nanoseconds that each thread of a process has run so far.
pub fn cpu_nanoseconds(process: u32) -> BTreeMap<OsString, u64> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let ran = |thread: std::fs::DirEntry| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        Some((thread.file_name(), text.split(' ').next()?.parse().ok()?))
    };
    threads.filter_map(ran).collect()
}

/// Nanoseconds that all threads of a process have run since then. A thread that ended meanwhile is not counted.
pub fn nanoseconds_since(before: &BTreeMap<OsString, u64>, process: u32) -> u64 {
    let now = cpu_nanoseconds(process);
    now.iter().map(|(thread, ran)| ran - before.get(thread).unwrap_or(&0)).sum()
}

/// CPU-seconds of all processes of this name, and of their children that have ended.
pub fn all_cpu_seconds(name: &str) -> f64 {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let stats = processes.filter_map(|process| std::fs::read_to_string(process.path().join("stat")).ok());
    stats
        .filter_map(|stat| {
            let open = stat.find('(')?;
            let close = stat.rfind(')')?;
            (&stat[open + 1..close] == name).then(|| seconds_in(&stat[close + 1..], ALL_TIME))
        })
        .sum()
}

fn seconds_in(fields: &str, which: std::ops::Range<usize>) -> f64 {
    let fields: Vec<&str> = fields.split_whitespace().collect();
    which.filter_map(|n| fields.get(n)?.parse::<f64>().ok()).sum::<f64>() / TICKS_PER_SECOND
}

/// A size in bytes out of the process's `status`; `None` when it is gone.
pub fn memory(process: u32, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// Numbers of a process's open files and mapped pieces of memory; the system allows 65,530 of the latter.
pub fn open_files(process: u32) -> [usize; 2] {
    let files = std::fs::read_dir(format!("/proc/{process}/fd")).expect("it runs").count();
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).expect("it runs");
    [files, maps.lines().count()]
}

/// Number of threads of a process.
pub fn threads(process: u32) -> usize {
    std::fs::read_dir(format!("/proc/{process}/task")).expect("it runs").count()
}

/// Resets the peak of its memory.
pub fn forget_peak(process: u32) {
    std::fs::write(format!("/proc/{process}/clear_refs"), "5").expect("its own process");
}

/// Resource use of a command.
pub struct Used {
    pub elapsed: Duration,
    pub cpu_seconds: f64,
    pub peak_bytes: u64,
}

/// Runs a command of `lethe` that has to succeed.
#[expect(clippy::disallowed_methods, reason = "a process gives no signal that could be waited on")]
pub fn lethe(args: &[&str]) -> Used {
    let mut command = Command::new(program());
    let began = Instant::now();
    let mut child: Child = command.args(args).stdout(Stdio::null()).spawn().expect("lethe starts");
    let mut used = Used { elapsed: Duration::ZERO, cpu_seconds: 0.0, peak_bytes: 0 };
    let status = loop {
        // A process that has ended shows no memory any more.
        used.peak_bytes = memory(child.id(), "VmHWM:").unwrap_or(used.peak_bytes);
        used.cpu_seconds = cpu_seconds(child.id()).unwrap_or(used.cpu_seconds);
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            break status;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(status.success(), "lethe {args:?}");
    used.elapsed = began.elapsed();
    used
}
