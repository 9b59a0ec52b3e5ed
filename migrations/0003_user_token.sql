-- The key with which a shop signs what it says of a shopper, sealed; it ends with its secret. Without one the secret is
-- older than tokens, and signs none.
ALTER TABLE secret ADD COLUMN token_key BLOB;
