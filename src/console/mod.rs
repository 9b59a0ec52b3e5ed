//! The operator's console: pages that a browser shows to signed-in operators. A page calls the operations of this server,
//! as commands do, and renders their answers; it decides nothing itself but who may see and do what.
//!
//! Each page says in its own signature what it demands: `auth::authorization` has the types. The route table is `routes`.

mod auth;
mod pages;
pub mod routes;
mod state;
mod ui;
