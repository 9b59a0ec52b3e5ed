//! Parses input apart from the threads that serve all: a long body is read on a thread of its own, in a turn of its
//! account.

use bytes::Bytes;

use super::from_fields::FromFields;
use super::json_fields::JsonFields;
use super::search::TurnOf;
use crate::admission::Tenant;
use crate::limits;
use crate::node::Node;
use crate::transport::refusal::Refusal;

/// Returns true if a body is parsed at once, on the thread that serves all.
fn is_short(body: &Bytes) -> bool {
    body.len() <= limits::BODY_READ_AT_ONCE_BYTES
}

/// Parses a body: a short one at once, a long one apart.
///
/// # Errors
/// A refusal of `read`, or when there is no turn in time.
pub async fn read_body<T: Send + 'static>(
    node: &Node,
    turn_of: TurnOf,
    body: Bytes,
    read: impl FnOnce(&[u8]) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    if is_short(&body) { read(&body) } else { work_apart(node, turn_of, move || read(&body)).await }
}

/// Reads the question of a request from the fields of its body: those of a long body apart.
///
/// # Errors
/// As [`read_body`].
pub async fn read_question<Q: FromFields + 'static>(
    node: &Node,
    turn_of: TurnOf,
    body: &Bytes,
    fields: &JsonFields<'_>,
) -> Result<Q, Refusal> {
    if is_short(body) {
        return Q::from_fields(fields);
    }
    let body = body.clone();
    work_apart(node, turn_of, move || Q::from_fields(&JsonFields::parse(&body)?)).await
}

/// Does the work of a long body on a thread of its own, in a turn of the account.
///
/// # Errors
/// A refusal of the work, or when there is no turn in time.
pub async fn work_apart<T: Send + 'static>(
    node: &Node,
    turn_of: TurnOf,
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let who = Tenant::Account(turn_of.account());
    let turns = &node.resources.long_bodies;
    let turn = turns.take_at(who, turn_of.address(), 1, limits::LONG_BODY_WAIT_DURATION).await;
    let turn = turn.ok_or_else(Refusal::busy)?;
    // The turn ends with the work, even if the caller has left.
    let working = tokio::task::spawn_blocking(move || {
        let done = work();
        drop(turn);
        done
    });
    working.await.unwrap_or_else(|_| Err(Refusal::fault()))
}
