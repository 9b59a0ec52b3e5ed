//! Credentials that plugins show.

use crate::api::extract::{BySecret, Credentials};

/// A request from which only the credentials are read.
pub type CredentialsBySecret = BySecret<Credentials>;
