//! People: who a request, a row or an event is about.

pub mod door;
pub mod identifier;
pub mod profile;
