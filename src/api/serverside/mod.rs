//! Calls of shop plugins about shoppers, from the server (`POST /api/serverside`) and from a page (`GET /api/track`):
//! `request` reads a call leniently and within bounds, into plain values; `call` stores its content and answers it.

mod browser;
pub mod call;
mod classify;
pub mod customer;
pub mod event;
mod lenient_json;
pub mod lines;
pub mod request;
pub mod response;
mod search;
pub mod skipped;
mod track;
mod visitor;
mod zones;

#[cfg(test)]
mod tests;
