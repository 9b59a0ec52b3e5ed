//! JSON of one row: strict checking once, then cheap walking over valid text.
//!
//! A general JSON tree would cost several times the time of an import, accepts duplicate keys in silence and lets
//! invalid text pass where it is not read.

mod members;
mod scan;
pub(super) mod text;
pub(super) mod value;

pub(super) use self::members::{JsonMember, keep_each_once};
pub(super) use self::scan::{Flaw, Malformed, scan_row};
pub(super) use self::text::{compact, escape, is_blank, transcode, unescape, write_text};

#[cfg(test)]
mod tests;
