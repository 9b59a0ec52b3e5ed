//! State that the console's pages share.

use std::sync::{Arc, LazyLock};

use super::auth::hosts::Hosts;
use super::auth::pending_two_factor::PendingSignIns;
use super::auth::sessions::Sessions;
use super::auth::throttle::SignInThrottle;
use super::pages::backup_run::Backups;
use super::pages::counted_figures::CountedFigures;
use super::ui::control_client::Operations;
use super::ui::ephemeral_urls::EphemeralUrls;
use super::ui::live_parts::LiveStreams;
use super::ui::page_templates::Pages;
use crate::node::Node;

/// State that the pages share.
pub(super) struct Console {
    pub(super) node: Arc<Node>,
    pub(super) operations: Operations,
    pub(super) drawing: &'static LazyLock<Pages>,
    pub(super) sessions: Sessions,
    pub(super) halves: PendingSignIns,
    pub(super) people: EphemeralUrls,
    pub(super) answers: EphemeralUrls,
    pub(super) followed: LiveStreams,
    pub(super) figures: CountedFigures,
    pub(super) backups: Backups,
    pub(super) throttle: SignInThrottle,
    pub(super) hosts: Hosts,
}
