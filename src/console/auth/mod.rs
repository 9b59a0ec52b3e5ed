//! Signing in, sessions, the second factor, rights, and the middleware around every page.

pub mod authorization;
pub mod console_shop;
pub mod cookies;
pub mod hosts;
pub mod middleware;
pub mod origin;
pub mod pending_two_factor;
pub mod policy;
pub mod sessions;
pub mod sign_in;
pub mod sign_in_steps;
pub mod throttle;
pub mod two_factor;
