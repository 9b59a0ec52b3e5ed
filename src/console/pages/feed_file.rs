//! A feed that an operator sends as a file: passed on piece by piece to an upload, which becomes an import.

use std::sync::{Arc, OnceLock};

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::json;

use super::arriving_form::{ArrivingForm, FormPart};
use super::imports::{FormFault, ImportsQuery, history};
use crate::addresses::printable;
use crate::admission::Tenant;
use crate::api::FEED_TOKEN;
use crate::console::auth::authorization::{Authorized, Merchandise};
use crate::console::auth::origin::is_from_here;
use crate::console::state::Console;
use crate::console::ui::problem::Problem;
use crate::formats::detect::{NotAFeed, detect_format};
use crate::limits;
use crate::outbound::{FeedBytes, FetchFault, WireReader};

/// Sends the feed of a form, and leads to the page of its import.
pub(crate) async fn post(
    State(console): State<Arc<Console>>,
    may: Authorized<Merchandise>,
    request: Request,
) -> Result<Response, Problem> {
    if !is_from_here(&console.hosts, request.headers()) {
        return Err(Problem::foreign());
    }
    let turns = &console.node.resources.feed_files;
    let Some(turn) = turns.try_take(Tenant::Account(may.shop()?.id), 1) else {
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "problem.busy"));
    };
    // A browser that goes away must not leave an open upload behind.
    let receiving = tokio::spawn(async move {
        let _turn = turn;
        receive(&console, &may, request).await
    });
    receiving.await.unwrap_or_else(|_| Err(Problem::fault()))
}

async fn receive(
    console: &Console,
    may: &Authorized<Merchandise>,
    request: Request,
) -> Result<Response, Problem> {
    let mut form = ArrivingForm::begin(request).await?;
    match read_form(console, may, &mut form).await {
        Ok(token) => {
            let shop = may.shop()?;
            Ok(Redirect::to(&format!("/shops/{}/imports/{token}", shop.name)).into_response())
        }
        // A page of its own tells it.
        Err(refused) if refused.sentence.starts_with("problem.") => Err(refused),
        Err(refused) => {
            let status = refused.status;
            let fault = FormFault::from_problem("file", refused);
            let page = history(console, may, &ImportsQuery::default(), fault).await?;
            Ok((status, page).into_response())
        }
    }
}

/// Reads the fields of the form and sends its file; gives the token of the import.
async fn read_form(
    console: &Console,
    may: &Authorized<Merchandise>,
    form: &mut ArrivingForm,
) -> Result<String, Problem> {
    let mut is_own = false;
    let mut is_dry_run = false;
    while let Some((name, part)) = form.next_part().await? {
        match name.as_str() {
            "form_token" => is_own = part.read_value().await? == may.session.form_token,
            "dry_run" => is_dry_run = part.read_value().await? == "yes",
            // The token stands before the file: nothing of a foreign one is read.
            "file" if is_own => {
                let file_name = part.file_name();
                let sending = FileSending::new(console, may, file_name, is_dry_run);
                sending.send(part).await?;
                return sending.finish(form).await;
            }
            _ => return Err(Problem::foreign()),
        }
    }
    Err(Problem::foreign())
}

/// A feed on its way from a form to an upload.
struct FileSending<'c> {
    console: &'c Console,
    may: &'c Authorized<Merchandise>,
    file_name: String,
    is_dry_run: bool,
    /// Name of the upload: two that send at once get one each.
    name: String,
    /// Token of the upload, once it has begun.
    begun: OnceLock<String>,
}

impl<'c> FileSending<'c> {
    fn new(
        console: &'c Console,
        may: &'c Authorized<Merchandise>,
        file_name: String,
        is_dry_run: bool,
    ) -> Self {
        let name = format!("product-{}", uuid::Uuid::new_v4());
        Self { console, may, file_name, is_dry_run, name, begun: OnceLock::new() }
    }

    /// Sends the file; an upload that breaks off is cancelled at once.
    async fn send(&self, mut file: FormPart<'_>) -> Result<(), Problem> {
        if self.file_name.is_empty() {
            return Err(self.refuse("no_file"));
        }
        let (to_reader, wire) = WireReader::with_sender();
        let (arrived, sent) = tokio::join!(file.pass_on(to_reader), self.read_and_send(FeedBytes::new(wire)));
        // Of a file that did not arrive whole the reader says less than its form.
        let sent = arrived.and(sent);
        if sent.is_err() {
            self.cancel().await;
            file.discard().await;
        }
        sent
    }

    /// Ends the upload, which makes an import of it; or cancels it. Gives the token of the import.
    async fn finish(&self, form: &mut ArrivingForm) -> Result<String, Problem> {
        let closed = self.close(form).await;
        if closed.is_err() {
            self.cancel().await;
            self.console.record_act(self.may, "feed-sent, refused", None).await?;
        }
        closed
    }

    async fn close(&self, form: &mut ArrivingForm) -> Result<String, Problem> {
        // Such a field may ask for a check alone: nothing must be published without it.
        if let Some((_, mut rest)) = form.next_part().await? {
            rest.discard().await;
            return Err(self.refuse("field_after_file"));
        }
        // The file may have taken hours, and the operator lost the right to send it.
        if !self.console.has_same_rights(&self.may.session).await {
            return Err(Problem::not_allowed());
        }
        self.call("/feed-close", &[]).await?;
        self.begun.get().cloned().ok_or_else(Problem::fault)
    }

    async fn read_and_send(&self, source: FeedBytes) -> Result<(), Problem> {
        let (source, first) = self.read_piece(source).await?;
        if let Err(what) = detect_format(&first) {
            return Err(self.refuse(key_of(&what)));
        }
        let sending = self.send_pieces(source, first);
        self.console.do_and_record(self.may, ("feed-sent", None), sending).await
    }

    async fn send_pieces(&self, mut source: FeedBytes, first: Vec<u8>) -> Result<(), Problem> {
        let mode = if self.is_dry_run { "true" } else { "false" };
        let begun = self.call("/feed-create", &[("dryRun", mode.as_bytes()), ("payLoad", &first)]).await?;
        self.begun.get_or_init(|| begun);
        let mut is_last = first.len() < limits::UPLOAD_SENT_BYTES;
        drop(first);
        while !is_last {
            let (rest, piece) = self.read_piece(source).await?;
            source = rest;
            is_last = piece.len() < limits::UPLOAD_SENT_BYTES;
            if !piece.is_empty() {
                self.call("/feed-append", &[("payLoad", &piece)]).await?;
            }
        }
        Ok(())
    }

    /// Calls an operation of the upload; gives the token that its answer tells, if any.
    async fn call(&self, path: &str, fields: &[(&str, &[u8])]) -> Result<String, Problem> {
        let fields = [&[("feedName", self.name.as_bytes())], fields].concat();
        let answer = self.console.operations.send_form(self.may.shop()?, path, &fields).await?;
        Ok(answer.header(FEED_TOKEN.as_str()).to_owned())
    }

    async fn read_piece(&self, source: FeedBytes) -> Result<(FeedBytes, Vec<u8>), Problem> {
        source.read_piece(limits::UPLOAD_SENT_BYTES).await.map_err(|error| {
            match FetchFault::from_io(&error) {
                Some(fault) => {
                    let sentence = format!("{}: {}", printable(&self.file_name), fault.reason);
                    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, &sentence)
                }
                None => Problem::fault(),
            }
        })
    }

    /// Cancels the upload if it has begun: it would stay open for a day. The reason of its end is told already.
    async fn cancel(&self) {
        let (Some(token), Ok(shop)) = (self.begun.get(), self.may.shop()) else { return };
        let question = json!({ "Token": token });
        let _ = self.console.operations.call_for_shop(shop, "/api/feed/cancel", question).await;
    }

    /// A sentence of ours about the file.
    fn refuse(&self, key: &str) -> Problem {
        let texts = self.console.drawing.words(self.may.session.language);
        let name = printable(&self.file_name);
        let sentence = texts.translate(&format!("console.imports.{key}"), &[("name", &name)]);
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, &sentence)
    }
}

/// Key of the sentence about a file that is no feed.
const fn key_of(what: &NotAFeed) -> &'static str {
    match what {
        NotAFeed::Empty => "file_empty",
        NotAFeed::WebPage | NotAFeed::SignInPage => "file_web_page",
        NotAFeed::Excel | NotAFeed::OpenDocument => "file_spreadsheet",
        NotAFeed::Pdf | NotAFeed::Archive | NotAFeed::Image | NotAFeed::Binary => "file_not_text",
        NotAFeed::Sitemap
        | NotAFeed::SoapMessage
        | NotAFeed::OtherXml { .. }
        | NotAFeed::XmlWithoutRoot
        | NotAFeed::JsonMessage
        | NotAFeed::JsonWithoutRows
        | NotAFeed::OneColumn => "file_without_products",
    }
}
