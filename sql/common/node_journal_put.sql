-- Records of the erasure journal up to this one have taken effect.
UPDATE node SET journal_n = $1, journal_chain = $2 WHERE id = 1
