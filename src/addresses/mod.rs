//! Decoded readings of a text, whether links, markup, JSON, mail or letters of the same look write it, and the
//! addresses in it.
//!
//! The search for an address in a text and the reader of a submitted address decode by the same code: an address that
//! one understands is understood by the other. `encodings` is the table of spellings, `prefilter` checks cheaply
//! whether a text can hold an address at all, `address` finds them. `escape` makes foreign text safe to look at and to
//! copy.

mod address;
mod decode;
mod encodings;
mod escape;
mod prefilter;
pub(crate) mod step_counter;

pub use self::decode::decode_fully;

pub use self::address::{
    addresses_in, holds_address, is_address, json_holds_address, without_addresses, without_known,
};
pub use self::escape::{printable, shell_word};
pub use self::prefilter::may_hold_address;
