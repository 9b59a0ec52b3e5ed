//! Text of a file in any usual encoding, as UTF-8.
