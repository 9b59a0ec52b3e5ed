//! People: who a request, a row or an event is about.

pub mod identifier;
