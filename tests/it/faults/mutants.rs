//! The list of mutants.
