//! Parts of a page that follow what happens: a stream of server-sent events, each the part as it is now. A page closes
//! it while nobody sees it, and opens it again when it ended before its time: then it is looked again who asks.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderName, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;

use super::Console;
use super::problem::Problem;
use super::signed::{May, Needs};
use crate::fairness::Who;
use crate::http::listener::Stopping;
use crate::limits;

/// Between two looks at what happens.
const PAUSE: Duration = Duration::from_millis(400);

/// A part of a page.
pub(super) struct Live {
    pub html: String,
    /// Whether nothing changes any more.
    pub is_last: bool,
}

/// Follows a part of a page until it is the last, the server stops, or it took its time. What did not change
/// is not sent again.
///
/// # Errors
/// When the pages of the shop, or those of none, follow as much as they may: each asks the store again and again.
pub(super) async fn stream<F, N: Needs>(
    console: &Arc<Console>,
    may: &May<N>,
    Stopping(stop): Stopping,
    mut next: impl FnMut() -> F + Send + 'static,
) -> Result<Response, Problem>
where
    F: Future<Output = Result<Live, Problem>> + Send + 'static,
{
    let turns = &console.node.fairness.followed_parts;
    let who = may.shop().map_or(Who::Operator, |shop| Who::Account(shop.id));
    let turn = turns.take(who, 1, Duration::ZERO).await;
    let turn = turn.ok_or_else(|| Problem::of(StatusCode::SERVICE_UNAVAILABLE, "problem.busy"))?;
    let console = console.clone();
    let cookie = may.cookie.clone();
    let (send, receive) = tokio::sync::mpsc::channel(1);
    tokio::spawn(async move {
        let _turn = turn;
        let mut before = String::new();
        let end = tokio::time::Instant::now() + limits::FOLLOWED_PART_DURATION;
        // A page that is closed is noticed at the next change, or here.
        // red: it::console_attacks::sqlite::a_part_ends_with_the_session_of_who_follows_it
        while mutant!("a-part-outlives-its-session", console.is_still(&cookie).await, true)
            && let Ok(part) = next().await
            && !send.is_closed()
            && tokio::time::Instant::now() < end
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
            tokio::select! { () = tokio::time::sleep(PAUSE) => {}, () = stop.cancelled() => break }
        }
    });
    let events = stream::unfold(receive, |mut receive| async move {
        receive.recv().await.map(|event| (Ok::<_, Infallible>(event), receive))
    });
    // A proxy that collects answers would hold each part back.
    let told = [(HeaderName::from_static("x-accel-buffering"), "no")];
    Ok((told, Sse::new(events).keep_alive(KeepAlive::default())).into_response())
}
