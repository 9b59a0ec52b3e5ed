//! Google Merchant Center: RSS, Atom, TSV and CSV.
