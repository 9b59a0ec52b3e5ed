//! Reading a request's body within its limits, and its JSON object within the rules for names.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, Request, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::refusal::Refusal;
use crate::limits;

/// Reads the whole body of a JSON request of at most `limit_bytes`.
pub async fn read_json(request: Request<Body>, limit_bytes: usize) -> Result<Bytes, Refusal> {
    if !is_json(request.headers()) {
        return Err(Refusal::media_type("application/json"));
    }
    read_within(request, limit_bytes, limits::BODY_TOTAL_DURATION, None).await
}

/// Reads the whole body of a request of at most `limit_bytes` that takes at most `longest`. For each piece that
/// arrives its bytes are taken from `room`, if it is given.
pub async fn read_within(
    request: Request<Body>,
    limit_bytes: usize,
    longest: Duration,
    room: Option<&mut Room>,
) -> Result<Bytes, Refusal> {
    if announced_bytes(request.headers()).is_some_and(|bytes| bytes > limit_bytes as u64) {
        return Err(Refusal::too_large(limit_bytes));
    }
    let reading = read_limited(request.into_body(), limit_bytes, room);
    // red: it::faults::slow_clients::every_slow_client_is_closed_at_its_limit
    tokio::time::timeout(mutant!("no-time-limit-for-a-body", longest, 9 * longest), reading)
        .await
        .map_err(|_| Refusal::too_slow())?
}

/// What a request holds of the memory that all large bodies share; given back when it is dropped.
pub struct Room {
    shared: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
}

impl Room {
    /// Nothing yet of `shared`, whose permits are bytes.
    pub fn of(shared: &Arc<Semaphore>) -> Self {
        Self { shared: shared.clone(), held: None }
    }

    /// Waits for room for `bytes` of body, which take three times as much: as sent, decoded, and sealed.
    async fn take(&mut self, bytes: usize) -> Result<(), Refusal> {
        let permits = u32::try_from(3 * bytes).unwrap_or(u32::MAX);
        let room = self.shared.clone().acquire_many_owned(permits);
        match (tokio::time::timeout(limits::UPLOAD_WAIT_DURATION, room).await, &mut self.held) {
            (Ok(Ok(room)), Some(held)) => held.merge(room),
            (Ok(Ok(room)), None) => self.held = Some(room),
            (Ok(Err(_)) | Err(_), _) => return Err(Refusal::busy()),
        }
        Ok(())
    }
}

/// The media type of a request, without its parameters.
pub fn essence(headers: &HeaderMap) -> &str {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.and_then(|value| value.split(';').next()).unwrap_or_default().trim()
}

fn is_json(headers: &HeaderMap) -> bool {
    let essence = essence(headers);
    essence.eq_ignore_ascii_case("application/json")
        || (essence.len() > 17
            && essence[..12].eq_ignore_ascii_case("application/")
            && essence[essence.len() - 5..].eq_ignore_ascii_case("+json"))
}

fn announced_bytes(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

async fn read_limited(
    mut body: Body,
    limit_bytes: usize,
    mut room: Option<&mut Room>,
) -> Result<Bytes, Refusal> {
    let mut whole = BytesMut::new();
    let mut first: Option<Bytes> = None;
    loop {
        let next = tokio::time::timeout(limits::BODY_IDLE_DURATION, body.frame());
        let Some(frame) = next.await.map_err(|_| Refusal::too_slow())? else { break };
        let frame = frame.map_err(|_| Refusal::malformed("The body of the request ended too early"))?;
        let Ok(piece) = frame.into_data() else { continue };
        if whole.len() + first.as_ref().map_or(0, Bytes::len) + piece.len() > limit_bytes {
            return Err(Refusal::too_large(limit_bytes));
        }
        if let Some(room) = &mut room {
            room.take(piece.len()).await?;
        }
        // Most bodies arrive in one piece, which then needs no copy.
        match first.take() {
            None if whole.is_empty() => first = Some(piece),
            None => whole.extend_from_slice(&piece),
            Some(earlier) => {
                whole.extend_from_slice(&earlier);
                whole.extend_from_slice(&piece);
            }
        }
    }
    Ok(first.unwrap_or_else(|| whole.freeze()))
}

/// Where a request's named values stand: the members of a JSON object, or the fields of a form.
pub trait Named {
    /// A text under any of its spellings, if it is there.
    fn opt_text(&self, spellings: &[&str]) -> Result<Option<String>, Refusal>;

    /// A text that has to be there.
    fn text(&self, spellings: &[&str]) -> Result<String, Refusal> {
        let text = self.opt_text(spellings)?;
        text.ok_or_else(|| Refusal::malformed(format!("{} is missing", spellings[0])))
    }

    /// A value as it was sent, a text without its quotes.
    fn as_sent(&self, spellings: &[&str]) -> Result<Option<String>, Refusal>;

    /// Yes or no; no, if it is not there.
    fn flag(&self, spellings: &[&str]) -> Result<bool, Refusal> {
        match self.as_sent(spellings)?.as_deref().map(str::trim) {
            None | Some("" | "null" | "false" | "0") => Ok(false),
            Some("true" | "1") => Ok(true),
            Some(_) => Err(Refusal::malformed(format!("{} has to be true or false", spellings[0]))),
        }
    }

    /// A whole number that has to be there.
    fn number(&self, spellings: &[&str]) -> Result<i64, Refusal> {
        let sent = self.as_sent(spellings)?;
        let sent = sent.ok_or_else(|| Refusal::malformed(format!("{} is missing", spellings[0])))?;
        let malformed = |_| Refusal::malformed(format!("{} has to be a whole number", spellings[0]));
        sent.trim().parse().map_err(malformed)
    }
}

/// The text, unless it has a character that nothing that is looked up holds, and PostgreSQL does not take.
pub fn without_nul(text: String, name: &str) -> Result<String, Refusal> {
    // red: it::wire::postgres::a_body_that_is_not_one_json_object_is_refused
    match mutant!("nul-in-a-looked-up-text", text.contains('\0'), false) {
        true => Err(Refusal::malformed(format!("{name} holds a NUL character"))),
        false => Ok(text),
    }
}

/// The members of a request's JSON object, each as it was sent.
pub struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Fields<'a> {
    /// Reads the object; its names must be distinct as spelt.
    pub fn parse(body: &'a [u8]) -> Result<Self, Refusal> {
        let text = std::str::from_utf8(body).map_err(|_| malformed_json())?;
        let mut reader = serde_json::Deserializer::from_str(text);
        let fields = reader.deserialize_map(FieldsVisitor).map_err(|error| {
            if error.is_data() && error.to_string().starts_with(DUPLICATE) {
                Refusal::malformed("The body of the request has a field twice")
            } else {
                malformed_json()
            }
        })?;
        reader.end().map_err(|_| malformed_json())?;
        Ok(fields)
    }

    /// The value of a field under any of its spellings, which are compared without case. Two spellings with
    /// different values are refused; with equal values they pass.
    pub fn find(&self, spellings: &[&str]) -> Result<Option<&'a RawValue>, Refusal> {
        let mut found: Option<&'a RawValue> = None;
        for (name, value) in &self.0 {
            if !spellings.iter().any(|spelling| name.eq_ignore_ascii_case(spelling)) {
                continue;
            }
            match found {
                // red: it::wire::sqlite::a_name_given_twice_is_refused_unless_the_values_are_equal
                Some(earlier) if mutant!("ambiguous-names-pass", !is_same(earlier, value), false) => {
                    return Err(Refusal::malformed(format!(
                        "{} is given twice, with different values",
                        spellings[0]
                    )));
                }
                _ => found = Some(value),
            }
        }
        Ok(found)
    }

    /// A text that has to be there.
    pub fn text(&self, spellings: &[&str]) -> Result<String, Refusal> {
        Named::text(self, spellings)
    }

    /// A text, if it is there.
    pub fn opt_text(&self, spellings: &[&str]) -> Result<Option<String>, Refusal> {
        Named::opt_text(self, spellings)
    }

    /// All members, in the order they were sent.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }
}

impl Named for Fields<'_> {
    fn opt_text(&self, spellings: &[&str]) -> Result<Option<String>, Refusal> {
        let Some(value) = self.find(spellings)? else { return Ok(None) };
        let text: String = serde_json::from_str(value.get())
            .map_err(|_| Refusal::malformed(format!("{} has to be a string", spellings[0])))?;
        without_nul(text, spellings[0]).map(Some)
    }

    fn as_sent(&self, spellings: &[&str]) -> Result<Option<String>, Refusal> {
        Ok(self.find(spellings)?.map(|value| value.get().trim_matches('"').to_owned()))
    }
}

fn is_same(one: &RawValue, other: &RawValue) -> bool {
    one.get() == other.get()
        || matches!(
            (
                serde_json::from_str::<serde_json::Value>(one.get()),
                serde_json::from_str::<serde_json::Value>(other.get())
            ),
            (Ok(one), Ok(other)) if one == other
        )
}

fn malformed_json() -> Refusal {
    Refusal::malformed("The body of the request has to be one JSON object in UTF-8")
}

const DUPLICATE: &str = "duplicate name";

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields: Vec<(String, &'de RawValue)> = Vec::with_capacity(8);
        while let Some(name) = map.next_key::<String>()? {
            if fields.len() >= limits::REQUEST_FIELDS {
                return Err(serde::de::Error::custom("too many fields"));
            }
            if fields.iter().any(|(known, _)| *known == name) {
                return Err(serde::de::Error::custom(DUPLICATE));
            }
            fields.push((name, map.next_value()?));
        }
        Ok(Fields(fields))
    }
}
