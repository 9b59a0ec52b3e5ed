//! Results of forms that need a page to show: each gets an address of its own, so that loading the page again sends
//! nothing twice.

use axum::response::{IntoResponse, Redirect, Response};
use serde_json::Value;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::problem::Problem;
use crate::console::auth::authorization::{Authorized, RequiredRight};
use crate::console::state::Console;
use crate::limits;

/// The field of an address that names an answer.
const QUERY_FIELD: &str = "answer";

impl Console {
    /// Leads to a page, a path that may have a query, which shows an answer.
    ///
    /// # Errors
    /// When it is too large to be kept.
    pub fn redirect_with_answer<N: RequiredRight>(
        &self,
        may: &Authorized<N>,
        page: &str,
        answer: &Value,
    ) -> Result<Response, Problem> {
        let answer = answer.to_string();
        if answer.len() > limits::HANDLES_BYTES {
            return Err(Problem::too_large());
        }
        let id = self.answers.create(may.handle_owner(), answer, self.node.clock.now());
        let sign = if page.contains('?') { '&' } else { '?' };
        Ok(Redirect::to(&format!("{page}{sign}{QUERY_FIELD}={id}")).into_response())
    }

    /// The answer that an address names; null when it names none.
    ///
    /// # Errors
    /// When it is not kept any more.
    pub fn find_answer<N: RequiredRight>(&self, may: &Authorized<N>) -> Result<Value, Problem> {
        let Some(id) = answer_id(&may.path) else { return Ok(Value::Null) };
        let found = self.answers.find(may.handle_owner(), id, self.node.clock.now());
        found.map(|found| parse_answer(&found)).ok_or_else(Problem::answer_gone)
    }

    /// The page that showed an answer with a secret: it does so once.
    pub fn shown_once<N: RequiredRight>(&self, may: &Authorized<N>, page: Response) -> Response {
        if let Some(id) = answer_id(&may.path) {
            self.answers.end(may.handle_owner(), id);
        }
        page
    }
}

fn parse_answer(found: &Zeroizing<String>) -> Value {
    serde_json::from_str(found).unwrap_or_default()
}

/// The answer that a path names. An invalid id leads to none.
fn answer_id(path: &str) -> Option<Uuid> {
    let (_, query) = path.split_once('?')?;
    let (_, id) = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == QUERY_FIELD)?;
    Some(Uuid::try_parse(&id).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_its_answer_by_a_field_of_its_query() {
        const ID: &str = "7d444840-9dc0-4f5b-8c3b-0a2b6d5f6e11";
        let id = Uuid::try_parse(ID).expect("an id");
        for path in [format!("/x?answer={ID}"), format!("/x?csv=found&answer={ID}&for=who?")] {
            assert_eq!(answer_id(&path), Some(id), "{path}");
        }
        for path in ["/x", "/x?", "/x?for=answer", &format!("/x?an={ID}"), &format!("/answer={ID}")] {
            assert_eq!(answer_id(path), None, "{path}");
        }
        assert_eq!([answer_id("/x?answer=canary"), answer_id("/x?answer")], [Some(Uuid::nil()); 2]);
    }
}
