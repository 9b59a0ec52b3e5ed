-- The last record of the erasure journal that took effect here.
SELECT journal_n, journal_chain FROM node WHERE id = 1
