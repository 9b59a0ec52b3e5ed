//! Means of the machine for planting faults: root, programs, disks that can be cut off or filled.

#![expect(clippy::unwrap_used, reason = "what fails here is the test")]
#![expect(clippy::print_stdout, reason = "what was not run is for people")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::support::waits::{pause, wait_until};

/// Number of plantings of a fault: `LETHE_TEST_…`, or a number that fits into every run.
pub fn repetitions(variable: &str, default: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Returns true if the machine has all means; prints it if not, and fails if they were demanded.
///
/// `strace` counts as in need of root: many machines forbid anyone else to hold on to a running process.
pub fn has(what: &str, root: bool, programs: &[&str]) -> bool {
    let missing: Vec<_> = programs.iter().filter(|program| !is_installed(program)).collect();
    let why = match (root && !rustix::process::geteuid().is_root(), missing.as_slice()) {
        (false, []) => return true,
        (true, _) => "root is needed".to_owned(),
        (false, missing) => format!("install {missing:?}"),
    };
    let strict = std::env::var_os("LETHE_TEST_STRICT").is_some_and(|strict| strict == "1");
    assert!(!strict, "NOT RUN: {what}: {why}");
    println!("NOT RUN: {what}: {why}");
    false
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/sbin".into()])
        .any(|dir| dir.join(program).exists())
}

/// Runs a program that has to succeed.
pub fn run(program: &str, args: &[&str]) {
    let ended = Command::new(program).args(args).output().unwrap();
    assert!(ended.status.success(), "{program} {args:?}: {}", String::from_utf8_lossy(&ended.stderr));
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A file system of its own; unmounted when dropped.
pub struct Disk {
    folder: TempDir,
    mount: PathBuf,
}

impl Disk {
    /// ext4 in an image file, whose power can be cut.
    pub fn ext4() -> Self {
        let disk = Self::unmounted();
        let image = std::fs::File::create(disk.image()).unwrap();
        image.set_len(192 << 20).unwrap();
        run("mkfs.ext4", &["-q", "-F", text(&disk.image())]);
        disk.mount_image();
        disk
    }

    /// The same, with a journal that keeps the data too: by an option of the mount, or by one that stands in the file
    /// system itself.
    pub fn ext4_journaling_data(in_superblock: bool) -> Self {
        let disk = Self::unmounted();
        std::fs::File::create(disk.image()).unwrap().set_len(192 << 20).unwrap();
        run("mkfs.ext4", &["-q", "-F", text(&disk.image())]);
        if in_superblock {
            run("tune2fs", &["-o", "journal_data", text(&disk.image())]);
            disk.mount_image();
        } else {
            run("mount", &["-o", "loop,data=journal", text(&disk.image()), text(&disk.mount)]);
        }
        disk
    }

    /// A file system in memory of this size.
    pub fn tmpfs(bytes: u64) -> Self {
        let disk = Self::unmounted();
        run("mount", &["-t", "tmpfs", "-o", &format!("size={bytes}"), "lethe-test", text(&disk.mount)]);
        disk
    }

    fn unmounted() -> Self {
        let folder = TempDir::new().unwrap();
        let mount = folder.path().join("mount");
        std::fs::create_dir(&mount).unwrap();
        Self { folder, mount }
    }

    fn image(&self) -> PathBuf {
        self.folder.path().join("image")
    }

    fn mount_image(&self) {
        run("mount", &["-o", "loop", text(&self.image()), text(&self.mount)]);
    }

    /// The raw bytes of the device, read while the file system is not mounted.
    pub fn read_image(&self) -> Vec<u8> {
        run("umount", &[text(&self.mount)]);
        let image = std::fs::read(self.image()).unwrap();
        self.mount_image();
        image
    }

    pub fn path(&self) -> &Path {
        &self.mount
    }

    /// The power goes: from now on nothing reaches the image, and unsynced bytes are gone.
    pub fn cut_power(&self) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/faults/ext4_shutdown.py");
        run("python3", &[script, text(&self.mount)]);
    }

    /// The power comes back.
    pub fn restore(&self) {
        run("umount", &[text(&self.mount)]);
        self.mount_image();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.mount).status();
    }
}

/// `strace` holding on to a running process; lets go when dropped.
pub struct Strace(Child);

impl Strace {
    /// Injects into every thread of `pid`, each with a count of its own; only where `path` is touched, if given.
    pub fn attach(pid: u32, path: Option<&Path>, inject: &str) -> Self {
        let mut command = Command::new("strace");
        let call = inject.split(':').next().unwrap_or_default();
        command.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")]);
        command.args(["-e", &format!("inject={inject}"), "-p", &pid.to_string()]);
        if let Some(path) = path {
            command.arg("-P").arg(path);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let strace = Self(command.spawn().unwrap());
        wait_until("strace holds on to every thread", || {
            let threads = std::fs::read_dir(format!("/proc/{pid}/task")).ok()?;
            let is_held = |thread: std::io::Result<std::fs::DirEntry>| {
                let status = std::fs::read_to_string(thread.ok()?.path().join("status")).ok()?;
                Some(!status.contains("TracerPid:\t0\n"))
            };
            threads.map(is_held).all(|held| held == Some(true)).then_some(())
        });
        strace
    }
}

impl Drop for Strace {
    fn drop(&mut self) {
        // Asked to end, it lets go of the process. It sometimes waits for ever for one that it has killed.
        let _ = kill_process(Pid::from_child(&self.0), Signal::INT);
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(1) && matches!(self.0.try_wait(), Ok(None)) {
            pause(Duration::from_millis(5));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
