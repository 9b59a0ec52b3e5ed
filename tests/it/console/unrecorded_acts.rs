//! Acts that cannot be recorded: nothing of them is done, and nothing is shown or handed out.

use lethe::store::Statement;
use serde_json::{Value, json};

use crate::support::console::{Browser, NO_LINES, PASSWORD, link_path};
use crate::support::operations::{PAUSE, fill};
use crate::support::refusals::{ALLOW, PREPARE, execute_both};
use crate::support::tables::rename_tables;
use crate::support::world::{Reply, Shop, World, on_postgres, on_sqlite};

/// Makes the store refuse what records a refused act.
const REFUSE_REFUSED: Statement = Statement::new(
    "refuse_refused",
    "CREATE TRIGGER refused BEFORE INSERT ON operator_act WHEN NEW.act LIKE '%, refused'
     BEGIN SELECT RAISE(ABORT, 'planted'); END",
    "CREATE TRIGGER refused BEFORE INSERT ON operator_act FOR EACH ROW WHEN (NEW.act LIKE '%, refused')
     EXECUTE FUNCTION refuse()",
);

/// An owner at their desk, with the token of their forms.
struct Desk<'w> {
    browser: Browser<'w>,
    token: String,
}

impl Desk<'_> {
    async fn send(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let own = [("form_token", self.token.as_str())];
        self.browser.send(path, &[&own, fields].concat()).await
    }
}

/// Everything that the forms of the test would change.
async fn read_state(world: &World, shop: &Shop) -> Vec<Value> {
    let mut state = Vec::new();
    for (path, asked) in [
        ("/control/operator/list", json!({})),
        ("/control/account/list", json!({})),
        ("/control/key/list", json!({"Name": shop.name})),
        ("/control/account/search", json!({"Name": shop.name})),
        ("/control/operator/acts", json!({})),
    ] {
        state.push(world.control(path, asked).await);
    }
    for path in ["/api/rules", "/api/zones", "/api/erasures", "/api/submissions"] {
        state.push(world.ask_json(shop, path, json!({})).await);
    }
    let held = world.ask_json(shop, "/api/user/held", json!({"Identifier": "userid:ada"})).await;
    state.push(held["FoundAnywhere"].clone());
    state
}

/// The forms of an owner that do something, with their fields.
fn list_forms<'f>(
    person: &'f str,
    checked: &'f str,
    target: &'f str,
    erasure: &str,
) -> Vec<(String, Vec<(&'f str, &'f str)>)> {
    const RULES: &str = r#"[{"Id": "r9", "Query": "lamp", "Pin": ["1"]}]"#;
    const CAMPAIGNS: &str = r#"[{"Id": "c9", "Zone": "HP-01", "Html": "<p>oak</p>"}]"#;
    let shop = |page: &str| format!("/shops/shop/{page}");
    vec![
        ("/operators".to_owned(), vec![("name", "Another"), ("role", "owner")]),
        ("/new-shop".to_owned(), vec![("name", "another")]),
        ("/backups".to_owned(), vec![("target", target)]),
        (shop("settings"), vec![("do", "rotate")]),
        (shop("settings"), vec![("do", "quota"), ("quota", "2GB")]),
        (shop("people"), vec![("identifier", "userid:ada")]),
        (format!("{person}/look"), vec![]),
        (format!("{erasure}/reference"), vec![("reference", "DSR-1")]),
        (format!("{person}/forget"), vec![("confirmation", "userid:ada")]),
        (format!("/shops/shop/imports/{checked}/publish"), vec![]),
        (shop("rules"), vec![("do", "set"), ("list", RULES), ("before", "3")]),
        (shop("rules/undo"), vec![("version", "1")]),
        (shop("rules/edit"), vec![("do", "publish"), ("query", "lamp"), ("pin", "1"), ("before", "3")]),
        (shop("synonyms"), vec![("lines", "couch, sofa"), ("before", NO_LINES)]),
        (shop("zones"), vec![("do", "set"), ("list", CAMPAIGNS), ("before", "3")]),
        (shop("zones/undo"), vec![("version", "1")]),
        (
            shop("zones/edit"),
            vec![("do", "publish"), ("zone", "HP-01"), ("shows", "nothing"), ("before", "3")],
        ),
    ]
}

#[test]
fn what_cannot_be_recorded_is_not_done() {
    on_sqlite(async |world| {
        let shop = world.shop("shop").await;
        fill(&world, &shop).await;
        let browser = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
        let token = browser.form_token().await;
        let person = browser.find(&shop, "userid:ada").await;
        let desk = Desk { browser, token };
        let feeds = world.ask_json(&shop, "/api/submissions", json!({"Kind": "feed"})).await;
        let checked = feeds[0]["Token"].as_str().expect("a token");
        let erasure = world.ask_json(&shop, "/api/erasures", json!({})).await;
        let erasure = format!("/shops/shop/erasures/{}", erasure[0]["Erasure"].as_str().expect("an id"));
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("backup");
        let target = target.to_str().expect("a path");
        let before = read_state(&world, &shop).await;
        rename_tables(&world, ("", "_away"), |name| name == "operator_act");
        for (path, fields) in list_forms(&person, checked, target, &erasure) {
            world.clock.advance(PAUSE);
            let refused = desk.send(&path, &fields).await;
            assert!([500, 503].contains(&refused.status), "{path} {fields:?}: {}", refused.text);
        }
        let pages = [
            format!("{person}/export"),
            format!("{erasure}/certificate"),
            format!("{erasure}/letter"),
            "/shops/shop/ledger/entries.jsonl".to_owned(),
        ];
        for path in pages {
            let refused = desk.browser.get(&path).await;
            assert!([500, 503].contains(&refused.status), "{path}: {}", refused.text);
            assert!(!refused.text.contains("ada@shop.example"), "{path}: {}", refused.text);
        }
        rename_tables(&world, ("_away", ""), |name| name == "operator_act_away");
        assert_eq!(read_state(&world, &shop).await, before);
        assert!(!folder.path().join("backup").exists());
        assert!(desk.browser.page("/backups").await.contains("lethe backup "));
    });
}

#[test]
fn who_cannot_be_recorded_is_not_signed_in() {
    on_sqlite(async |world| {
        let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
        let token = owner.form_token().await;
        let link = link_path(&world.control("/control/operator/add", json!({"Name": "New"})).await["Link"]);
        rename_tables(&world, ("", "_away"), |name| name == "operator_act");
        let mut browser = Browser::new(&world);
        let refused = browser.sign_in("Owner", PASSWORD).await;
        assert_eq!((refused.status, browser.cookie.as_str()), (500, ""));
        assert_eq!(browser.follow_link(&link).await.status, 500);
        let desk = Desk { browser: owner, token };
        let wrong = [("do", "begin"), ("password", "not the password")];
        assert_eq!(desk.send("/me", &wrong).await.status, 500, "nor is a wrong password");
        assert_eq!(
            desk.send("/me", &[("do", "off"), ("code", "000000")]).await.status,
            500,
            "nor a wrong code"
        );
        let out = desk.send("/sign-out", &[]).await;
        assert_eq!((out.status, out.header("location")), (303, "/sign-in"), "who goes is let go");
        assert_eq!(desk.browser.get("/places").await.status, 303);
        rename_tables(&world, ("_away", ""), |name| name == "operator_act_away");
        assert_eq!(browser.sign_in("New", PASSWORD).await.status, 401, "no password was chosen");
        assert_eq!(browser.follow_link(&link).await.status, 303, "and the link still counts");
        assert_eq!(browser.sign_in("New", PASSWORD).await.status, 303);
        assert_eq!(browser.sign_in("Owner", PASSWORD).await.status, 303);
    });
}

async fn nobody_enters(mut world: World) {
    Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let link = link_path(&world.control("/control/operator/add", json!({"Name": "New"})).await["Link"]);
    world.config.require_standby = true;
    world.restart().await;
    assert!(world.node().standby.problem().is_some());
    {
        let mut browser = Browser::new(&world);
        let refused = browser.sign_in("Owner", PASSWORD).await;
        assert_eq!((refused.status, browser.cookie.as_str()), (503, ""));
        assert_eq!(browser.follow_link(&link).await.status, 503);
    }
    world.config.require_standby = false;
    world.restart().await;
    let mut browser = Browser::new(&world);
    assert_eq!(browser.follow_link(&link).await.status, 303, "no password was chosen by it");
    assert_eq!(browser.sign_in("Owner", PASSWORD).await.status, 303);
    let acts = world.control("/control/operator/acts", json!({})).await;
    assert_eq!(acts.to_string().matches("\"signed-in\"").count(), 2, "{acts}");
}

#[test]
fn nobody_enters_while_the_database_has_no_standby() {
    on_postgres(nobody_enters);
}

#[test]
fn a_refusal_that_cannot_be_recorded_is_a_fault() {
    on_sqlite(async |world| {
        let shop = world.shop("shop").await;
        fill(&world, &shop).await;
        let browser = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
        let token = browser.form_token().await;
        let desk = Desk { browser, token };
        // Somebody else's rules and campaigns came in between, and there is no such version.
        let fields = [("do", "set"), ("list", "[]"), ("before", "1")];
        let undo = [("version", "99")];
        let forms = [
            ("/shops/shop/rules", &fields[..], 409),
            ("/shops/shop/zones", &fields[..], 409),
            ("/shops/shop/rules/undo", &undo[..], 404),
        ];
        for is_recorded in [true, false] {
            let trigger = if is_recorded { &ALLOW } else { &REFUSE_REFUSED };
            execute_both(&world, [&PREPARE, trigger]).await;
            for (path, fields, refusal) in forms {
                world.clock.advance(PAUSE);
                let told = desk.send(path, fields).await;
                let status = if is_recorded { refusal } else { 500 };
                assert_eq!(told.status, status, "{path}: {}", told.text);
            }
        }
        let acts = world.control("/control/operator/acts", json!({})).await;
        assert_eq!(acts.to_string().matches(", refused").count(), forms.len(), "{acts}");
    });
}
