//! `POST /control/config`: for the operator.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Map, Value};

use crate::node::Node;

/// The settings that this server runs with; secrets are not shown.
pub async fn post(State(node): State<Arc<Node>>) -> Json<Value> {
    let settings = node.config.settings().into_iter();
    Json(Value::Object(settings.map(|(name, value)| (name.to_owned(), value.into())).collect::<Map<_, _>>()))
}
