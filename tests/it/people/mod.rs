//! People: identities, events, orders, consent, and the doors that keep the forgotten out.

pub mod account_keys;
pub mod baskets_and_orders;
pub mod batches;
pub mod browser_times;
pub mod browsers;
pub mod consent;
pub mod email_fields;
pub mod events;
pub mod every_door;
pub mod log_in;
pub mod page_tracking;
pub mod profiles;
pub mod repeated_events;
pub mod returning;
pub mod serverside;
pub mod variants;
pub mod visitors;
