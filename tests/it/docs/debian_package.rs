//! The Debian package: made of the programs that are tested here, and tried in a copy of the machine.

use std::path::Path;
use std::process::Command;

use crate::support::machine;

fn script(name: &str) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(root.join("scripts").join(name));
    command.current_dir(root);
    command
}

#[test]
fn the_package_installs_serves_upgrades_and_leaves_what_cannot_come_back() {
    let tools = [
        "cargo-deb",
        "dpkg-deb",
        "ip",
        "lintian",
        "python3",
        "setpriv",
        "strace",
        "systemd-analyze",
        "unshare",
    ];
    if !machine::has("the Debian package", true, &tools) {
        return;
    }
    // …/PROFILE/lethe
    let built = Path::new(env!("CARGO_BIN_EXE_lethe")).parent().expect("a folder");
    let profile = built.file_name().expect("its name");
    let folder = tempfile::tempdir().expect("a folder");
    let mut making = script("package");
    making.arg("--profile").arg(profile).arg("--output").arg(folder.path());
    let made = making.env("CARGO_TARGET_DIR", built.parent().expect("its folder")).output().expect("it runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let package = String::from_utf8(made.stdout).expect("a path");
    let tried = script("try-package").arg(package.trim()).output().expect("it runs");
    let said = String::from_utf8_lossy(&tried.stdout);
    assert!(tried.status.success(), "{said}{}", String::from_utf8_lossy(&tried.stderr));
}
