//! Format of a file by its first bytes; files that are no feed, by their names.
