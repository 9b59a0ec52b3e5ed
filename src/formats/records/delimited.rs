//! Records of a table: CSV, TSV and their relatives.
