-- How a shop's feeds are read.
SELECT format, mapping FROM feed_settings WHERE account_id = $1
