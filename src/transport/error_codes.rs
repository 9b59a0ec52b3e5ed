//! The codes of refusals: stable names by which a refusal's page is found. `docs/errors.md` has a section for each.

use axum::http::{HeaderValue, StatusCode};

/// The codes and their status in one table.
macro_rules! error_codes {
    ($($name:ident $code:literal $status:ident)*) => {
        /// Reason why a request is refused, in one word; the text codes are part of the interface.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum ErrorCode {
            $(#[doc = concat!("`", $code, "`, explained in `docs/errors.md`.")] $name,)*
        }

        impl ErrorCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The stable text code.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The status of a refusal with it.
            #[must_use]
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status,)* }
            }

            /// The value of the header `Link` (RFC 8288) that leads to its page.
            #[must_use]
            pub fn link(self) -> HeaderValue {
                HeaderValue::from_static(match self {
                    $(Self::$name => concat!("</docs/errors/", $code, ">; rel=\"help\""),)*
                })
            }
        }
    };
}

error_codes! {
    Malformed "malformed" BAD_REQUEST
    FieldMissing "field_missing" BAD_REQUEST
    FieldTwice "field_twice" BAD_REQUEST
    NotJson "not_json" BAD_REQUEST
    OperatorOnly "operator_only" UNAUTHORIZED
    Credentials "credentials" FORBIDDEN
    UserToken "user_token" FORBIDDEN
    NoSuchAddress "no_such_address" NOT_FOUND
    NotFound "not_found" NOT_FOUND
    TokenUnknown "token_unknown" NOT_FOUND
    Method "method" METHOD_NOT_ALLOWED
    TooSlow "too_slow" REQUEST_TIMEOUT
    TokenTaken "token_taken" CONFLICT
    NoOpenFeed "no_open_feed" CONFLICT
    FeedStopped "feed_stopped" CONFLICT
    StillErasing "still_erasing" CONFLICT
    ChangedMeanwhile "changed_meanwhile" CONFLICT
    Conflict "conflict" CONFLICT
    PersonLost "person_lost" GONE
    TooLarge "too_large" PAYLOAD_TOO_LARGE
    TooManyPieces "too_many_pieces" PAYLOAD_TOO_LARGE
    NoRoom "no_room" PAYLOAD_TOO_LARGE
    UnknownSender "unknown_sender" PAYLOAD_TOO_LARGE
    MediaType "media_type" UNSUPPORTED_MEDIA_TYPE
    ContentEncoding "content_encoding" UNSUPPORTED_MEDIA_TYPE
    TooManyFailures "too_many_failures" TOO_MANY_REQUESTS
    TooManySearches "too_many_searches" TOO_MANY_REQUESTS
    TooManyChanges "too_many_changes" TOO_MANY_REQUESTS
    TooManyOpen "too_many_open" TOO_MANY_REQUESTS
    Fault "fault" INTERNAL_SERVER_ERROR
    Busy "busy" SERVICE_UNAVAILABLE
    SearchIsMade "search_is_made" SERVICE_UNAVAILABLE
    TooManyNew "too_many_new" SERVICE_UNAVAILABLE
    ReportTakesLong "report_takes_long" SERVICE_UNAVAILABLE
    NoStandby "no_standby" SERVICE_UNAVAILABLE
    FilesMissing "files_missing" SERVICE_UNAVAILABLE
}
