//! What the console's pages share.

use std::sync::{Arc, LazyLock};

use super::auth::hosts::Hosts;
use super::auth::pending_two_factor::Halves;
use super::auth::sessions::Sessions;
use super::auth::throttle::Throttle;
use super::pages::backup_run::Backups;
use super::ui::control_client::Operations;
use super::ui::ephemeral_urls::Handles;
use super::ui::followed::Followed;
use super::ui::page_templates::Pages;
use crate::node::Node;

/// State that the pages share.
pub(super) struct Console {
    pub(super) node: Arc<Node>,
    pub(super) operations: Operations,
    pub(super) drawing: &'static LazyLock<Pages>,
    pub(super) sessions: Sessions,
    pub(super) halves: Halves,
    pub(super) people: Handles,
    pub(super) answers: Handles,
    pub(super) followed: Followed,
    pub(super) backups: Backups,
    pub(super) throttle: Throttle,
    pub(super) hosts: Hosts,
}
