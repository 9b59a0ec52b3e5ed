//! Units of work that fail in the middle of a shared commit, and holders of a lease that come too late.
