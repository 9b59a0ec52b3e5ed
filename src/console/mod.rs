//! The operator's console: pages for signed-in operators. A page calls the operations of this server, as commands do,
//! and renders their answers; itself it only decides who may see and do what.
//!
//! Each page names the right that it needs in its signature: the types of `auth::authorization`.

mod auth;
mod pages;
pub mod routes;
mod state;
mod ui;
