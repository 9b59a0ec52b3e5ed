//! Parts of a page that follow events: a stream of server-sent events, each the part in its present state. A page
//! closes the stream while it is hidden, and reopens one that ended early; the server then checks the sign-in again.
//!
//! However many pages follow the same part, it is read and rendered once for all of them.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderName, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until};

use super::live_parts::{LivePart, LivePartKey, LivePartSender};
use super::problem::Problem;
use crate::admission::Tenant;
use crate::console::auth::authorization::{Authorized, RequiredRight};
use crate::console::state::Console;
use crate::limits;
use crate::transport::listener::ListenerStop;

/// Time between two reads of a part: as often as jobs report progress.
const PAUSE: Duration = Duration::from_millis(300);

/// Time between two checks of the followers.
const SESSION_PAUSE: Duration = Duration::from_secs(2);

/// Follows a part of a page until it is the last, the server stops, or it took its time. What did not change
/// is not sent again.
///
/// # Errors
/// When as many parts of the shop's pages, or of those of none, are followed as may be: each asks the store again and
/// again.
pub(crate) async fn stream<F, N: RequiredRight>(
    console: &Arc<Console>,
    may: &Authorized<N>,
    ListenerStop(stop): ListenerStop,
    next: impl FnMut() -> F + Send + 'static,
) -> Result<Response, Problem>
where
    F: Future<Output = Result<LivePart, Problem>> + Send + 'static,
{
    // The query of an address makes no part of its own; a role does, as its links may be others.
    let address = may.path.split('?').next().unwrap_or_default();
    let part = (format!("{address} {}", may.operator.role.name()), may.session.language);
    let mut looked = match console.followed.join(&part) {
        Some(joined) => joined,
        None => begin(console, may, part, next).await?,
    };
    let console = console.clone();
    let cookie = may.cookie.clone();
    let (send, receive) = mpsc::channel(1);
    tokio::spawn(async move {
        let end = Instant::now() + limits::FOLLOWED_PART_DURATION;
        let mut sessions = interval(SESSION_PAUSE);
        sessions.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = send.closed() => break,
                () = sleep_until(end) => break,
                _ = sessions.tick() => {
                    if !console.is_still(&cookie).await {
                        break;
                    }
                }
                changed = looked.changed() => {
                    if changed.is_err() || !send_part(&send, &mut looked).await {
                        break;
                    }
                }
            }
        }
    });
    let events = stream::unfold(receive, |mut receive| async move {
        receive.recv().await.map(|event| (Ok::<_, Infallible>(event), receive))
    });
    // A proxy that collects answers would hold each part back.
    let told = [(HeaderName::from_static("x-accel-buffering"), "no")];
    Ok((told, Sse::new(events).keep_alive(KeepAlive::default())).into_response())
}

/// Sends the part as it is now; whether more is to come.
async fn send_part(send: &mpsc::Sender<Event>, looked: &mut watch::Receiver<Option<LivePart>>) -> bool {
    let Some(part) = looked.borrow_and_update().clone() else { return true };
    let is_sent = send.send(Event::default().data(&part.html)).await.is_ok();
    if is_sent && part.is_last {
        // A browser passes over an event without data.
        let _ = send.send(Event::default().event("end").data("end")).await;
    }
    is_sent && !part.is_last
}

/// Reads a part again and again while a page follows it.
async fn begin<F, N: RequiredRight>(
    console: &Console,
    may: &Authorized<N>,
    part: LivePartKey,
    mut next: impl FnMut() -> F + Send + 'static,
) -> Result<watch::Receiver<Option<LivePart>>, Problem>
where
    F: Future<Output = Result<LivePart, Problem>> + Send + 'static,
{
    let turns = &console.node.resources.followed_parts;
    let who = may.shop().map_or(Tenant::Operator, |shop| Tenant::Account(shop.id));
    let turn = turns.acquire(who, 1, Duration::ZERO).await;
    let turn = turn.ok_or_else(|| Problem::new(StatusCode::SERVICE_UNAVAILABLE, "problem.busy"))?;
    let looked = Arc::new(LivePartSender::new(None));
    let receiver = match console.followed.begin(part, &looked) {
        Ok(receiver) => receiver,
        Err(joined) => return Ok(joined),
    };
    tokio::spawn(async move {
        let _turn = turn;
        while looked.receiver_count() > 0
            && let Ok(part) = next().await
        {
            let is_last = part.is_last;
            looked.send_if_modified(|before| {
                let is_new = before.as_ref() != Some(&part);
                *before = Some(part);
                is_new
            });
            if is_last {
                break;
            }
            sleep(PAUSE).await;
        }
    });
    Ok(receiver)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends a part to a follower; gives the answer, and the number of events.
    async fn send_and_count(part: Option<LivePart>) -> (bool, usize) {
        let (send, mut receive) = mpsc::channel(2);
        let mut looked = LivePartSender::new(part).subscribe();
        let is_more = send_part(&send, &mut looked).await;
        drop(send);
        let mut events = 0;
        while receive.recv().await.is_some() {
            events += 1;
        }
        (is_more, events)
    }

    #[tokio::test]
    async fn a_part_is_sent_and_behind_the_last_one_the_end() {
        let part = |is_last| Some(LivePart { html: "x".to_owned(), is_last });
        assert_eq!(send_and_count(None).await, (true, 0));
        assert_eq!(send_and_count(part(false)).await, (true, 1));
        assert_eq!(send_and_count(part(true)).await, (false, 2));
        for is_last in [false, true] {
            let (send, receive) = mpsc::channel(2);
            drop(receive);
            let mut looked = LivePartSender::new(part(is_last)).subscribe();
            assert!(!send_part(&send, &mut looked).await, "nobody follows");
        }
    }
}
