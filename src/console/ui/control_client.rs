//! Calls of this server's own operations, in its process, as the operator.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;

use super::problem::Problem;
use crate::api::form::{FORM, spell_form};
use crate::console::auth::console_shop::ConsoleShop;
use crate::transport::peer::Peer;
use crate::transport::refusal::ErrorCode;

/// Statuses of an answer about something that is absent: gone, or not made yet.
const NOTHING_THERE: [StatusCode; 4] =
    [StatusCode::BAD_REQUEST, StatusCode::NOT_FOUND, StatusCode::CONFLICT, StatusCode::GONE];

/// Media type of questions and answers.
const JSON: &str = "application/json";

/// The operations of the control socket.
pub(crate) struct Operations(pub Router);

/// Response of an operation.
pub(crate) struct OperationResponse {
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl OperationResponse {
    /// A header of the answer.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

impl Operations {
    /// Calls an operation, and returns the JSON of its answer.
    ///
    /// # Errors
    /// The refusal of the operation, with its sentence.
    pub async fn call(&self, path: &str, question: Value) -> Result<Value, Problem> {
        let answered = self.send(path, question, "application/json").await?;
        Ok(serde_json::from_slice(&answered.body).unwrap_or_default())
    }

    /// Calls an operation of a shop.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn call_for_shop(
        &self,
        shop: &ConsoleShop,
        path: &str,
        question: Value,
    ) -> Result<Value, Problem> {
        self.call(path, with_account(shop, question)).await
    }

    /// Calls an operation of a shop; null if its subject is absent.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn find_for_shop(
        &self,
        shop: &ConsoleShop,
        path: &str,
        question: Value,
    ) -> Result<Value, Problem> {
        match self.call_for_shop(shop, path, question).await {
            Err(problem) if NOTHING_THERE.contains(&problem.status) => Ok(Value::Null),
            answer => answer,
        }
    }

    /// Calls an operation for an answer of a media type, which stays unparsed: an export, or a certificate.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn send(
        &self,
        path: &str,
        question: Value,
        accept: &str,
    ) -> Result<OperationResponse, Problem> {
        read_response(self.begin(path, question, accept).await?).await
    }

    /// Sends a form of a shop: a piece of an upload.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn send_form(
        &self,
        shop: &ConsoleShop,
        path: &str,
        fields: &[(&str, &[u8])],
    ) -> Result<OperationResponse, Problem> {
        let account = [("Account", shop.name.as_bytes())];
        let form = spell_form(account.iter().chain(fields));
        read_response(self.request(path, FORM, JSON, form).await?).await
    }

    /// Calls an operation that answers with a stream of events, and passes on the name and content of each.
    ///
    /// # Errors
    /// As [`Self::call`]; also when the stream breaks off.
    pub async fn follow(
        &self,
        path: &str,
        question: Value,
        mut tell: impl FnMut(&str, &Value),
    ) -> Result<(), Problem> {
        let mut body = self.begin(path, question, "text/event-stream").await?.into_body();
        let mut text = String::new();
        while let Some(frame) = body.frame().await {
            let piece = frame.map_err(|_| Problem::fault())?.into_data().unwrap_or_default();
            text.push_str(&String::from_utf8_lossy(&piece));
            while let Some((event, rest)) = text.split_once("\n\n") {
                let field =
                    |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
                let name = field("event: ");
                if !name.is_empty() {
                    tell(name, &serde_json::from_str(field("data: ")).unwrap_or_default());
                }
                if ["end", "error"].contains(&name) {
                    return Ok(());
                }
                text = rest.to_owned();
            }
        }
        Err(Problem::fault())
    }

    /// Calls an operation, and returns the answer before its body is read.
    async fn begin(
        &self,
        path: &str,
        question: Value,
        accept: &str,
    ) -> Result<axum::response::Response, Problem> {
        self.request(path, JSON, accept, question.to_string()).await
    }

    /// Sends a body of a media type to an operation, for an answer of another.
    async fn request(
        &self,
        path: &str,
        media_type: &str,
        accept: &str,
        body: String,
    ) -> Result<axum::response::Response, Problem> {
        let request = Request::builder()
            .method(Method::POST)
            .uri(path)
            .header(header::CONTENT_TYPE, media_type)
            .header(header::ACCEPT, accept)
            .extension(Peer::Operator)
            .body(Body::from(body))
            .map_err(|_| Problem::fault())?;
        let answer = self.0.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
        let status = answer.status();
        if status.is_success() {
            return Ok(answer);
        }
        let code = answer.extensions().get::<ErrorCode>().copied();
        let body = answer.into_body().collect().await.map_err(|_| Problem::fault())?.to_bytes();
        Err(into_problem(status, code, &body))
    }
}

async fn read_response(answer: axum::response::Response) -> Result<OperationResponse, Problem> {
    let headers = answer.headers().clone();
    let body = answer.into_body().collect().await.map_err(|_| Problem::fault())?.to_bytes();
    Ok(OperationResponse { headers, body })
}

/// A request with the shop's account in it.
pub(crate) fn with_account(shop: &ConsoleShop, mut question: Value) -> Value {
    question["Account"] = shop.name.clone().into();
    question
}

fn into_problem(status: StatusCode, code: Option<ErrorCode>, body: &[u8]) -> Problem {
    let said: Value = serde_json::from_slice(body).unwrap_or_default();
    Problem { code, ..Problem::new(status, said["Error"].as_str().unwrap_or_default()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Follows a stream of these pieces; returns the events, and whether it ended.
    async fn follow(pieces: &'static [&'static str]) -> (Vec<String>, bool) {
        let stream = move || async move {
            Body::from_stream(futures_util::stream::iter(pieces.iter().copied().map(Ok::<_, std::io::Error>)))
        };
        let operations = Operations(Router::new().fallback(stream));
        let mut told = Vec::new();
        let followed =
            operations.follow("/x", json!({}), |name, data| told.push(format!("{name} {data}"))).await;
        (told, followed.is_ok())
    }

    #[tokio::test]
    async fn a_stream_is_followed_to_its_last_event_and_one_without_it_has_failed() {
        const CUT: &[&str] = &[
            "event: progress\nda",
            "ta: 1\n",
            "\n:\n\nevent: progress\ndata: 2\n\nevent: end\ndata: 3\n\nevent: x\ndata: 4\n\n",
        ];
        let told = ["progress 1", "progress 2", "end 3"].map(str::to_owned);
        assert_eq!(follow(CUT).await, (told.to_vec(), true));
        let failed = (vec!["error {\"Error\":\"x\"}".to_owned()], true);
        assert_eq!(follow(&["event: error\ndata: {\"Error\":\"x\"}\n\n"]).await, failed);
        let broken = (vec!["progress 1".to_owned()], false);
        assert_eq!(follow(&["event: progress\ndata: 1\n\nevent: end\ndata: 2\n"]).await, broken);
        assert_eq!(follow(&[]).await, (Vec::new(), false));
    }

    #[tokio::test]
    async fn a_refusal_is_told_with_its_status_and_sentence() {
        let refused = || async { (StatusCode::CONFLICT, json!({"Error": "not now"}).to_string()) };
        let operations = Operations(Router::new().fallback(refused));
        for problem in [
            operations.call("/x", json!({})).await.map(drop),
            operations.follow("/x", json!({}), |_, _| ()).await,
        ] {
            let problem = problem.expect_err("refused");
            assert_eq!((problem.status, problem.sentence.as_str()), (StatusCode::CONFLICT, "not now"));
        }
    }

    fn shop() -> ConsoleShop {
        ConsoleShop {
            id: crate::ids::AccountId(1),
            name: "oak".to_owned(),
            access_key: String::new(),
            title: "Oak & Sons".to_owned(),
            currency: None,
            pictures: Vec::new(),
        }
    }

    #[tokio::test]
    async fn an_operation_is_asked_as_the_operator_and_for_the_shop() {
        let echo = |request: axum::extract::Request| async move {
            let (parts, body) = request.into_parts();
            let body = body.collect().await.expect("a body").to_bytes();
            let asked: Value = serde_json::from_slice(&body).expect("JSON");
            let is_operator = matches!(parts.extensions.get::<Peer>(), Some(Peer::Operator));
            let header = |name: &str| parts.headers[name].to_str().expect("a text").to_owned();
            let told = json!({"Path": parts.uri.path(), "Method": parts.method.as_str(), "Asked": asked,
                "IsOperator": is_operator, "Accept": header("accept"), "Type": header("content-type")});
            ([("x-feed-token", "t")], told.to_string())
        };
        let operations = Operations(Router::new().fallback(echo));
        let told = |accept: &str, asked: Value| {
            json!({"Path": "/api/x", "Method": "POST", "Asked": asked, "IsOperator": true, "Accept": accept,
                "Type": "application/json"})
        };
        let of_shop = operations.call_for_shop(&shop(), "/api/x", json!({"Id": 1})).await.expect("an answer");
        assert_eq!(of_shop, told("application/json", json!({"Id": 1, "Account": "oak"})));
        let sent = operations.send("/api/x", json!({}), "text/csv").await.expect("an answer");
        let body: Value = serde_json::from_slice(&sent.body).expect("JSON");
        assert_eq!(body, told("text/csv", json!({})));
        assert_eq!((sent.header("x-feed-token"), sent.header("x-other")), ("t", ""));
    }

    #[tokio::test]
    async fn a_form_is_sent_for_the_shop_with_its_fields_in_their_order() {
        let echo = |request: axum::extract::Request| async move {
            let media_type = request.headers()[header::CONTENT_TYPE].to_str().expect("a text").to_owned();
            let body = request.into_body().collect().await.expect("a body").to_bytes();
            format!("{media_type} {}", String::from_utf8_lossy(&body))
        };
        let operations = Operations(Router::new().fallback(echo));
        let fields: [(&str, &[u8]); 2] = [("feedName", b"product-1"), ("payLoad", b"{\"a\": 1}")];
        let sent = operations.send_form(&shop(), "/feed-create", &fields).await.expect("an answer");
        let expected =
            "application/x-www-form-urlencoded Account=oak&feedName=product-1&payLoad=%7B%22a%22%3A+1%7D";
        assert_eq!(String::from_utf8_lossy(&sent.body), expected);
    }

    #[tokio::test]
    async fn nothing_to_show_is_no_refusal_and_every_other_status_is() {
        for (status, is_nothing) in [
            (400, true),
            (404, true),
            (409, true),
            (410, true),
            (401, false),
            (403, false),
            (422, false),
            (500, false),
            (503, false),
        ] {
            let status = StatusCode::from_u16(status).expect("a status");
            let operations = Operations(Router::new().fallback(move || async move { (status, "{}") }));
            let found = operations.find_for_shop(&shop(), "/api/x", json!({})).await;
            let found = found.map_err(|problem| problem.status);
            assert_eq!(found, if is_nothing { Ok(Value::Null) } else { Err(status) }, "{status}");
            let called = operations.call_for_shop(&shop(), "/api/x", json!({})).await;
            assert_eq!(called.map_err(|problem| problem.status), Err(status), "{status}");
        }
    }

    #[tokio::test]
    async fn what_cannot_be_asked_or_breaks_off_is_a_fault() {
        for status in [StatusCode::OK, StatusCode::CONFLICT] {
            let broken = move || async move {
                let pieces = [Ok("{"), Err(std::io::Error::other("broken"))];
                (status, Body::from_stream(futures_util::stream::iter(pieces)))
            };
            let operations = Operations(Router::new().fallback(broken));
            for problem in [
                operations.call("/x", json!({})).await.map(drop),
                operations.call("no path", json!({})).await.map(drop),
                operations.follow("/x", json!({}), |_, _| ()).await,
            ] {
                let problem = problem.expect_err("a fault");
                assert_eq!(problem.status, StatusCode::INTERNAL_SERVER_ERROR, "{status}");
                assert_eq!(problem.sentence, "problem.fault", "{status}");
            }
        }
    }
}
