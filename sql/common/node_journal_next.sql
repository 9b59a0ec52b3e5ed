-- Records behind the last one that took effect have taken effect too.
UPDATE node SET journal_n = $2, journal_chain = $3 WHERE id = 1 AND journal_n = $1
