//! A line of a made-up history, as `/api/events` takes it.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::action::{Moment, SampleAction};
use super::shelf::ShelfItem;
use super::world::SampleWorld;
use crate::people::event_action::{ITEM_CLICK, ORDER_PLACED, PRODUCT_VIEW, SEARCH, SET_BASKET, ZONES_SEEN};

/// Writes a moment as a line.
pub(super) fn write_line(out: &mut dyn Write, moment: &Moment, world: &SampleWorld<'_>) -> io::Result<()> {
    let mut line = describe_action(&moment.action, world);
    line["At"] = moment.at.into();
    for (name, id) in world.visitors.identify(&moment.shopper) {
        line[name] = id.into();
    }
    serde_json::to_writer(&mut *out, &line)?;
    out.write_all(b"\n")
}

fn describe_action(action: &SampleAction, world: &SampleWorld<'_>) -> Value {
    let id = |item: &usize| world.items[*item].id.as_str();
    match action {
        SampleAction::Viewed(item) => json!({"Name": PRODUCT_VIEW, "Product": id(item)}),
        SampleAction::Searched { query, found, is_corrected: false } => {
            json!({"Name": SEARCH, "Query": query, "Found": found})
        }
        SampleAction::Searched { query, found, is_corrected: true } => {
            json!({"Name": SEARCH, "Query": query, "Found": found, "Corrected": true})
        }
        SampleAction::Clicked(item, source) => {
            json!({"Name": ITEM_CLICK, "Product": id(item), "RefId": source.to_string()})
        }
        SampleAction::SawZones(zones) => {
            let zones: Vec<String> = zones.iter().map(ToString::to_string).collect();
            json!({"Name": ZONES_SEEN, "RefIds": zones})
        }
        SampleAction::SetBasket(items) => {
            json!({"Name": SET_BASKET, "Items": items.iter().map(id).collect::<Vec<_>>()})
        }
        SampleAction::Ordered { number, items } => {
            let items: Vec<Value> = items.iter().map(|item| order_line(&world.items[*item])).collect();
            json!({"Name": ORDER_PLACED, "Order": format!("O-{number:06}"), "Items": items})
        }
    }
}

fn order_line(item: &ShelfItem) -> Value {
    let mut line = json!({"Product": item.id});
    if let Some(pence) = item.pence {
        line["UnitPrice"] = format!("{}.{:02}", pence / 100, pence % 100).into();
    }
    line
}
