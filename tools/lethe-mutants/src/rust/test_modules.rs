//! Files that are compiled for tests alone, whatever they are called.

use std::collections::HashSet;

use syn::{Attribute, Expr, ExprLit, Item, ItemMod, Lit, Meta};

use super::left_out::has_test_attribute;

/// Modules that are declared for tests alone: `#[cfg(test)] mod attack;`.
#[derive(Default)]
pub struct TestModules {
    /// Their files without the ending: the folders of the modules within them.
    stems: HashSet<String>,
}

impl TestModules {
    /// Adds the modules that a file of Rust declares; a text that is not Rust declares none.
    pub fn add_file(&mut self, file: &str, text: &str) {
        let Ok(syntax) = syn::parse_file(text) else { return };
        let modules = syntax.items.iter().filter_map(|item| match item {
            Item::Mod(module) if module.content.is_none() => Some(module),
            _ => None,
        });
        let of_tests = modules.filter(|module| has_test_attribute(&module.attrs));
        self.stems.extend(of_tests.map(|module| stem_of(file, module)));
    }

    /// Returns true if a file is one of these modules, or a module within one.
    #[must_use]
    pub fn contains(&self, file: &str) -> bool {
        let stem = file.strip_suffix(".rs").unwrap_or(file);
        self.stems.iter().any(|module| {
            let rest = stem.strip_prefix(module.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

/// The file of a module without its ending, by the file that declares it.
fn stem_of(file: &str, module: &ItemMod) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    let folder = &file[..file.len() - name.len()];
    if let Some(path) = module.attrs.iter().find_map(path_of) {
        return format!("{folder}{}", path.strip_suffix(".rs").unwrap_or(&path));
    }
    match name {
        "lib.rs" | "main.rs" | "mod.rs" => format!("{folder}{}", module.ident),
        _ => format!("{}/{}", file.strip_suffix(".rs").unwrap_or(file), module.ident),
    }
}

/// The file that an attribute names: `#[path = "replay_tests.rs"]`.
fn path_of(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(named) if named.path.is_ident("path") => match &named.value {
            Expr::Lit(ExprLit { lit: Lit::Str(path), .. }) => Some(path.value()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Picks the files that are compiled for tests alone, where one file has this text.
    fn list_tests<'f>(declaring: &str, text: &str, files: &[&'f str]) -> Vec<&'f str> {
        let mut modules = TestModules::default();
        modules.add_file(declaring, text);
        files.iter().copied().filter(|file| modules.contains(file)).collect()
    }

    #[test]
    fn a_module_that_is_declared_for_tests_alone_is_a_test_whatever_its_name() {
        let text = "#[cfg(test)]\nmod attack;\n#[cfg(all(test, unix))]\npub(crate) mod testing;\nmod tests;\n\
                    #[cfg(unix)]\nmod attacks;\n#[cfg(test)]\nmod inline { mod deep; }";
        let of_attack = ["src/a/attack.rs", "src/a/attack/mod.rs", "src/a/attack/b/c.rs"];
        let others =
            ["src/a/tests.rs", "src/a/attacks.rs", "src/a/inline.rs", "src/attack.rs", "src/a/mod.rs"];
        let files = [&of_attack[..], &["src/a/testing.rs"], &others].concat();
        assert_eq!(list_tests("src/a/mod.rs", text, &files), files[..4]);
        assert!(list_tests("src/a/mod.rs", "mod attack", &files).is_empty(), "no Rust");
    }

    #[test]
    fn the_file_that_declares_a_module_says_where_it_lies() {
        let declared = "#[cfg(test)]\nmod attack;";
        let files =
            ["src/attack.rs", "src/a/attack.rs", "src/a/b/attack.rs", "src/a/b_attack.rs", "attack.rs"];
        for (declaring, text, expected) in [
            ("src/lib.rs", declared, "src/attack.rs"),
            ("src/main.rs", declared, "src/attack.rs"),
            ("src/a.rs", declared, "src/a/attack.rs"),
            ("src/a/b.rs", declared, "src/a/b/attack.rs"),
            ("main.rs", declared, "attack.rs"),
            ("src/a/b.rs", "#[cfg(test)]\n#[path = \"b_attack.rs\"]\nmod tests;", "src/a/b_attack.rs"),
        ] {
            assert_eq!(list_tests(declaring, text, &files), [expected], "{declaring}");
        }
    }
}
