//! Calls of shop plugins about shoppers, from the server (`POST /api/serverside`) and from a page (`GET /api/track`):
//! `question` reads a call leniently and within bounds, into plain values; `call` stores its content and answers it.

pub mod answer;
mod browser;
mod by_name;
pub mod call;
pub mod customer;
mod flattened;
pub mod lines;
pub mod question;
pub mod reasons;
mod search;
mod taking;
pub mod told;
mod track;
mod visitor;
mod zones;

#[cfg(test)]
mod tests;
