//! The integration suite.

mod faults;
