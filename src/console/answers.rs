//! What a form answered that is more than a place to go to: it gets an address of its own, so that loading the page
//! again sends nothing twice.

use axum::response::{IntoResponse, Redirect, Response};
use serde_json::Value;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::Console;
use super::problem::Problem;
use super::signed::{May, Needs};

/// The field of an address that names an answer.
const QUERY_FIELD: &str = "answer";

impl Console {
    /// Leads to a page, a path that may have a query, which shows an answer.
    pub fn lead<N: Needs>(&self, may: &May<N>, page: &str, answer: &Value) -> Response {
        let id = self.answers.make(may.seer(), answer.to_string(), self.node.clock.now());
        let sign = if page.contains('?') { '&' } else { '?' };
        Redirect::to(&format!("{page}{sign}{QUERY_FIELD}={id}")).into_response()
    }

    /// The answer that an address names; null when it names none.
    ///
    /// # Errors
    /// When it is not kept any more.
    pub fn answer<N: Needs>(&self, may: &May<N>) -> Result<Value, Problem> {
        let Some(id) = named(&may.path) else { return Ok(Value::Null) };
        let found = self.answers.find(may.seer(), id, self.node.clock.now());
        found.map(|found| read(&found)).ok_or_else(Problem::answer_gone)
    }

    /// The same for the last time, as it holds a secret; null also when it was shown.
    pub fn last_answer<N: Needs>(&self, may: &May<N>) -> Value {
        let found = named(&may.path).and_then(|id| self.answers.take(may.seer(), id, self.node.clock.now()));
        found.map(|found| read(&found)).unwrap_or_default()
    }
}

fn read(found: &Zeroizing<String>) -> Value {
    serde_json::from_str(found).unwrap_or_default()
}

/// The answer that a path names. One that is no id of ours is nobody's.
fn named(path: &str) -> Option<Uuid> {
    let (_, query) = path.split_once('?')?;
    let (_, id) = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == QUERY_FIELD)?;
    Some(Uuid::try_parse(&id).unwrap_or_default())
}
