//! Mapping that a shop wrote for its own columns.
