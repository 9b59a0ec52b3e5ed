//! Codes in addition to the passwords of operators: switched on by a right one, asked for after the password, each
//! valid once.

use std::time::Duration;

use reqwest::header::SET_COOKIE;
use serde_json::json;
use totp_rs::{Builder, Secret, Totp};

use crate::support::console::{Browser, PASSWORD, link_path};
use crate::support::world::{Reply, World, on_both_engines};

on_both_engines! {
    codes_begin_only_when_one_was_right
    what_was_begun_is_over_after_minutes
    a_password_without_its_code_opens_nothing
    a_code_signs_in_once
    guessing_codes_ends_soon
    what_changes_an_operator_ends_the_wait_for_a_code
    a_reset_switches_codes_off
}

/// Begins to switch codes on.
const BEGIN: [(&str, &str); 2] = [("do", "begin"), ("password", PASSWORD)];

const STEP: Duration = Duration::from_secs(30);

/// The app of an operator.
struct App(Totp);

impl App {
    /// Reads the secret from the page, as a person types it.
    fn reading(page: &str) -> Self {
        let typed =
            page.split("<code>").nth(1).and_then(|rest| rest.split("</code>").next()).expect("a secret");
        let link = format!("secret={}", typed.replace(' ', ""));
        assert!(page.contains(&link) && page.contains("<svg class=\"code\""), "{page}");
        let secret = Secret::try_from_base32(typed.replace(' ', "")).expect("a secret");
        Self(Builder::new().with_secret(secret).build().expect("an app"))
    }

    fn code(&self, world: &World) -> String {
        self.0.generate(u64::try_from(world.clock.now() / 1000).expect("a time")).to_string()
    }

    /// A code of no time near now.
    fn wrong(&self, world: &World) -> String {
        let now = u64::try_from(world.clock.now() / 1000).expect("a time");
        let near: Vec<_> = (0..5).map(|step| self.0.generate(now + 30 * step - 60).to_string()).collect();
        let mut all = (0..10).map(|number| format!("{number:06}"));
        all.find(|code| !near.contains(code)).expect("one of ten")
    }
}

/// An operator with codes, and their app; the step of the first code is over.
async fn enrol_operator<'w>(world: &'w World, name: &str) -> (Browser<'w>, App) {
    let mut browser = Browser::sign_in_as(world, name, "owner", &[]).await;
    assert_eq!(browser.send_form("/me", &BEGIN).await.status, 303);
    let app = App::reading(&browser.page("/me").await);
    let on = browser.send_form("/me", &[("do", "on"), ("code", &app.code(world))]).await;
    assert_eq!(on.status, 303, "{}", on.text);
    browser.cookie = read_cookie(&on, "__Host-lethe=").expect("a session");
    world.clock.advance(STEP);
    (browser, app)
}

/// Value to which an answer sets a cookie.
fn read_cookie(reply: &Reply, name: &str) -> Option<String> {
    let all = reply.headers.get_all(SET_COOKIE).iter().filter_map(|set| set.to_str().ok());
    let set = all.into_iter().find(|set| set.starts_with(name) && !set.contains("Max-Age=0;"))?;
    assert!(set.ends_with("; Secure; HttpOnly; SameSite=Strict"), "{set}");
    set.split(';').next().map(str::to_owned)
}

/// Gives the password; the browser waits for the code then.
async fn halfway<'w>(world: &'w World, name: &str) -> Browser<'w> {
    let mut browser = Browser::new(world);
    let half = browser.send("/sign-in?to=%2Fplaces", &[("name", name), ("password", PASSWORD)]).await;
    assert_eq!((half.status, half.header("location")), (303, "/sign-in/code?to=%2Fplaces"));
    assert!(read_cookie(&half, "__Host-lethe=").is_none(), "no session yet");
    browser.cookie = read_cookie(&half, "__Host-lethe-code=").expect("a wait for the code");
    browser
}

async fn give(browser: &Browser<'_>, code: &str) -> Reply {
    browser.send("/sign-in/code?to=%2Fplaces", &[("code", code)]).await
}

async fn acts(world: &World) -> String {
    world.control("/control/operator/acts", json!({})).await.to_string()
}

async fn codes_begin_only_when_one_was_right(world: World) {
    let mut browser = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let before = browser.page("/me").await;
    assert!(before.contains("Switch codes on") && !before.contains("<svg"), "{before}");
    let wrong = browser.send_form("/me", &[("do", "begin"), ("password", "not the password")]).await;
    assert!(wrong.status == 422 && wrong.text.contains("This password is wrong"), "{}", wrong.text);
    assert!(acts(&world).await.contains("password-refused"));
    assert!(!browser.page("/me").await.contains("<svg"), "who finds an open console begins nothing");
    assert_eq!(browser.send_form("/me", &BEGIN).await.status, 303);
    let app = App::reading(&browser.page("/me").await);
    let wrong = browser.send_form("/me", &[("do", "on"), ("code", &app.wrong(&world))]).await;
    assert!(wrong.status == 422 && wrong.text.contains("This code is wrong"), "{}", wrong.text);
    assert!(acts(&world).await.contains("code-refused"));
    assert_eq!(App::reading(&wrong.text).code(&world), app.code(&world), "the secret is still this one");
    let listed = world.control("/control/operator/list", json!({})).await;
    assert_eq!(listed[0]["HasCode"], false, "{listed}");
    assert!(!acts(&world).await.contains("code-switched"), "nothing was switched");
    // Another's session has not begun anything.
    let other = Browser::sign_in_as(&world, "Other", "owner", &[]).await;
    assert_eq!(other.send_form("/me", &[("do", "on"), ("code", &app.code(&world))]).await.status, 422);
    assert_eq!(
        browser.send("/me", &[("do", "on"), ("code", &app.code(&world))]).await.status,
        403,
        "no token"
    );

    let old = browser.cookie.clone();
    let on = browser.send_form("/me", &[("do", "on"), ("code", &app.code(&world))]).await;
    assert_eq!(on.status, 303, "{}", on.text);
    assert_eq!(browser.get("/me").await.status, 303, "it ended the session {old}");
    browser.cookie = read_cookie(&on, "__Host-lethe=").expect("another");
    let after = browser.page("/me").await;
    assert!(after.contains("Switch codes off") && !after.contains("<svg"), "it is not shown again: {after}");
    assert!(browser.page("/operators").await.contains("two-factor"));
    assert!(acts(&world).await.contains("code-switched-on"));

    // Off by a code that was not used yet.
    let spent = browser.send_form("/me", &[("do", "off"), ("code", &app.code(&world))]).await;
    assert_eq!(spent.status, 422, "it was used to switch them on");
    world.clock.advance(STEP);
    let off = browser.send_form("/me", &[("do", "off"), ("code", &app.code(&world))]).await;
    assert_eq!(off.status, 303, "{}", off.text);
    assert!(acts(&world).await.contains("code-switched-off"));
    assert_eq!(Browser::new(&world).sign_in("Owner", PASSWORD).await.header("location"), "/");
}

async fn what_was_begun_is_over_after_minutes(world: World) {
    let browser = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    browser.send_form("/me", &BEGIN).await;
    let app = App::reading(&browser.page("/me").await);
    world.clock.advance(lethe::limits::CODE_WAIT_DURATION);
    assert!(!browser.page("/me").await.contains("<svg"), "whoever sits there now does not see it");
    let on = browser.send_form("/me", &[("do", "on"), ("code", &app.code(&world))]).await;
    assert_eq!(on.status, 422, "{}", on.text);
    assert_eq!(browser.send_form("/me", &[("do", "nothing")]).await.status, 404);
}

async fn a_password_without_its_code_opens_nothing(world: World) {
    let (_, app) = enrol_operator(&world, "Owner").await;
    let mut browser = Browser::new(&world);
    let wrong = browser.sign_in("Owner", "not the password").await;
    let unknown = browser.sign_in("Nobody", "not the password").await;
    assert_eq!((wrong.status, unknown.status), (401, 401));
    assert_eq!(
        wrong.text.replace("Owner", ""),
        unknown.text.replace("Nobody", ""),
        "codes are no matter yet"
    );
    assert_eq!(browser.get("/sign-in/code").await.header("location"), "/sign-in?to=%2F");

    let browser = halfway(&world, "Owner").await;
    let form = browser.page("/sign-in/code?to=%2Fplaces").await;
    assert!(form.contains("Code from your app") && !form.contains("Owner"), "{form}");
    assert_eq!(browser.get("/places").await.status, 303, "it opens nothing");
    let half = browser.cookie.split_once('=').expect("a value").1;
    let mut bold = Browser::new(&world);
    bold.cookie = format!("__Host-lethe={half}");
    assert_eq!(bold.get("/places").await.status, 303, "it is no session");
    let refused = give(&browser, &app.wrong(&world)).await;
    assert!(refused.status == 401 && refused.text.contains("This code is wrong"), "{}", refused.text);
    assert!(refused.headers.get(SET_COOKIE).is_none());
    let foreign = give(&Browser::new(&world), &app.code(&world)).await;
    assert_eq!((foreign.status, foreign.header("location")), (303, "/sign-in?to=%2Fplaces"), "no password");
    world.clock.advance(Duration::from_secs(5 * 60));
    assert_eq!(
        give(&browser, &app.code(&world)).await.header("location"),
        "/sign-in?to=%2Fplaces",
        "too late"
    );
}

async fn a_code_signs_in_once(world: World) {
    let (_, app) = enrol_operator(&world, "Owner").await;
    let mut first = halfway(&world, "Owner").await;
    let second = halfway(&world, "Owner").await;
    let code = app.code(&world);
    let entered = give(&first, &format!("{} {}", &code[..3], &code[3..])).await;
    assert_eq!((entered.status, entered.header("location")), (303, "/places"), "{}", entered.text);
    first.cookie = read_cookie(&entered, "__Host-lethe=").expect("a session");
    first.page("/places").await;
    assert_eq!(give(&second, &code).await.status, 401, "it was used");
    world.clock.advance(4 * STEP);
    let before = app.code(&world);
    world.clock.advance(STEP);
    assert_eq!(give(&second, &app.code(&world)).await.status, 303);
    let third = halfway(&world, "Owner").await;
    assert_eq!(give(&third, &before).await.status, 401, "it is right still, and before one that was used");
    first.page("/places").await;
    assert_eq!(acts(&world).await.matches("\"signed-in\"").count(), 3, "with the code, and not before");
}

async fn guessing_codes_ends_soon(world: World) {
    let (_, app) = enrol_operator(&world, "Owner").await;
    let browser = halfway(&world, "Owner").await;
    // An address may try passwords and codes ten times a minute; four tries are used up.
    let mut answers = Vec::new();
    while answers.last() != Some(&429) && answers.len() < 40 {
        answers.push(give(&browser, &app.wrong(&world)).await.status);
    }
    assert_eq!(answers[..6], [401, 401, 401, 401, 401, 303], "five codes behind one password");
    assert_eq!(answers.last(), Some(&429), "{answers:?}");
    let right = give(&browser, &app.code(&world)).await;
    assert!(right.status == 429 && right.text.contains("Too many attempts"), "{}", right.text);
}

async fn what_changes_an_operator_ends_the_wait_for_a_code(world: World) {
    Browser::sign_in_as(&world, "Other owner", "owner", &[]).await;
    let (_, app) = enrol_operator(&world, "Owner").await;
    let browser = halfway(&world, "Owner").await;
    world.control("/control/operator/set", json!({"Name": "Owner", "State": "disabled"})).await;
    world.control("/control/operator/set", json!({"Name": "Owner", "State": "enabled"})).await;
    assert_eq!(give(&browser, &app.code(&world)).await.status, 401);
}

async fn a_reset_switches_codes_off(world: World) {
    enrol_operator(&world, "Owner").await;
    let renewed = world.control("/control/operator/reset", json!({"Name": "Owner"})).await;
    let listed = world.control("/control/operator/list", json!({})).await;
    assert_eq!(listed[0]["HasCode"], false, "{listed}");
    let mut browser = Browser::new(&world);
    assert_eq!(browser.follow_link(&link_path(&renewed["Link"])).await.status, 303);
    assert_eq!(browser.sign_in("Owner", PASSWORD).await.header("location"), "/");
    browser.page("/me").await;
}
