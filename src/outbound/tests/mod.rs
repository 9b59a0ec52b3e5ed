//! Fetching from scripted servers.
