//! Parts of a page that follow what happens: a stream of server-sent events, each the part as it is now. A page closes
//! it while nobody sees it.

use std::convert::Infallible;
use std::future::Future;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;

use super::problem::Problem;

/// Between two looks at what happens.
const PAUSE: Duration = Duration::from_millis(400);

/// A part of a page.
pub(super) struct Live {
    pub html: String,
    /// Whether nothing changes any more.
    pub is_last: bool,
}

/// Follows a part of a page until it is the last. What did not change is not sent again.
pub(super) fn stream<F>(mut next: impl FnMut() -> F + Send + 'static) -> Response
where
    F: Future<Output = Result<Live, Problem>> + Send + 'static,
{
    let (send, receive) = tokio::sync::mpsc::channel(1);
    tokio::spawn(async move {
        let mut before = String::new();
        // A page that is closed is noticed at the next change, or here.
        while let Ok(part) = next().await
            && !send.is_closed()
        {
            let is_new = part.html != before;
            if is_new && send.send(Event::default().data(&part.html)).await.is_err() {
                break;
            }
            if part.is_last {
                let _ = send.send(Event::default().event("end").data("")).await;
                break;
            }
            before = part.html;
            tokio::time::sleep(PAUSE).await;
        }
    });
    let events = stream::unfold(receive, |mut receive| async move {
        receive.recv().await.map(|event| (Ok::<_, Infallible>(event), receive))
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}
