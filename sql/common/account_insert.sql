-- A new account.
INSERT INTO account (id, name, access_key, currency, seq, kept_out, created_at)
VALUES ($1, $2, $3, $4, 0, 0, $5)
