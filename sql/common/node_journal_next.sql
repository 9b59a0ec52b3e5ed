-- Records of the erasure journal up to this one have taken effect, or their erasures stand here and are worked on.
UPDATE node SET journal_n = $1, journal_chain = $2 WHERE id = 1 AND journal_n < $1
