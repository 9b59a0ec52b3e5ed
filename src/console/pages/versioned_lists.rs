//! Lists that a shop sets whole, rules and campaigns: shown, changed by operators who saw the live list, and restored.

use std::collections::{BTreeSet, HashMap};

use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::{Value, json};

use crate::console::auth::authorization::{Authorized, AuthorizedForm, Merchandise, RequiredRight};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::csv;
use crate::console::ui::page_room::{TextRoom, page_of_entries};
use crate::console::ui::problem::Problem;
use crate::console::ui::url_fields::FieldMap;
use crate::i18n::Translations;
use crate::limits;

/// A kind of list.
pub(crate) struct ListPage {
    /// Name of the list in requests, such as `Rules`.
    pub name: &'static str,
    /// Path of its operations.
    pub path: &'static str,
    /// Its page, below the shop.
    pub page: &'static str,
    /// The word for setting it.
    pub set: &'static str,
    /// The word for bringing an earlier one back.
    pub undone: &'static str,
    /// The columns of the spreadsheet.
    pub columns: &'static [&'static str],
}

/// The columns of the spreadsheet of versions.
const HISTORY: [&str; 4] = ["Version", "MadeAt", "Count", "Restored"];

/// Characters of a field that differs which are shown.
const DIFFERING_CHARACTERS: usize = 300;
/// Bytes of all fields that differ, as HTML writes them; further ones are named alone. A page stays below 150 kB.
const DIFFERING_BYTES: usize = 24 << 10;

/// Outcome of a form of a list.
pub(crate) enum ListFormOutcome {
    /// The list is live: the answer of the operation.
    Set(Value),
    /// The list is live already: no version was made.
    Unchanged,
    /// The list is only to be tried, and is valid.
    Tried,
    /// The list is refused, with a sentence.
    Refused(StatusCode, String),
}

/// Puts the error next to the form, and returns the status.
pub(crate) fn apply_refusal(values: &mut Value, (status, fault): (StatusCode, String)) -> StatusCode {
    if status == StatusCode::CONFLICT {
        // Another operator's version is shown above the form: an operator who sends it again has seen it.
        values["before"] = Value::Null;
    }
    values["fault"] = fault.into();
    status
}

/// Entries of a list on the page of the address in `values`; the address of the next page is put there.
pub(super) fn take_page(entries: &[Value], values: &mut Value) -> Vec<Value> {
    let asked: FieldMap = serde_json::from_value(values["asked"].clone()).unwrap_or_default();
    let names = ["from", "version"].into_iter().filter(|name| asked.has(name));
    let of_page: FieldMap = names.map(|name| (name, asked.text(name))).collect();
    let (shown, next) = page_of_entries(entries, &of_page);
    values["next"] = next.into();
    shown
}

impl ListPage {
    /// Puts the page's view of the list into `values`: the live one, or that of a version, and the earlier ones. An
    /// operator's input stays; a list that is too long to be edited as text has none.
    ///
    /// # Errors
    /// When the version is not kept, or the store fails.
    pub async fn fill_page_values(
        &self,
        console: &Console,
        shop: &ConsoleShop,
        version: Option<i64>,
        values: &mut Value,
    ) -> Result<(), Problem> {
        let asked = version.map_or(json!({}), |version| json!({ "Version": version }));
        let list = console.operations.call_for_shop(shop, self.path, asked).await?;
        values["history"] =
            console.operations.call_for_shop(shop, &self.operation_path("history"), json!({})).await?;
        if values["typed"].is_null() {
            let text = serde_json::to_string_pretty(&list[self.name]).unwrap_or_default();
            values["typed"] = TextRoom::new(limits::LIST_TEXT_BYTES).fit(&text.into());
            values["is_long"] = values["typed"].is_null().into();
        }
        if values["before"].is_null() {
            values["before"] = list["Version"].clone();
        }
        if !values["tried"].is_null() {
            values["plan"] = plan(&list[self.name], &values["tried"]);
        }
        values["list"] = list[self.name].clone();
        values["version"] = list["Version"].clone();
        let is_old = version.is_some() && values["history"][0]["Version"] != list["Version"];
        if is_old {
            let acting = console.operations.call_for_shop(shop, self.path, json!({})).await?;
            values["plan"] = plan(&acting[self.name], &list[self.name]);
        }
        values["is_old"] = is_old.into();
        Ok(())
    }

    /// True if the list or its versions are requested as a spreadsheet.
    pub fn is_wanted<N: RequiredRight>(&self, may: &Authorized<N>) -> bool {
        may.wants_sheet() || may.wants("history")
    }

    /// Spreadsheet of the values of [`Self::fill_page_values`], if one is requested: the list, or its versions
    /// (`history`).
    ///
    /// # Errors
    /// When the table cannot be written.
    pub fn render_csv<N: RequiredRight>(
        &self,
        may: &Authorized<N>,
        values: &Value,
    ) -> Result<Option<Response>, Problem> {
        if may.wants_sheet() {
            return csv::file(self.page, self.columns, &values["list"]).map(Some);
        }
        let history = may.wants("history").then(|| csv::file("versions", &HISTORY, &values["history"]));
        history.transpose()
    }

    /// Sets the list of a form, or only reads it.
    pub async fn send(&self, console: &Console, act: &AuthorizedForm<Merchandise>) -> ListFormOutcome {
        let texts = console.drawing.words(act.may.session.language);
        let list = match self.parse_list(act.form.raw("list"), texts) {
            Ok(list) => list,
            Err(sentence) => return ListFormOutcome::Refused(StatusCode::UNPROCESSABLE_ENTITY, sentence),
        };
        if act.form.text("do") != "set" {
            return ListFormOutcome::Tried;
        }
        let before = act.form.text("before").parse::<i64>().unwrap_or_default();
        match self.is_live(console, act, before, &list).await {
            Ok(true) => return ListFormOutcome::Unchanged,
            Ok(false) => {}
            Err(fault) => return ListFormOutcome::Refused(fault.status, fault.sentence),
        }
        let question = json!({self.name: list, "Before": before});
        match console.record_and_call(&act.may, self.set, (&self.operation_path("set"), question)).await {
            Ok(set) => ListFormOutcome::Set(set),
            Err(refused) => ListFormOutcome::Refused(refused.status, refused.sentence),
        }
    }

    /// True if a list is the live one, and its version the one that the operator saw. The first list is set even if it
    /// is empty.
    async fn is_live(
        &self,
        console: &Console,
        act: &AuthorizedForm<Merchandise>,
        seen: i64,
        list: &Value,
    ) -> Result<bool, Problem> {
        let live = self.load_live(console, act.may.shop()?).await?;
        Ok(seen > 0 && live.version == seen && *list == Value::from(live.entries))
    }

    /// Brings an earlier list back, and leads to the page.
    ///
    /// # Errors
    /// When it is not kept, or the list was changed a moment ago.
    pub async fn undo(
        &self,
        console: &Console,
        act: &AuthorizedForm<Merchandise>,
    ) -> Result<Response, Problem> {
        let version = act.form.text("version").parse::<i64>().map_err(|_| Problem::not_found())?;
        let question = json!({ "Version": version });
        let undone =
            console.record_and_call(&act.may, self.undone, (&self.operation_path("undo"), question)).await?;
        Ok(self.redirect_to_version(act.may.shop()?, &undone["Version"]))
    }

    /// Leads to the page, which says that a version is live.
    pub fn redirect_to_version(&self, shop: &ConsoleShop, version: &Value) -> Response {
        Redirect::to(&format!("{}?set={version}", self.at_shop(shop))).into_response()
    }

    /// Leads to the page, which says that nothing changed.
    pub fn redirect_unchanged(&self, shop: &ConsoleShop) -> Response {
        Redirect::to(&format!("{}?unchanged=yes", self.at_shop(shop))).into_response()
    }

    /// The path of its page.
    pub fn at_shop(&self, shop: &ConsoleShop) -> String {
        format!("/shops/{}/{}", shop.name, self.page)
    }

    pub(super) fn operation_path(&self, what: &str) -> String {
        format!("{}/{what}", self.path)
    }

    /// The list that was typed: as a list, or as an object with one by its name, as commands take it.
    ///
    /// # Errors
    /// A sentence that says why it cannot be read.
    pub fn parse_list(&self, typed: &str, texts: &Translations) -> Result<Value, String> {
        let no_json = |fault: serde_json::Error| {
            texts.translate("console.lists.no_json", &[("fault", &fault.to_string())])
        };
        let read: Value = serde_json::from_str(typed).map_err(no_json)?;
        let list = read.get(self.name).unwrap_or(&read);
        let no_list = || texts.translate("console.lists.no_list", &[("name", self.name)]);
        list.is_array().then(|| list.clone()).ok_or_else(no_list)
    }
}

/// Entries that a list adds to another, changes in it and lacks; and whether only the order differs.
pub(super) fn plan(before: &Value, after: &Value) -> Value {
    let [old, new] = [before, after].map(|list| list.as_array().map_or(&[][..], Vec::as_slice));
    let [olds, news] = [old, new].map(by_id);
    let mut plan = json!({"Added": [], "Changed": [], "Gone": []});
    let mut room = TextRoom::new(DIFFERING_BYTES);
    let mut note = |what: &str, entry: &Value, fields: Vec<Value>| {
        let noted = json!({"Id": entry["Id"], "Fields": fields});
        plan[what].as_array_mut().map(|all| all.push(noted))
    };
    for entry in new {
        match olds.get(id_of(entry)) {
            None => note("Added", entry, Vec::new()),
            Some(known) if *known != entry => note("Changed", entry, differing(known, entry, &mut room)),
            Some(_) => None,
        };
    }
    for entry in old.iter().filter(|entry| !news.contains_key(id_of(entry))) {
        note("Gone", entry, Vec::new());
    }
    let is_same = ["Added", "Changed", "Gone"].iter().all(|what| plan[*what] == json!([]));
    plan["OrderOnly"] = (is_same && before != after).into();
    plan["Nothing"] = (before == after).into();
    plan
}

fn by_id(list: &[Value]) -> HashMap<&str, &Value> {
    list.iter().map(|entry| (id_of(entry), entry)).collect()
}

fn id_of(entry: &Value) -> &str {
    entry["Id"].as_str().unwrap_or_default()
}

/// The fields in which two entries differ, each as JSON before and after; null where it is not there, and `…` where the
/// page has no room for it.
fn differing(before: &Value, after: &Value, room: &mut TextRoom) -> Vec<Value> {
    let names = [before, after].into_iter().filter_map(Value::as_object).flat_map(|entry| entry.keys());
    let names: BTreeSet<_> = names.filter(|name| before.get(*name) != after.get(*name)).collect();
    let cut = |text: String| {
        let is_long = text.chars().nth(DIFFERING_CHARACTERS).is_some();
        if is_long { text.chars().take(DIFFERING_CHARACTERS).chain(['…']).collect() } else { text }
    };
    let mut shown = |entry: &Value, name: &str| {
        let text = cut(entry.get(name)?.to_string());
        let fitting = room.fit(&text.into());
        Some(if fitting.is_null() { Value::from("…") } else { fitting })
    };
    names
        .into_iter()
        .map(|name| json!({"Name": name, "Before": shown(before, name), "After": shown(after, name)}))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::UiLanguage;

    const RULES: ListPage = ListPage {
        name: "Rules",
        path: "/api/rules",
        page: "rules",
        set: "set",
        undone: "undone",
        columns: &[],
    };

    #[test]
    fn a_plan_says_what_changes() {
        let [a, b, c] = ["a", "b", "c"].map(|id| json!({"Id": id, "Banner": "x"}));
        let changed = json!({"Id": "b", "Banner": "y"});
        let told = plan(&json!([a, b]), &json!([changed, c]));
        let banner = json!([{"Name": "Banner", "Before": "\"x\"", "After": "\"y\""}]);
        assert_eq!(told["Added"], json!([{"Id": "c", "Fields": []}]));
        assert_eq!(told["Changed"], json!([{"Id": "b", "Fields": banner}]));
        assert_eq!(told["Gone"], json!([{"Id": "a", "Fields": []}]));
        let turned = plan(&json!([a, b]), &json!([b, a]));
        assert_eq!((&turned["OrderOnly"], &turned["Nothing"]), (&json!(true), &json!(false)));
        assert_eq!(plan(&json!([a]), &json!([a]))["Nothing"], true);
    }

    #[test]
    fn a_list_is_read_as_commands_read_it() {
        let texts = Translations::load(UiLanguage::English);
        let list = json!([{"Id": "a"}]);
        assert_eq!(RULES.parse_list("[{\"Id\": \"a\"}]", &texts), Ok(list.clone()));
        assert_eq!(RULES.parse_list("{\"Rules\": [{\"Id\": \"a\"}]}", &texts), Ok(list));
        let no_json = RULES.parse_list("[{\"Id\": }]", &texts).expect_err("a sentence");
        assert!(no_json.contains("line 1 column 9"), "{no_json}");
        assert!(RULES.parse_list("{\"Campaigns\": []}", &texts).expect_err("a sentence").contains("Rules"));
    }

    #[test]
    fn a_plan_tells_an_order_from_a_change_and_from_nothing() {
        let [a, b] = ["a", "b"].map(|id| json!({"Id": id, "Banner": "x"}));
        let empty = json!({"Added": [], "Changed": [], "Gone": [], "OrderOnly": false, "Nothing": false});
        let noted = |id: &str, fields: Value| json!([{"Id": id, "Fields": fields}]);
        let expected = |what: &str, value: Value| {
            let mut plan = empty.clone();
            plan[what] = value;
            plan
        };
        let one = json!([a]);
        let both = json!([a, b]);
        assert_eq!(plan(&one, &both), expected("Added", noted("b", json!([]))));
        assert_eq!(plan(&both, &one), expected("Gone", noted("b", json!([]))));
        assert_eq!(plan(&both, &json!([b, a])), expected("OrderOnly", json!(true)));
        assert_eq!(plan(&both, &both), expected("Nothing", json!(true)));
        assert_eq!(plan(&Value::Null, &one), expected("Added", noted("a", json!([]))));
        let changed = json!([{"Id": "a", "Query": "oak"}]);
        let fields = json!([{"Name": "Banner", "Before": "\"x\"", "After": null},
            {"Name": "Query", "Before": null, "After": "\"oak\""}]);
        assert_eq!(plan(&one, &changed), expected("Changed", noted("a", fields)));
        let long = json!([{"Id": "a", "Banner": "ö".repeat(10_000)}]);
        let shown = plan(&one, &long)["Changed"][0]["Fields"][0]["After"].clone();
        let shown = shown.as_str().expect("a text").chars().rev().collect::<Vec<_>>();
        assert_eq!((shown.len(), shown[0], shown[1]), (DIFFERING_CHARACTERS + 1, '…', 'ö'));
    }

    #[test]
    fn a_plan_of_many_long_fields_names_those_without_room() {
        let list = |banner: &str| -> Value {
            (0..100).map(|id| json!({"Id": id.to_string(), "Banner": banner})).collect()
        };
        let plan = plan(&list("x"), &list(&"y".repeat(1000)));
        let after = |entry: usize| plan["Changed"][entry]["Fields"][0]["After"].as_str().map(str::len);
        assert_eq!((after(0), after(99)), (Some(DIFFERING_CHARACTERS + "…".len()), Some("…".len())));
        assert!(plan.to_string().len() < 2 * DIFFERING_BYTES);
    }

    #[test]
    fn who_is_refused_for_a_change_of_another_sees_it_before_they_send_again() {
        let refused = |status: StatusCode| {
            let mut values = json!({"before": "3", "typed": "[]"});
            assert_eq!(apply_refusal(&mut values, (status, "no".to_owned())), status);
            values
        };
        let kept = json!({"before": "3", "typed": "[]", "fault": "no"});
        assert_eq!(refused(StatusCode::BAD_REQUEST), kept);
        assert_eq!(refused(StatusCode::CONFLICT), json!({"before": null, "typed": "[]", "fault": "no"}));
    }
}
