//! Lists that a shop replaces as a whole (`lethe rules`, `lethe zones`): print, change and restore them.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::print::print_line;
use super::table::{cell, row, table, time};
use super::view::items;
use crate::addresses::printable;

/// A kind of list: its name in files and requests, and where the server has it.
pub struct ListResource {
    /// `Rules`.
    pub name: &'static str,
    /// `/api/rules`.
    pub path: &'static str,
    /// The command that shows an example of the file.
    pub help: &'static str,
}

impl ListResource {
    /// Prints the live list, or that of a version, as a file.
    ///
    /// # Errors
    /// When the server cannot be asked or refuses.
    pub async fn list(
        &self,
        context: &CommandContext,
        of: Option<i64>,
        whose: &AccountOption,
    ) -> Result<(), CliFault> {
        let now = Api::open(context, whose)?.post(self.path, &json!({ "Version": of })).await?;
        let file = json!({ self.name: now[self.name] });
        print_line(if context.json { now } else { file });
        Ok(())
    }

    /// Prints the published versions, newest first.
    ///
    /// # Errors
    /// When the server cannot be asked or refuses.
    pub async fn history(&self, context: &CommandContext, whose: &AccountOption) -> Result<(), CliFault> {
        let kept = Api::open(context, whose)?.post(&self.operation_path("history"), &json!({})).await?;
        if context.json {
            print_line(&kept);
            return Ok(());
        }
        let mut rows = vec![row(["Version", "Published", self.name, "Restores"])];
        rows.extend(items(&kept).map(|kept| {
            vec![cell(&kept["Version"]), time(&kept["MadeAt"]), cell(&kept["Count"]), cell(&kept["Restored"])]
        }));
        table(&rows).iter().for_each(print_line);
        Ok(())
    }

    /// Brings an earlier list back.
    ///
    /// # Errors
    /// When the server cannot be asked or refuses.
    pub async fn undo(
        &self,
        context: &CommandContext,
        of: Option<i64>,
        whose: &AccountOption,
    ) -> Result<(), CliFault> {
        let asked = of.map_or(json!({}), |version| json!({ "Version": version }));
        let undone = Api::open(context, whose)?.post(&self.operation_path("undo"), &asked).await?;
        print_line(if context.json { undone.to_string() } else { format_live(&undone) });
        Ok(())
    }

    /// Shows the changes that a file makes, and with `yes` makes them.
    ///
    /// # Errors
    /// When the file cannot be read, or the server cannot be asked or refuses.
    pub async fn apply_file(
        &self,
        context: &CommandContext,
        file: &Path,
        yes: bool,
        whose: &AccountOption,
    ) -> Result<(), CliFault> {
        let wanted = self.read_file(file)?;
        let api = Api::open(context, whose)?;
        let now = api.post(self.path, &json!({})).await?;
        let plan = plan(&now[self.name], &wanted);
        if !yes {
            if context.json {
                print_line(json!({ "Plan": plan }));
            } else {
                plan.iter().for_each(print_line);
                print_line(if plan.is_empty() {
                    "Nothing: this is the live list."
                } else {
                    "Nothing was published yet: add --yes to publish."
                });
            }
            return Ok(());
        }
        let asked = json!({self.name: wanted, "Before": now["Version"]});
        let set = api.post(&self.operation_path("set"), &asked).await?;
        if context.json {
            print_line(&set);
            return Ok(());
        }
        plan.iter().for_each(print_line);
        items(&set["Warnings"])
            .for_each(|warning| print_line(printable(warning.as_str().unwrap_or_default())));
        print_line(format_live(&set));
        Ok(())
    }

    /// The list of a file: a list, or an object with one by its name.
    ///
    /// # Errors
    /// When it cannot be read, or holds none.
    pub fn read_file(&self, file: &Path) -> Result<Value, CliFault> {
        let name = file.display();
        let text = std::fs::read(file).map_err(|error| CliFault::unreadable(&name, &error))?;
        let read: Value = serde_json::from_slice(&text)
            .map_err(|fault| CliFault::Usage(format!("{name} is no JSON: {fault}")))?;
        let list = read.get(self.name).unwrap_or(&read);
        let what = self.name.to_lowercase();
        list.is_array().then(|| list.clone()).ok_or_else(|| {
            CliFault::Usage(format!("{name} has no list of {what}; `{}` shows a file", self.help))
        })
    }

    fn operation_path(&self, what: &str) -> String {
        format!("{}/{what}", self.path)
    }
}

/// The sentence after a list was published or restored, as in the console.
fn format_live(answer: &Value) -> String {
    format!("Version {} is live.", answer["Version"])
}

/// Change of each entry, a line each; a change of the order alone is one line.
fn plan(before: &Value, after: &Value) -> Vec<String> {
    let old = by_id(before);
    let new = by_id(after);
    let mut plan = Vec::new();
    for (id, entry) in &new {
        match old.get(id) {
            None => plan.push(format!("+ {}", printable(id))),
            Some(old) if old != entry => plan.push(format!("~ {}", printable(id))),
            Some(_) => {}
        }
    }
    let gone = old.keys().filter(|id| !new.contains_key(*id));
    plan.extend(gone.map(|id| format!("- {}", printable(id))));
    if plan.is_empty() && before != after {
        plan.push("~ their order".to_owned());
    }
    plan
}

fn by_id(list: &Value) -> BTreeMap<&str, &Value> {
    items(list).map(|entry| (entry["Id"].as_str().unwrap_or_default(), entry)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_a_list_or_an_object_with_one_by_its_name() {
        let rules = ListResource { name: "Rules", path: "/api/rules", help: "lethe rules apply --help" };
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("rules.json");
        let read = |text: &str| {
            std::fs::write(&file, text).expect("written");
            rules.read_file(&file).map_err(|fault| (fault.to_string(), fault.exit_code()))
        };
        assert_eq!(read(r#"[{"Id":"a"}]"#), Ok(json!([{"Id": "a"}])));
        assert_eq!(read(r#"{"Rules":[1],"Other":[2]}"#), Ok(json!([1])));
        let none =
            format!("{} has no list of rules; `lethe rules apply --help` shows a file", file.display());
        for wrong in [r#"{"Campaigns":[]}"#, r#"{"Rules":{}}"#, "7"] {
            assert_eq!(read(wrong), Err((none.clone(), 2)), "{wrong}");
        }
        let (sentence, code) = read("[").expect_err("no JSON");
        assert!(sentence.starts_with(&format!("{} is no JSON: ", file.display())) && code == 2, "{sentence}");
        let absent = rules.read_file(&folder.path().join("absent.json")).expect_err("no file");
        assert!(absent.to_string().contains("absent.json cannot be read: ") && absent.exit_code() == 2);
        assert_eq!(rules.operation_path("undo"), "/api/rules/undo");
    }

    #[test]
    fn a_plan_names_each_entry_that_comes_changes_or_goes() {
        let entry = |id: &str, shown: &str| json!({"Id": id, "Html": shown});
        let before = json!([entry("a", "1"), entry("b", "1"), entry("c", "1")]);
        let after = json!([entry("d", "1"), entry("b", "2"), entry("a", "1")]);
        assert_eq!(plan(&before, &after), ["~ b", "+ d", "- c"]);
        let turned = json!([entry("c", "1"), entry("b", "1"), entry("a", "1")]);
        assert_eq!(plan(&before, &turned), ["~ their order"]);
        assert_eq!(plan(&before, &json!([])), ["- a", "- b", "- c"]);
        assert!(plan(&before, &before).is_empty());
    }
}
