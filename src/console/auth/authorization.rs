//! The signed-in operator and their rights: each page asks for them in its signature.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use serde_json::Value;

use super::console_shop::ConsoleShop;
use super::cookies::cookie;
use super::origin::is_from_here;
use super::sessions::{Session, Sessions};
use crate::accounts::search::{self, SearchSettings};
use crate::accounts::{self, Account, about};
use crate::console::state::Console;
use crate::console::ui::csv;
use crate::console::ui::ephemeral_urls::HandleOwner;
use crate::console::ui::form::ConsoleForm;
use crate::console::ui::problem::Problem;
use crate::limits;
use crate::operators::audit_log::{self, OperatorAct as Done};
use crate::operators::{self, Operator, OperatorFault, OperatorId, OperatorRole, Right};
use crate::store::Owner;

/// Right that a page needs.
pub(crate) trait RequiredRight: Send + Sync + 'static {
    const RIGHT: Right;
}

macro_rules! needs {
    ($($name:ident)*) => { $(
        #[doc = concat!("[`Right::", stringify!($name), "`].")]
        pub(crate) struct $name;
        impl RequiredRight for $name { const RIGHT: Right = Right::$name; }
    )* };
}
needs! { View Merchandise Privacy Admin }

/// Request for a page by an operator who may see it.
pub(crate) struct Authorized<N> {
    pub session: Session,
    pub cookie: String,
    /// Path of the page, with its query; for a form, that of the page it was on.
    pub path: String,
    /// The same as a spreadsheet; `None` for a form.
    pub sheet: Option<String>,
    /// Table that is requested as a spreadsheet.
    wanted_sheet: Option<String>,
    pub operator: Operator,
    /// Their shops.
    pub shops: Vec<ConsoleShop>,
    /// Shop of the address.
    shop: Option<ConsoleShop>,
    needs: PhantomData<N>,
}

/// Form, with its fields, sent by an operator who may send it.
pub(crate) struct AuthorizedForm<N> {
    pub may: Authorized<N>,
    pub form: ConsoleForm,
}

impl<N: RequiredRight> Authorized<N> {
    /// The shop of the page.
    ///
    /// # Errors
    /// When the page is of none.
    pub fn shop(&self) -> Result<&ConsoleShop, Problem> {
        self.shop.as_ref().ok_or_else(Problem::not_found)
    }

    /// Owner of the handles made for this operator on these pages.
    pub fn handle_owner(&self) -> HandleOwner {
        let shop = self.shop.as_ref().map(|shop| shop.id);
        HandleOwner { operator: self.operator.id, version: self.operator.version, shop }
    }

    /// True if the first table of the page is requested as a spreadsheet.
    pub fn wants_sheet(&self) -> bool {
        self.wants("")
    }

    /// True if the table of this name is requested as a spreadsheet.
    pub fn wants(&self, table: &str) -> bool {
        self.wanted_sheet.as_deref() == Some(table)
    }

    async fn authorize(console: &Console, parts: &mut Parts) -> Result<Self, Problem> {
        let to = match parts.method {
            Method::GET => parts.uri.path_and_query().map_or("/", |to| to.as_str()).to_owned(),
            _ => page_of(&parts.headers),
        };
        let now = console.node.clock.now();
        let cookie = cookie(&parts.headers).unwrap_or_default();
        let is_followed = parts.uri.path().ends_with("/live");
        let session = if is_followed {
            console.sessions.peek(&cookie, now)
        } else {
            console.sessions.find_and_touch(&cookie, now)
        };
        let session = session.ok_or_else(|| Problem::sign_in(&to))?;
        let keys = console.node.keys.clone();
        let id = session.operator;
        let found = console
            .node
            .store
            .read(move |tx| Ok::<_, OperatorFault>((operators::get(tx, &keys, id)?, accounts::list(tx)?)));
        let (operator, accounts) = found.await?;
        let operator = operator.filter(|operator| Sessions::is_of(&session, operator));
        let operator = operator.ok_or_else(|| Problem::sign_in(&to))?;
        let is_open = |account: &Account| account.closed_at.is_none();
        let open = accounts.into_iter().filter(is_open);
        let shops = open.map(|open| ConsoleShop {
            id: open.id,
            title: open.name.clone(),
            name: open.name,
            access_key: open.access_key,
            currency: open.currency,
            pictures: Vec::new(),
        });
        let shops: Vec<_> = shops.filter(|shop| operator.works_for(shop.id)).collect();
        let named = Path::<HashMap<String, String>>::from_request_parts(parts, &()).await;
        let named = named.ok().and_then(|Path(mut named)| named.remove("shop"));
        let shop = match named {
            Some(named) => {
                let found = shops.iter().find(|shop| shop.name == named);
                Some(found.ok_or_else(|| no_such_shop(&operator, &named))?)
            }
            None => None,
        };
        if !operator.is_allowed(N::RIGHT, shop.map(|shop| shop.id)) {
            return Err(Problem::not_allowed());
        }
        let shop = match shop {
            Some(shop) => Some(shop.clone().with_details(console).await?),
            None => None,
        };
        let sheet = (parts.method == Method::GET).then(|| csv::address(&to));
        let wanted_sheet =
            sheet.as_ref().and_then(|_| csv::requested_table(parts.uri.query().unwrap_or_default()));
        Ok(Self { path: to, sheet, wanted_sheet, shop, session, cookie, operator, shops, needs: PhantomData })
    }
}

impl<N: RequiredRight> FromRequestParts<Arc<Console>> for Authorized<N> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, console: &Arc<Console>) -> Result<Self, Problem> {
        Self::authorize(console, parts).await
    }
}

impl<N: RequiredRight> FromRequest<Arc<Console>> for AuthorizedForm<N> {
    type Rejection = Problem;

    async fn from_request(request: Request, console: &Arc<Console>) -> Result<Self, Problem> {
        let (mut parts, body) = request.into_parts();
        // Changes of lists are sent with the whole list.
        let most = if N::RIGHT == Right::Merchandise { limits::LIST_FORM_BYTES } else { limits::FORM_BYTES };
        let may = match Authorized::authorize(console, &mut parts).await {
            Ok(may) => may,
            Err(problem) if problem.sign_in.is_some() => {
                return Err(given_back(console, &parts.headers, (body, most), problem).await);
            }
            Err(problem) => return Err(problem),
        };
        let form = read_form(console, &parts.headers, (body, most)).await?;
        let is_own = form.raw("form_token") == may.session.form_token;
        if is_own {
            return Ok(Self { may, form });
        }
        // It may be of a session of theirs that ended before they signed in again.
        Err(Problem { written: form.written_texts(), ..Problem::foreign() })
    }
}

/// The answer about a shop that an operator does not work for. Only owners, who work for all, learn that it is missing:
/// to all others a foreign shop and a missing one are the same.
fn no_such_shop(operator: &Operator, name: &str) -> Problem {
    let works_for_all = operator.role == OperatorRole::Owner;
    if works_for_all { Problem::no_shop(name) } else { Problem::not_allowed() }
}

/// Gives back the form of an operator whose session ended meanwhile. Without an earlier session, nothing of the form
/// is read.
async fn given_back(
    console: &Console,
    headers: &HeaderMap,
    sent: (Body, usize),
    problem: Problem,
) -> Problem {
    let cookie = cookie(headers).unwrap_or_default();
    let Some(session) = console.sessions.find_even_expired(&cookie, console.node.clock.now()) else {
        return problem;
    };
    let operator = console.operator(session.operator).await;
    let works_here = operator.is_some_and(|operator| operator.disabled_at.is_none());
    // An operator who was removed or disabled gets nothing read.
    if !works_here {
        return problem;
    }
    match read_form(console, headers, sent).await {
        Ok(form) if form.raw("form_token") == session.form_token => {
            Problem { written: form.written_texts(), ..problem }
        }
        Ok(_) => problem,
        Err(refused) => refused,
    }
}

/// The page on which a form stood, as browsers say it to the site that they are on.
fn page_of(headers: &HeaderMap) -> String {
    let from = headers.get(header::REFERER).and_then(|from| from.to_str().ok()).unwrap_or_default();
    url::Url::parse(from).map_or_else(|_| "/".to_owned(), |from| from[url::Position::BeforePath..].to_owned())
}

/// The form of a request that came from here, of so many bytes at most.
///
/// # Errors
/// When it came from elsewhere, is too large, or takes too long.
pub(crate) async fn read_form(
    console: &Console,
    headers: &HeaderMap,
    (body, most): (Body, usize),
) -> Result<ConsoleForm, Problem> {
    if !is_from_here(&console.hosts, headers) {
        return Err(Problem::foreign());
    }
    let reading = tokio::time::timeout(limits::FORM_DURATION, to_bytes(body, most));
    let body = reading.await.map_err(|_| Problem::new(StatusCode::REQUEST_TIMEOUT, "problem.too_slow"))?;
    body.map(|body| ConsoleForm::parse(&body)).map_err(|_| Problem::too_large())
}

impl Console {
    /// Logs an operator's intended action, and then asks for it.
    ///
    /// # Errors
    /// The refusal of the operation; or when the store fails, and then nothing is done.
    pub async fn record_and_call<N: RequiredRight>(
        &self,
        may: &Authorized<N>,
        act: &str,
        (path, question): (&str, Value),
    ) -> Result<Value, Problem> {
        self.done_about(may, (act, None), (path, question)).await
    }

    /// The same about something that has an id of ours.
    ///
    /// # Errors
    /// As [`Self::record_and_call`].
    pub async fn done_about<N: RequiredRight>(
        &self,
        may: &Authorized<N>,
        (act, about): (&str, Option<String>),
        (path, question): (&str, Value),
    ) -> Result<Value, Problem> {
        let asking = async {
            match &may.shop {
                Some(shop) => self.operations.call_for_shop(shop, path, question).await,
                None => self.operations.call(path, question).await,
            }
        };
        self.do_and_record(may, (act, about), asking).await
    }

    /// Logs an operator's intended action, then does it, and logs a refusal too.
    ///
    /// # Errors
    /// The refusal; or when the store fails, and then nothing is done.
    pub async fn do_and_record<N, T>(
        &self,
        may: &Authorized<N>,
        (act, about): (&str, Option<String>),
        doing: impl Future<Output = Result<T, Problem>>,
    ) -> Result<T, Problem> {
        self.record_act(may, act, about.clone()).await?;
        let done = doing.await;
        if done.is_err() {
            self.record_act(may, &format!("{act}, refused"), about).await?;
        }
        done
    }

    /// Logs an operator's action.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn record_act<N>(
        &self,
        may: &Authorized<N>,
        act: &str,
        about: Option<String>,
    ) -> Result<(), Problem> {
        let account = may.shop.as_ref().map(|shop| shop.id);
        let done = Done::new(may.operator.id, act, self.node.clock.now());
        self.store_act(Done { account, about, ..done }).await
    }

    /// The same of an operator who signs in.
    ///
    /// # Errors
    /// As [`Self::record_act`].
    pub async fn note_of(
        &self,
        operator: OperatorId,
        act: &str,
        about: Option<String>,
    ) -> Result<(), Problem> {
        self.store_act(Done { about, ..Done::new(operator, act, self.node.clock.now()) }).await
    }

    /// Search settings of a shop, read from the store: the operation that returns them also sets them.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn search_of(&self, shop: &ConsoleShop) -> Result<SearchSettings, Problem> {
        let id = shop.id;
        Ok(self.node.store.read(move |tx| search::get(tx, id)).await?)
    }

    /// Checks that data may be stored: not while a required standby is missing.
    ///
    /// # Errors
    /// When it is missing.
    pub fn may_store(&self) -> Result<(), Problem> {
        match self.node.standby.problem() {
            Some(_) => Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "problem.busy")),
            None => Ok(()),
        }
    }

    /// Returns true if the session of a page with live parts still exists and its operator has not changed.
    pub async fn is_still(&self, cookie: &str) -> bool {
        match self.sessions.peek(cookie, self.node.clock.now()) {
            Some(session) => self.has_same_rights(&session).await,
            None => false,
        }
    }

    /// Returns true if the operator of a session is enabled and has not changed since it began.
    pub async fn has_same_rights(&self, session: &Session) -> bool {
        self.operator(session.operator).await.is_some_and(|operator| Sessions::is_of(session, &operator))
    }

    /// An operator in their present state; `None` if there is none, and when the store fails.
    async fn operator(&self, id: OperatorId) -> Option<Operator> {
        let keys = self.node.keys.clone();
        self.node.store.read(move |tx| operators::get(tx, &keys, id)).await.ok().flatten()
    }

    async fn store_act(&self, done: Done) -> Result<(), Problem> {
        self.may_store()?;
        let done = Arc::new(done);
        self.node.store.write(Owner::STORE, move |tx| audit_log::record(tx, &done)).await?;
        Ok(())
    }
}

impl ConsoleShop {
    async fn with_details(mut self, console: &Console) -> Result<Self, Problem> {
        let id = self.id;
        let profile = console.node.store.read(move |tx| about::get(tx, id)).await?;
        self.title = profile.display_name.unwrap_or(self.title);
        let known = console.node.directory.find(&console.node.store, &self.access_key).await?;
        self.pictures = known.map(|known| known.search.pictures.clone()).unwrap_or_default();
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_was_on_the_page_that_the_browser_names() {
        let page = |from: &'static str| {
            page_of(&HeaderMap::from_iter([(header::REFERER, from.parse().expect("a header"))]))
        };
        let here = "http://localhost:8081/shops/oak/rules?for=lamp&pin=1#editor";
        assert_eq!(page(here), "/shops/oak/rules?for=lamp&pin=1#editor");
        assert_eq!(["http://localhost:8081", "/shops/oak", ""].map(page), ["/"; 3]);
        assert_eq!(page_of(&HeaderMap::new()), "/");
    }
}
