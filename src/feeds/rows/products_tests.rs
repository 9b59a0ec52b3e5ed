//! What becomes of products as real senders write them.
