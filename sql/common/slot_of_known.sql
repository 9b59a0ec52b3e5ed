-- The key slots of people who are not being forgotten.
SELECT slot FROM subject WHERE forgotten_seq IS NULL
