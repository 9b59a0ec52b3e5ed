//! Arrows between files: which file names which, through `use` and through paths. Circles are listed with a reason; an
//! arrow from a file back to the `mod.rs` of its folder is not allowed, as it makes one.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::sources::{assert_fell, outer_items, production_sources};

/// Files that name each other, directly or through others, with the reason why they do.
const CIRCLES: &[(&[&str], &str)] = &[(
    &["admission/tenant_permits.rs", "admission/tenant_semaphore.rs"],
    "a request that waits holds the sender of its permit, and a permit returns to the semaphore that holds the \
         requests",
)];

/// Most arrows from a file to the `mod.rs` of a folder around it, or to the file of that folder's name.
const ARROWS_BACK: usize = 0;

type ModulePath = Vec<String>;

/// Module of a file: `a::b` for `a/b.rs` and for `a/b/mod.rs`.
fn module_of(file: &str) -> ModulePath {
    let path = file.trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').filter(|part| *part != "lib").map(str::to_owned).collect()
}

/// A path in the code of `module`, from the root; `None` if it begins at another crate.
fn from_root(module: &[String], path: &[&str]) -> Option<ModulePath> {
    let is_step = |part: &str| ["crate", "self", "super"].contains(&part);
    is_step(path.first()?).then_some(())?;
    let mut absolute = if path[0] == "crate" { Vec::new() } else { module.to_vec() };
    for part in path.iter().take_while(|part| is_step(part)) {
        if *part == "super" {
            absolute.pop()?;
        }
    }
    absolute.extend(path.iter().filter(|part| !is_step(part)).map(|part| (*part).to_owned()));
    Some(absolute)
}

/// The paths of a tree of imports.
fn flatten(tree: &str, before: &str, paths: &mut Vec<String>) {
    match tree.split_once('{') {
        Some((path, group)) => {
            let before = format!("{before}{}", path.trim());
            outer_items(group).iter().for_each(|item| flatten(item, &before, paths));
        }
        None if tree.trim().is_empty() => {}
        None => paths.push(format!("{before}{}", tree.trim())),
    }
}

/// Names in the code of a file.
#[derive(Default)]
struct Named {
    /// Paths from the root.
    paths: Vec<ModulePath>,
    /// Names that it exports from another file: the path that each stands for.
    exported: BTreeMap<String, ModulePath>,
}

impl Named {
    fn add(&mut self, module: &[String], path: &str, is_exported: bool) {
        let (path, alias) = path.split_once(" as ").unwrap_or((path, ""));
        let parts: Vec<&str> = path.split("::").filter(|part| !part.is_empty()).collect();
        let Some(absolute) = from_root(module, &parts) else { return };
        let name = if alias.is_empty() { parts[parts.len() - 1] } else { alias };
        if is_exported {
            self.exported.insert(name.to_owned(), absolute);
        } else {
            self.paths.push(absolute);
        }
    }
}

/// Names in `text`, the file of `module`: in its imports, and in paths between them.
fn named_in(module: &[String], text: &str) -> Named {
    let mut named = Named::default();
    let mut import: Option<(bool, String)> = None;
    for line in text.lines().map(str::trim_start).filter(|line| !line.starts_with("//")) {
        let (visibility, begin) = match line.split_once("use ") {
            Some((before, tree)) if before.is_empty() || before.starts_with("pub") => (before, Some(tree)),
            _ => ("", None),
        };
        let (is_exported, mut tree) = match (import.take(), begin) {
            (Some((is_exported, tree)), _) => (is_exported, tree + line),
            (None, Some(tree)) => (!visibility.is_empty(), tree.to_owned()),
            (None, None) => {
                let code = match line.split_once("pub(in ") {
                    Some((_, rest)) => rest.split_once(')').map_or(rest, |(_, code)| code),
                    None => line,
                };
                let is_path = |letter: char| letter.is_alphanumeric() || "_:".contains(letter);
                let paths = code.split(|letter| !is_path(letter)).filter(|path| path.contains("::"));
                paths.for_each(|path| named.add(module, path, false));
                continue;
            }
        };
        if let Some(end) = tree.find(';') {
            tree.truncate(end);
            let mut paths = Vec::new();
            flatten(&tree, "", &mut paths);
            paths.iter().for_each(|path| named.add(module, path, is_exported));
        } else {
            import = Some((is_exported, tree));
        }
    }
    named
}

/// The arrows of each file to other files: behind exported names lies the file that defines the thing.
fn arrows() -> BTreeMap<String, BTreeSet<String>> {
    let texts = production_sources();
    let files: BTreeMap<ModulePath, &String> =
        texts.iter().map(|(name, _)| (module_of(name), name)).collect();
    let named: BTreeMap<ModulePath, Named> =
        texts.iter().map(|(name, text)| (module_of(name), named_in(&module_of(name), text))).collect();
    let target = |path: &ModulePath| {
        let mut path = path.clone();
        // An exported name may stand for an exported name.
        for _ in 0..5 {
            let length = (1..=path.len()).rev().find(|length| files.contains_key(&path[..*length]))?;
            let exported = path.get(length).and_then(|name| named[&path[..length]].exported.get(name));
            let Some(exported) = exported else { return Some(files[&path[..length]].clone()) };
            path = exported.iter().chain(&path[length + 1..]).cloned().collect();
        }
        None
    };
    let arrows = named.iter().map(|(module, named)| {
        let own = files[module];
        let targets = named.paths.iter().filter_map(target).filter(|target| target != own);
        (own.clone(), targets.collect())
    });
    arrows.collect()
}

/// All files that `file` names, directly or through others.
fn reached<'a>(arrows: &'a BTreeMap<String, BTreeSet<String>>, file: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next = vec![file];
    while let Some(file) = next.pop() {
        let targets = arrows.get(file).into_iter().flatten().map(String::as_str);
        next.extend(targets.filter(|target| reached.insert(*target)));
    }
    reached
}

#[test]
fn circles_between_files_are_known() {
    let arrows = arrows();
    let all: BTreeMap<&str, BTreeSet<&str>> =
        arrows.keys().map(|file| (file.as_str(), reached(&arrows, file))).collect();
    let mut circles: BTreeSet<Vec<&str>> = BTreeSet::new();
    for (file, reached) in all.iter().filter(|(file, reached)| reached.contains(*file)) {
        circles.insert(reached.iter().filter(|other| all[*other].contains(file)).copied().collect());
    }
    let known: BTreeSet<Vec<&str>> = CIRCLES.iter().map(|(files, _)| files.to_vec()).collect();
    let new: Vec<_> = circles.difference(&known).collect();
    assert!(
        new.is_empty(),
        "files that name each other; move the shared type to a file of its own: {new:#?}"
    );
    let open: Vec<_> = known.difference(&circles).collect();
    assert!(open.is_empty(), "no circles any more, take them out of the table: {open:#?}");
}

#[test]
fn files_do_not_name_the_file_of_their_folder() {
    let is_around = |file: &str, target: &str| {
        let module = module_of(file);
        let around = module_of(target);
        !around.is_empty() && around.len() < module.len() && module.starts_with(&around)
    };
    let mut back = Vec::new();
    for (file, targets) in &arrows() {
        let targets = targets.iter().filter(|target| is_around(file, target));
        back.extend(targets.map(|target| format!("{file} names something of {target}")));
    }
    assert_fell("arrows back to the file of a folder", ARROWS_BACK, back.len(), &back);
}

#[test]
fn names_are_found_in_imports_and_paths() {
    let module = ["a".to_owned(), "b".to_owned()];
    let text = "use super::{c::{D, E as F}, g};\npub use self::h::I as J;\nuse std::fmt;\nfn k() -> crate::l::M {\n\
                super::super::n::o()\n}\npub(in crate::p) fn q() {}\n// crate::r::S\n";
    let named = named_in(&module, text);
    let paths: Vec<String> = named.paths.iter().map(|path| path.join("::")).collect();
    assert_eq!(paths, ["a::c::D", "a::c::E", "a::g", "l::M", "n::o"]);
    assert_eq!(named.exported["J"].join("::"), "a::b::h::I");
}
