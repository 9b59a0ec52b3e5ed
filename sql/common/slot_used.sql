-- Every key slot that something refers to.
SELECT slot FROM subject
UNION ALL SELECT slot FROM payload WHERE slot IS NOT NULL
UNION ALL SELECT slot FROM erasure WHERE slot IS NOT NULL
