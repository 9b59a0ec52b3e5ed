//! Signing in, sessions, the second factor, rights, and the middleware around every page.

pub mod authorization;
pub mod middleware;
pub mod pending_two_factor;
pub mod sessions;
pub mod sign_in;
pub mod two_factor;
