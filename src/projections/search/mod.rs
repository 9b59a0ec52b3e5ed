//! The search of each account: an index that follows the account's catalogue. The first search opens or builds it;
//! while it is open it is kept up to date; a closed index is updated when it is opened.

mod apply;
mod build;
mod fault;
mod folder;
mod indices;
mod language_assets;
mod open_index;
mod refresh;
mod tables;
#[cfg(test)]
mod testing;

pub use self::fault::SearchFault;

pub use self::indices::{SearchIndices, SearchView};
