//! Credentials that plugins show.

use crate::api::extract::{Authenticated, Credentials};

/// A request from which only the credentials are read.
pub type AuthenticatedOnly = Authenticated<Credentials>;
