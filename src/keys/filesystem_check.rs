//! The file system under the key files, and what an operator should know about it.
//!
//! Destroying a key means that its block is overwritten where it lies. Some file systems write the new block
//! elsewhere and leave the old one, and some keep a journal of the blocks; on them an old block of `slots.key` or
//! `epoch.key` can be found on the raw device until its place is used again.

use std::path::{Path, PathBuf};

const WITHOUT_MIRROR: &str = "there is no key mirror: when the key folder is lost, all profiles and orders are lost for \
                              ever; name a folder on another disk with --key-mirror";

/// A mounted file system, as the kernel lists it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Mount {
    device: String,
    point: PathBuf,
    kind: String,
    options: String,
}

/// Warnings about the places of the keys, a sentence each; none names a path.
#[must_use]
pub fn warnings(folder: &Path, mirror: Option<&Path>, data: &Path) -> Vec<String> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mounts: Vec<_> = mounts.lines().filter_map(parse).collect();
    let mut said = warn_about_folder("the key folder", folder, data, &mounts);
    let Some(mirror) = mirror else {
        said.push(WITHOUT_MIRROR.to_owned());
        return said;
    };
    said.extend(warn_about_folder("the key mirror", mirror, data, &mounts));
    if is_same_device(folder, mirror) {
        said.push(
            "the key mirror is on the same file system as the key folder: one broken disk takes both".into(),
        );
    }
    said
}

fn warn_about_folder(what: &str, folder: &Path, data: &Path, mounts: &[Mount]) -> Vec<String> {
    let mut said = Vec::new();
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let data = std::fs::canonicalize(data).unwrap_or_else(|_| data.to_owned());
    if folder.starts_with(&data) {
        said.push(format!("{what} is inside the data folder: who copies the data takes the keys along"));
    }
    if let Some(risk) =
        mount_of(&folder, mounts).and_then(|mount| risk(mount, &journal_options(&mount.device)))
    {
        said.push(format!("{what} is on {risk}"));
    }
    said
}

/// The file system of an existing path without links: the longest mount point above it, of equal ones the last,
/// which covers the others.
fn mount_of<'a>(path: &Path, mounts: &'a [Mount]) -> Option<&'a Mount> {
    let above = mounts.iter().filter(|mount| path.starts_with(&mount.point));
    above.max_by_key(|mount| mount.point.as_os_str().len())
}

/// Warning about keeping keys on this mount. `journal` holds the ext4 options in force, including those in its
/// superblock that the list of mounts lacks.
fn risk(mount: &Mount, journal: &str) -> Option<String> {
    let kind = mount.kind.as_str();
    let keeps_data_in_journal =
        |options: &str| options.split([',', '\n']).any(|option| option == "data=journal");
    let reason = match kind {
        "btrfs" | "zfs" | "bcachefs" | "nilfs2" | "f2fs" | "ubifs" | "jffs2" => {
            "which writes every change to a new block"
        }
        "xfs" => "where files may share blocks, and a shared one is not overwritten",
        "overlay" | "aufs" => "a layered file system, whose lower layers keep what they had",
        "nfs" | "nfs4" | "cifs" | "smb3" | "9p" | "afs" | "ceph" | "glusterfs" | "virtiofs" | "vboxsf" => {
            "a file system of another machine, which this one cannot make overwrite anything"
        }
        "ext3" | "ext4" if keeps_data_in_journal(&mount.options) || keeps_data_in_journal(journal) => {
            "mounted with data=journal, whose journal keeps old blocks"
        }
        _ if kind.starts_with("fuse") => {
            "a file system that a program provides, and nobody knows what it overwrites"
        }
        _ => return None,
    };
    Some(format!(
        "{kind}, {reason}: a destroyed key may be found on the raw disk; prefer ext4 with data=ordered, and keep no \
         snapshots of it"
    ))
}

/// Everything ext4 has in force for a device given as major:minor; empty for other file systems.
fn journal_options(device: &str) -> String {
    let name = std::fs::read_link(Path::new("/sys/dev/block").join(device)).ok();
    let name = name.and_then(|path| Some(path.file_name()?.to_owned())).unwrap_or_default();
    std::fs::read_to_string(Path::new("/proc/fs/ext4").join(name).join("options")).unwrap_or_default()
}

/// A line of mountinfo: id, parent, major:minor, root, mount point, options, optional fields, `-`, kind, source,
/// options of the file system (proc(5)).
fn parse(line: &str) -> Option<Mount> {
    let (before, after) = line.split_once(" - ")?;
    let mut before = before.split(' ');
    let device = before.nth(2)?;
    let point = before.nth(1)?;
    let mut after = after.split(' ');
    let kind = after.next()?;
    let options = after.nth(1)?;
    Some(Mount {
        device: device.to_owned(),
        point: unescape(point),
        kind: kind.to_owned(),
        options: options.to_owned(),
    })
}

/// Spaces and the like are written as a backslash and three octal digits.
fn unescape(text: &str) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(escaped) if byte == b'\\' => {
                bytes.push(escaped);
                rest = &after[3..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    std::ffi::OsString::from_vec(bytes).into()
}

fn is_same_device(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| std::fs::metadata(path).map(|found| found.dev()).ok();
    device(one).is_some() && device(one) == device(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
22 1 0:20 / / rw,relatime shared:1 - overlay overlay rw,lowerdir=/l,upperdir=/u,workdir=/w
30 22 8:1 / /srv rw,relatime shared:2 master:3 - ext4 /dev/sda1 rw
31 30 0:44 /keys /srv/my\\040keys rw,noatime - btrfs /dev/sdb rw,subvol=/keys
32 22 8:2 / /var rw - ext4 /dev/sda2 rw,data=journal
33 22 0:50 / /net rw - nfs4 host:/export rw,vers=4.2
34 22 8:3 / /srv/x rw - xfs /dev/sdc rw,attr2
35 34 8:4 / /srv/x rw - ext4 /dev/sdd rw,data=ordered";

    fn kind(path: &str) -> Option<(String, bool)> {
        let mounts: Vec<_> = MOUNTS.lines().filter_map(parse).collect();
        let mount = mount_of(Path::new(path), &mounts)?;
        Some((mount.kind.clone(), risk(mount, "").is_some()))
    }

    #[test]
    fn the_file_system_of_a_folder_is_the_innermost_mount_and_of_two_the_later() {
        let found = |kind: &str, risk| Some((kind.to_owned(), risk));
        assert_eq!(kind("/home/keys"), found("overlay", true));
        assert_eq!(kind("/srv/keys"), found("ext4", false));
        assert_eq!(kind("/srv/my keys/deep"), found("btrfs", true));
        assert_eq!(kind("/srv/my"), found("ext4", false));
        assert_eq!(kind("/var/lib/keys"), found("ext4", true));
        assert_eq!(kind("/net/keys"), found("nfs4", true));
        assert_eq!(kind("/srv/x/keys"), found("ext4", false));
        assert_eq!(kind("relative"), None);
    }

    #[test]
    fn a_journal_of_data_is_found_also_when_it_stands_in_the_superblock() {
        let mount = parse(MOUNTS.lines().nth(1).unwrap()).unwrap();
        assert!(risk(&mount, "rw\nbarrier\ndata=ordered\n").is_none());
        assert!(risk(&mount, "rw\nbarrier\ndata=journal\n").unwrap().contains("data=journal"));
    }

    #[test]
    fn lines_that_are_none_are_left_out() {
        for line in ["", "22 1 0:20 / /", "- ext4 x y", "a - b", "22 1 0:20 / / rw - ext4"] {
            assert!(parse(line).is_none(), "{line}");
        }
    }

    #[test]
    fn keys_inside_the_data_folder_and_a_mirror_on_the_same_disk_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let keys = folder.path().join("data/keys");
        let mirror = folder.path().join("mirror");
        std::fs::create_dir_all(&keys).unwrap();
        std::fs::create_dir(&mirror).unwrap();
        let said = warnings(&keys, Some(&mirror), &data).join("\n");
        assert!(said.contains("the key folder is inside the data folder"), "{said}");
        assert!(said.contains("one broken disk takes both"), "{said}");
        assert!(!said.contains(&*folder.path().to_string_lossy()), "{said}");
        assert!(!said.contains("the key mirror is inside") && !said.contains("no key mirror"), "{said}");
        assert!(warnings(&keys, None, &data).concat().contains("there is no key mirror"));
    }

    #[test]
    fn every_kind_of_file_system_has_its_reason_or_none() {
        let at = |kind: &str, options: &str| {
            let line = format!("40 22 0:60 / /keys rw - {kind} - {options}");
            parse(&line).and_then(|mount| risk(&mount, ""))
        };
        let copies = "which writes every change to a new block";
        let shares = "where files may share blocks, and a shared one is not overwritten";
        let layers = "a layered file system, whose lower layers keep what they had";
        let far = "a file system of another machine, which this one cannot make overwrite anything";
        let journal = "mounted with data=journal, whose journal keeps old blocks";
        let program = "a file system that a program provides, and nobody knows what it overwrites";
        for (kind, options, reason) in [
            ("btrfs", "rw", copies),
            ("jffs2", "rw", copies),
            ("xfs", "rw", shares),
            ("overlay", "rw", layers),
            ("aufs", "rw", layers),
            ("nfs", "rw", far),
            ("vboxsf", "rw", far),
            ("ext3", "rw,data=journal", journal),
            ("ext4", "data=journal,rw", journal),
            ("fuse", "rw", program),
            ("fuse.sshfs", "rw", program),
        ] {
            let said = format!(
                "{kind}, {reason}: a destroyed key may be found on the raw disk; prefer ext4 with data=ordered, and \
                 keep no snapshots of it"
            );
            assert_eq!(at(kind, options), Some(said));
        }
        for (kind, options) in [("ext4", "rw,data=ordered"), ("tmpfs", "data=journal"), ("xfs2", "rw")] {
            assert_eq!(at(kind, options), None, "{kind}");
        }
    }

    #[test]
    fn a_mirror_inside_the_data_folder_is_told_and_one_that_is_away_is_on_no_disk() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let mirror = data.join("mirror");
        std::fs::create_dir_all(&mirror).unwrap();
        let apart = |said: Vec<String>| {
            said.into_iter().filter(|sentence| !sentence.contains(" is on ")).collect::<Vec<_>>()
        };
        let inside = "the key mirror is inside the data folder: who copies the data takes the keys along";
        assert_eq!(apart(warnings(folder.path(), Some(&mirror), &data)), [inside]);
        let same = "the key mirror is on the same file system as the key folder: one broken disk takes both";
        let told = |one: &Path, other: &Path| {
            warnings(one, Some(other), &data).iter().filter(|sentence| *sentence == same).count()
        };
        let away = folder.path().join("away");
        assert_eq!([told(folder.path(), &mirror), told(&away, &mirror), told(&mirror, &away)], [1, 0, 0]);
        assert_eq!(told(&away, &away), 0, "nobody knows where it is");
        assert_eq!(apart(warnings(folder.path(), None, &data)), [WITHOUT_MIRROR]);
    }
}
