-- Every key slot that something refers to.
SELECT slot FROM subject
UNION ALL SELECT slot FROM payload WHERE slot IS NOT NULL
UNION ALL SELECT contact_slot FROM account_about WHERE contact_slot IS NOT NULL
UNION ALL SELECT slot FROM erasure WHERE slot IS NOT NULL
