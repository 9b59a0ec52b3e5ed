//! `/api/search`, `/api/autocomplete` and `/api/similar`: what shoppers find. The access key alone opens them.

mod answer_budget;
mod completions;
pub mod explain;
mod extract;
mod facets;
mod fields;
mod hit;
pub(super) mod policy;
pub mod preview;
pub mod quality;
mod reasons;
mod request;
mod response;
pub mod storefront;

pub(super) use self::answer_budget::AnswerRoom;
pub use self::extract::{StorefrontRequest, count, let_pages_read, preflight};
pub(crate) use self::extract::{build_response, compute_json, in_turn, origin_of, take_turn};
pub(crate) use self::fields::number;
pub(super) use self::fields::{currency, currency_of, needed_fields, value};
pub(super) use self::hit::variant_json;
pub use self::hit::{AnswerHit, SearchHit};
pub(super) use self::policy::buyer_context;
pub(super) use self::request::SearchRequest;
pub use super::compute_turn::TurnOf;
