//! What plugins of shops send about shoppers, from their server (`POST /api/serverside`) and from a page
//! (`GET /api/track`): read leniently and within bounds, into plain values. Nothing is looked up or stored here.

mod by_name;
pub mod customer;
mod flattened;
pub mod lines;
pub mod question;
pub mod reasons;
pub mod told;
mod track;

#[cfg(test)]
mod tests;
