//! A form with a file while it arrives: within its pace, its time, and the room that its fields may take before the
//! file.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use axum::body::Body;
use axum::extract::multipart::{Field, Multipart};
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::StatusCode;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use tokio::time::{Instant, timeout_at};

use crate::console::ui::problem::Problem;
use crate::limits;
use crate::outbound::BodyChunk;
use crate::transport::min_rate::BodyRate;

/// The largest value of a field that is no file.
const VALUE_BYTES: usize = 1024;
/// Characters of a file's name that are told again.
const FILE_NAME_CHARS: usize = 255;

/// State of the arrival, shared with the body.
#[derive(Default)]
struct Arrival {
    /// The file has begun: its bytes are taken away as they come.
    has_file: AtomicBool,
    /// The client was slower than the least pace.
    is_slow: AtomicBool,
}

/// A form of several parts, whose last is a file.
pub(super) struct ArrivingForm {
    parts: Multipart,
    arrival: Arc<Arrival>,
}

impl ArrivingForm {
    /// A form of a request.
    ///
    /// # Errors
    /// When it is no form of several parts.
    pub async fn begin(request: Request) -> Result<Self, Problem> {
        Self::begin_until(request, Instant::now() + limits::FETCH_TOTAL_DURATION).await
    }

    async fn begin_until(request: Request, until: Instant) -> Result<Self, Problem> {
        let arrival = Arc::new(Arrival::default());
        let mut request = request.map(|body| limit_pace(body, until, arrival.clone()));
        // The pace and the size of a feed are the limits.
        DefaultBodyLimit::disable().apply(&mut request);
        let parts = Multipart::from_request(request, &()).await.map_err(|_| Problem::foreign())?;
        Ok(Self { parts, arrival })
    }

    /// The next part, with its name.
    ///
    /// # Errors
    /// When the form breaks off, or is too slow.
    pub async fn next_part(&mut self) -> Result<Option<(String, FormPart<'_>)>, Problem> {
        let arrival = &self.arrival;
        let next = self.parts.next_field().await.map_err(|_| arrival.problem())?;
        Ok(next.map(|field| (field.name().unwrap_or_default().to_owned(), FormPart { field, arrival })))
    }
}

impl Arrival {
    /// Reason why no more of the form comes.
    fn problem(&self) -> Problem {
        if self.is_slow.load(Relaxed) {
            Problem::new(StatusCode::REQUEST_TIMEOUT, "problem.too_slow")
        } else {
            Problem::new(StatusCode::BAD_REQUEST, "problem.broke_off")
        }
    }
}

/// A part of a form.
pub(super) struct FormPart<'f> {
    field: Field<'f>,
    arrival: &'f Arrival,
}

impl FormPart<'_> {
    /// The value of a field that is no file.
    ///
    /// # Errors
    /// When it is too large, breaks off or is too slow.
    pub async fn read_value(mut self) -> Result<String, Problem> {
        let mut value = Vec::new();
        while let Some(piece) = self.next().await? {
            value.extend_from_slice(&piece);
            if value.len() > VALUE_BYTES {
                return Err(Problem::too_large());
            }
        }
        Ok(String::from_utf8_lossy(&value).into_owned())
    }

    /// Name of the file, or its beginning; empty if none was chosen.
    pub fn file_name(&self) -> String {
        self.field.file_name().unwrap_or_default().chars().take(FILE_NAME_CHARS).collect()
    }

    /// Hands the file over to its reader, to its end or until the reader has gone.
    ///
    /// # Errors
    /// When it breaks off or is too slow.
    pub async fn pass_on(&mut self, to_reader: flume::Sender<BodyChunk>) -> Result<(), Problem> {
        self.arrival.has_file.store(true, Relaxed);
        while let Some(piece) = self.next().await? {
            if to_reader.send_async(Ok(Some(piece))).await.is_err() {
                return Ok(());
            }
        }
        // A reader that has gone needs no end.
        let _ = to_reader.send_async(Ok(None)).await;
        Ok(())
    }

    /// Reads the rest of a refused file and throws it away: browsers show an answer only after all is sent. A larger
    /// rest is left.
    pub async fn discard(&mut self) {
        let mut left = limits::FEED_FILE_DISCARDED_BYTES;
        while let Ok(Some(piece)) = self.next().await {
            match left.checked_sub(piece.len()) {
                Some(rest) => left = rest,
                None => return,
            }
        }
    }

    async fn next(&mut self) -> Result<Option<Bytes>, Problem> {
        self.field.chunk().await.map_err(|_| self.arrival.problem())
    }
}

/// The body with its limits. Each frame is taken in a turn of its own, so that the parser holds one at a time.
fn limit_pace(body: Body, until: Instant, arrival: Arc<Arrival>) -> Body {
    let begun = (body.into_data_stream(), BodyRate::default(), 0_usize);
    Body::from_stream(stream::try_unfold(begun, move |(mut frames, mut pace, read)| {
        let arrival = arrival.clone();
        async move {
            tokio::task::yield_now().await;
            if read > limits::FEED_FORM_BYTES && !arrival.has_file.load(Relaxed) {
                return Err(std::io::Error::other("the form has too much before its file"));
            }
            let asked = Instant::now();
            let slow_at = asked + pace.time_left();
            let Ok(next) = timeout_at(slow_at.min(until), frames.next()).await else {
                arrival.is_slow.store(true, Relaxed);
                return Err(std::io::Error::other("the form is too slow"));
            };
            let Some(frame) = next else { return Ok(None) };
            let frame = frame.map_err(std::io::Error::other)?;
            pace.record_arrival(frame.len(), asked.elapsed());
            let read = read.saturating_add(frame.len());
            Ok(Some((frame, (frames, pace, read))))
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(body: Body) -> Request {
        let request = axum::http::Request::builder();
        request.header("content-type", "multipart/form-data; boundary=x").body(body).expect("a request")
    }

    /// The form of these frames of a body.
    async fn form(frames: Vec<Result<Bytes, std::io::Error>>) -> ArrivingForm {
        ArrivingForm::begin(request(Body::from_stream(stream::iter(frames)))).await.expect("a form")
    }

    fn part(head: &str, value: &str) -> Bytes {
        format!("--x\r\ncontent-disposition: form-data; {head}\r\n\r\n{value}\r\n").into()
    }

    #[tokio::test]
    async fn the_parts_of_a_form_come_one_by_one_wherever_they_are_cut() {
        let whole = [
            part("name=\"token\"", "abc"),
            part("name=\"file\"; filename=\"a.json\"", "{}"),
            "--x--\r\n".into(),
        ];
        for size in [1, 7, 1000] {
            let frames = whole.concat().chunks(size).map(|frame| Ok(Bytes::copy_from_slice(frame))).collect();
            let mut form = form(frames).await;
            let (name, token) = form.next_part().await.expect("whole").expect("a part");
            assert_eq!(
                (name.as_str(), token.read_value().await.expect("a value").as_str()),
                ("token", "abc")
            );
            let (name, mut file) = form.next_part().await.expect("whole").expect("a part");
            assert_eq!((name.as_str(), file.file_name().as_str()), ("file", "a.json"));
            let (to_reader, pieces) = flume::unbounded();
            file.pass_on(to_reader).await.expect("whole");
            let pieces: Vec<_> = pieces.drain().map(|piece| piece.expect("no fault")).collect();
            assert_eq!(pieces.last(), Some(&None), "its end is told");
            assert_eq!(pieces.into_iter().flatten().collect::<Vec<_>>().concat(), b"{}");
            drop(file);
            assert!(form.next_part().await.expect("whole").is_none());
        }
    }

    #[tokio::test]
    async fn a_form_that_breaks_off_gives_its_reader_no_end() {
        let begun = stream::iter([Ok(part("name=\"file\"; filename=\"a\"", "begun"))]);
        let broken = stream::once(async {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            Err(std::io::Error::other("gone"))
        });
        let body = Body::from_stream(begun.chain(broken));
        let mut form = ArrivingForm::begin(request(body)).await.expect("a form");
        let (_, mut file) = form.next_part().await.expect("so far").expect("a part");
        let (to_reader, pieces) = flume::unbounded();
        let problem = file.pass_on(to_reader).await.expect_err("broken off");
        assert_eq!(problem.sentence, "problem.broke_off");
        assert!(!pieces.drain().any(|piece| matches!(piece, Ok(None))));
    }

    #[tokio::test]
    async fn a_client_that_stalls_is_let_go() {
        let stalled = Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>());
        let begun = ArrivingForm::begin_until(request(stalled), Instant::now()).await;
        let problem = begun.expect("a form").next_part().await.map(|_| ()).expect_err("too slow");
        assert_eq!((problem.status.as_u16(), problem.sentence.as_str()), (408, "problem.too_slow"));
    }

    #[tokio::test]
    async fn fields_before_the_file_have_bounds() {
        let large = "a".repeat(VALUE_BYTES + 1);
        let mut large_form = form(vec![Ok(part("name=\"token\"", &large)), Ok("--x--\r\n".into())]).await;
        let (_, token) = large_form.next_part().await.expect("whole").expect("a part");
        assert_eq!(token.read_value().await.expect_err("too large").status.as_u16(), 413);
        let head = format!("name=\"file\"; filename=\"{large}\"");
        let mut form = form(vec![Ok(part(&head, "{}")), Ok("--x--\r\n".into())]).await;
        let (_, file) = form.next_part().await.expect("whole").expect("a part");
        assert_eq!(file.file_name(), large[..FILE_NAME_CHARS]);
        let endless = stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from(vec![b'a'; 64 << 10])));
        let begun = ArrivingForm::begin(request(Body::from_stream(endless))).await;
        assert!(begun.expect("a form").next_part().await.is_err());
    }
}
