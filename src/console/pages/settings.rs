//! Settings of a shop: its details, quota, keys, and the webhook address of its server. For owners.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::{Value, json};

use crate::console::auth::authorization::{Admin, Authorized, AuthorizedForm};
use crate::console::auth::console_shop::ConsoleShop;
use crate::console::state::Console;
use crate::console::ui::csv;
use crate::console::ui::form::ConsoleForm;
use crate::console::ui::problem::Problem;

/// Settings page of a shop.
pub(crate) async fn show(
    State(console): State<Arc<Console>>,
    may: Authorized<Admin>,
) -> Result<Response, Problem> {
    let answer = console.find_answer(&may).unwrap_or_default();
    let secret = answer.as_str();
    let is_shown = secret.is_some() && !may.wants_sheet();
    let page = render_page(&console, &may, json!({"secret": secret})).await?;
    Ok(if is_shown { console.shown_once(&may, page) } else { page })
}

/// The page, with rejected input, or with a secret that is shown once.
async fn render_page(
    console: &Console,
    may: &Authorized<Admin>,
    mut values: Value,
) -> Result<Response, Problem> {
    let shop = may.shop()?;
    let listed = console.operations.call("/control/account/list", json!({})).await?;
    let is_it = |listed: &&Value| listed["Name"] == shop.name.as_str();
    values["set"] = listed.as_array().into_iter().flatten().find(is_it).cloned().unwrap_or_default();
    values["keys"] = console.operations.call("/control/key/list", json!({"Name": shop.name})).await?;
    if may.wants_sheet() {
        let columns = ["Number", "CreatedAt", "ExpiresAt", "RevokedAt", "Live"];
        return csv::file("keys", &columns, &values["keys"]["Secrets"]);
    }
    let search = console.search_of(shop).await?;
    values["hosts"] = json!({"Pictures": search.pictures, "Origins": search.origins});
    // None is set, and then there is none to show.
    values["webhook"] =
        console.operations.call_for_shop(shop, "/api/webhook", json!({})).await.unwrap_or_default();
    values["here"] = "settings".into();
    for name in ["typed", "fault", "wrong", "form", "secret"] {
        if values[name].is_null() {
            values[name] = "".into();
        }
    }
    console.drawing.render_signed_in(may, "settings.html", values)
}

/// Change that a form requests: the word of the act, the operation, and the request.
fn parse_change(shop: &ConsoleShop, form: &ConsoleForm) -> Option<(&'static str, &'static str, Value)> {
    let name = shop.name.as_str();
    Some(match form.text("do") {
        "about" => (
            "shop-described",
            "/control/account/set",
            json!({"Name": name, "DisplayName": form.text("display_name"), "Contact": form.text("contact"),
                   "Language": form.text("language")}),
        ),
        "quota" => {
            let mut question = json!({"Name": name});
            if !form.text("quota").is_empty() {
                question["Quota"] = form.text("quota").into();
            }
            ("quota-set", "/control/account/quota", question)
        }
        "guard" => {
            let mut question = json!({"Name": name});
            if !form.text("percent").is_empty() {
                question["Percent"] =
                    form.text("percent").parse::<i64>().map_or_else(|_| "".into(), Value::from);
            }
            ("removal-guard-set", "/control/account/guard", question)
        }
        "hosts" => {
            let hosts = |field: &str| -> Value { form.text(field).split_whitespace().collect() };
            let question = json!({"Name": name, "Pictures": hosts("pictures"), "Origins": hosts("origins")});
            ("hosts-set", "/control/account/search", question)
        }
        "rotate" => ("key-made", "/control/key/rotate", json!({"Name": name})),
        "revoke" => {
            let number = form.text("number").parse::<i64>().unwrap_or_default();
            ("key-revoked", "/control/key/revoke", json!({"Name": name, "Number": number}))
        }
        "webhook" => ("webhook-set", "/api/webhook/set", json!({"Account": name, "Url": form.text("url")})),
        "webhook-rotate" => ("webhook-secret-changed", "/api/webhook/rotate", json!({"Account": name})),
        "webhook-test" => ("webhook-tested", "/api/webhook/test", json!({"Account": name})),
        "webhook-remove" => ("webhook-removed", "/api/webhook/remove", json!({"Account": name})),
        _ => return None,
    })
}

/// Changes one setting. A new secret is shown once, on the page that this leads to.
pub(crate) async fn set(
    State(console): State<Arc<Console>>,
    act: AuthorizedForm<Admin>,
) -> Result<Response, Problem> {
    let shop = act.may.shop()?;
    let wanted = parse_change(shop, &act.form).ok_or_else(Problem::not_found)?;
    match console.record_and_call(&act.may, wanted.0, (wanted.1, wanted.2)).await {
        Ok(answer) => {
            let page = format!("/shops/{}/settings", shop.name);
            let secret = ["SecretKey", "Secret"].into_iter().find_map(|name| answer[name].as_str());
            secret.map_or_else(
                || Ok(Redirect::to(&page).into_response()),
                |secret| console.redirect_with_answer(&act.may, &page, &secret.into()),
            )
        }
        Err(refused) => {
            let typed = |name| json!(act.form.text(name));
            let typed = json!({"display_name": typed("display_name"), "contact": typed("contact"),
                "language": typed("language"), "quota": typed("quota"), "percent": typed("percent"), "url": typed("url"),
                "pictures": typed("pictures"), "origins": typed("origins")});
            let form = act.form.text("do");
            let about = [
                ("DisplayName", "display_name"),
                ("Contact", "contact"),
                ("language", "language"),
                ("", "display_name"),
            ];
            let wrong = match form {
                "about" => refused.field(&about),
                "hosts" => refused.field(&[("pictures", "pictures"), ("", "origins")]),
                other => other,
            };
            let values = json!({"typed": typed, "fault": refused.sentence, "wrong": wrong, "form": form});
            Ok((refused.status, render_page(&console, &act.may, values).await?).into_response())
        }
    }
}

/// The form to add a shop.
pub(crate) async fn new(
    State(console): State<Arc<Console>>,
    may: Authorized<Admin>,
) -> Result<Response, Problem> {
    let made = console.find_answer(&may).unwrap_or_default();
    let values = json!({"here": "overview", "typed": {}, "fault": "", "made": made});
    let page = console.drawing.render_signed_in(&may, "new_shop.html", values)?;
    Ok(console.shown_once(&may, page))
}

/// Adds a shop, and leads to a page that shows its keys once.
pub(crate) async fn add(
    State(console): State<Arc<Console>>,
    act: AuthorizedForm<Admin>,
) -> Result<Response, Problem> {
    let name = act.form.text("name");
    let mut question = json!({"Name": name});
    if !act.form.text("currency").is_empty() {
        question["Currency"] = act.form.text("currency").to_uppercase().into();
    }
    match console.record_and_call(&act.may, "shop-added", ("/control/account/create", question.clone())).await
    {
        Ok(made) => console.redirect_with_answer(&act.may, "/new-shop", &made),
        Err(refused) => {
            let wrong = refused.field(&[("currency", "currency"), ("", "name")]);
            let values = json!({"here": "overview", "typed": question, "fault": refused.sentence, "wrong": wrong, "made": null});
            let page = console.drawing.render_signed_in(&act.may, "new_shop.html", values)?;
            Ok((refused.status, page).into_response())
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;

    use super::*;
    use crate::ids::AccountId;

    /// Change that a form with these fields requests of the shop `oak`.
    fn change(fields: &'static str) -> Option<(&'static str, &'static str, Value)> {
        let shop = ConsoleShop {
            id: AccountId(1),
            name: "oak".to_owned(),
            access_key: String::new(),
            title: "Oak & Sons".to_owned(),
            currency: None,
            pictures: Vec::new(),
        };
        parse_change(&shop, &ConsoleForm::parse(&Bytes::from_static(fields.as_bytes())))
    }

    #[test]
    fn each_form_of_the_settings_is_one_change() {
        let shop = json!({"Name": "oak"});
        let account = json!({"Account": "oak"});
        let about = json!({"Name": "oak", "DisplayName": "Oak & Sons", "Contact": "a@b", "Language": "de"});
        let hosts = json!({"Name": "oak", "Pictures": ["https://a", "https://b"], "Origins": []});
        let sets = "/control/account/set";
        for (fields, act, path, question) in [
            ("do=about&display_name=+Oak+%26+Sons&contact=a%40b&language=de", "shop-described", sets, about),
            (
                "do=quota&quota=2GB",
                "quota-set",
                "/control/account/quota",
                json!({"Name": "oak", "Quota": "2GB"}),
            ),
            ("do=quota&quota=+", "quota-set", "/control/account/quota", shop.clone()),
            (
                "do=guard&percent=35",
                "removal-guard-set",
                "/control/account/guard",
                json!({"Name": "oak", "Percent": 35}),
            ),
            (
                "do=guard&percent=x",
                "removal-guard-set",
                "/control/account/guard",
                json!({"Name": "oak", "Percent": ""}),
            ),
            ("do=guard", "removal-guard-set", "/control/account/guard", shop.clone()),
            (
                "do=hosts&pictures=https://a++https://b&origins=+",
                "hosts-set",
                "/control/account/search",
                hosts,
            ),
            ("do=rotate", "key-made", "/control/key/rotate", shop),
            ("do=revoke&number=7", "key-revoked", "/control/key/revoke", json!({"Name": "oak", "Number": 7})),
            ("do=revoke&number=x", "key-revoked", "/control/key/revoke", json!({"Name": "oak", "Number": 0})),
            (
                "do=webhook&url=https://h",
                "webhook-set",
                "/api/webhook/set",
                json!({"Account": "oak", "Url": "https://h"}),
            ),
            ("do=webhook-rotate", "webhook-secret-changed", "/api/webhook/rotate", account.clone()),
            ("do=webhook-test", "webhook-tested", "/api/webhook/test", account.clone()),
            ("do=webhook-remove", "webhook-removed", "/api/webhook/remove", account),
        ] {
            assert_eq!(change(fields), Some((act, path, question)), "{fields}");
        }
        for unknown in ["", "do=", "do=set", "quota=2GB"] {
            assert_eq!(change(unknown), None, "{unknown}");
        }
    }
}
