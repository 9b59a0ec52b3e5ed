//! The route table of the control socket.

use std::sync::Arc;

use axum::Router;
use axum::routing::post;

use super::{
    account, account_feed, account_search, backup, config, doctor, key_epoch, ledger, model, operators,
};
use crate::api::documented::DOCUMENTED;
use crate::api::routes::{add_help_routes, finish};
use crate::api::{account_about, account_quota};
use crate::node::Node;

/// Routes that the operator reaches over the control socket: all operations, and accounts, keys and the ledger.
pub fn control(node: Arc<Node>) -> Router {
    finish(
        add_help_routes(DOCUMENTED.clone())
            .route("/control/account/create", post(account::create))
            .route("/control/account/list", post(account::list))
            .route("/control/account/guard", post(account::guard))
            .route("/control/account/quota", post(account_quota::set))
            .route("/control/account/feed", post(account_feed::set))
            .route("/control/account/search", post(account_search::set))
            .route("/control/account/search/renew", post(account_search::renew))
            .route("/control/account/set", post(account_about::set))
            .route("/control/account/deletion/list", post(account::list_deletion_requests))
            .route("/control/account/deletion/confirm", post(account::confirm_deletion))
            .route("/control/account/deletion/dismiss", post(account::dismiss_deletion))
            .route("/control/key/rotate", post(account::rotate))
            .route("/control/key/revoke", post(account::revoke))
            .route("/control/key/list", post(account::list_keys))
            .route("/control/backup", post(backup::post))
            .route("/control/config", post(config::post))
            .route("/control/doctor", post(doctor::post))
            .route("/control/operator/add", post(operators::add))
            .route("/control/operator/list", post(operators::list))
            .route("/control/operator/set", post(operators::set))
            .route("/control/operator/reset", post(operators::reset))
            .route("/control/operator/remove", post(operators::remove))
            .route("/control/operator/acts", post(operators::acts))
            .route("/control/model/verify", post(model::verify))
            .route("/control/ledger/key", post(ledger::key))
            .route("/control/ledger/checkpoint", post(ledger::checkpoint))
            .route("/control/ledger/export", post(ledger::export))
            .route("/control/ledger/growth", post(ledger::growth))
            .route("/control/key-epoch/show", post(key_epoch::show))
            .route("/control/key-epoch/rotate", post(key_epoch::rotate)),
        node,
    )
}
