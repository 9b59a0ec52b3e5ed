//! Each rule: a statement in, the mutants out.

use super::find_mutants;
use crate::mutant::Change;

/// The statement with each mutant of a rule.
fn planted(operator: &str, text: &str) -> Vec<String> {
    let mutants = find_mutants("sql/common/a.sql", text);
    let of_rule = mutants.iter().filter(|mutant| mutant.operator == operator);
    let planted = of_rule.map(|mutant| {
        let edit = &mutant.edits[0];
        let before = &text[..edit.begin];
        let after = &text[edit.end..];
        match &edit.change {
            Change::Around { before: open, after: close } => {
                format!("{before}{open}{}{close}{after}", &text[edit.begin..edit.end])
            }
            Change::Instead { with } => format!("{before}{with}{after}"),
        }
    });
    planted.collect()
}

#[test]
fn each_part_of_a_conjunction_is_dropped_and_keeps_its_placeholders() {
    let text = "-- a AND b\nSELECT c FROM d WHERE e = $1 AND f IN (SELECT g WHERE h AND i) ORDER BY j";
    let dropped = [
        "-- a AND b\nSELECT c FROM d WHERE (e = $1 OR 1 = 1) AND f IN (SELECT g WHERE h AND i) ORDER BY j",
        "-- a AND b\nSELECT c FROM d WHERE e = $1 AND (f IN (SELECT g WHERE h AND i) OR 1 = 1) ORDER BY j",
        "-- a AND b\nSELECT c FROM d WHERE e = $1 AND f IN (SELECT g WHERE (h OR 1 = 1) AND i) ORDER BY j",
        "-- a AND b\nSELECT c FROM d WHERE e = $1 AND f IN (SELECT g WHERE h AND (i OR 1 = 1)) ORDER BY j",
    ];
    assert_eq!(planted("drop-condition", text), dropped);
}

#[test]
fn each_part_of_a_long_conjunction_is_dropped_once() {
    let text = "SELECT a FROM b WHERE c = 'd AND e' AND f AND (g OR h) -- i AND j";
    let dropped = [
        "SELECT a FROM b WHERE (c = 'd AND e' OR 1 = 1) AND f AND (g OR h) -- i AND j",
        "SELECT a FROM b WHERE c = 'd AND e' AND (f OR 1 = 1) AND (g OR h) -- i AND j",
        "SELECT a FROM b WHERE c = 'd AND e' AND f AND ((g OR h) OR 1 = 1) -- i AND j",
    ];
    assert_eq!(planted("drop-condition", text), dropped);
}

#[test]
fn the_and_of_between_joins_no_conditions() {
    let text = "SELECT a FROM b WHERE c BETWEEN $1 AND $2 AND d";
    let dropped = [
        "SELECT a FROM b WHERE (c BETWEEN $1 AND $2 OR 1 = 1) AND d",
        "SELECT a FROM b WHERE c BETWEEN $1 AND $2 AND (d OR 1 = 1)",
    ];
    assert_eq!(planted("drop-condition", text), dropped);
    let nested = "SELECT a WHERE b BETWEEN (SELECT c WHERE d BETWEEN 1 AND 2) AND e";
    assert!(planted("drop-condition", nested).is_empty());
}

#[test]
fn comparisons_move_and_assignments_stay() {
    let text = "UPDATE a SET b = $1, c = CASE WHEN d = 2 THEN 3 END WHERE e < $4";
    let moved = [
        "UPDATE a SET b = $1, c = CASE WHEN d <> 2 THEN 3 END WHERE e < $4",
        "UPDATE a SET b = $1, c = CASE WHEN d = 2 THEN 3 END WHERE e <= $4",
    ];
    assert_eq!(planted("move-comparison", text), moved);
    let inserted = "INSERT INTO a (b) VALUES ($1) ON CONFLICT (b) DO UPDATE SET b = excluded.b";
    assert!(planted("move-comparison", inserted).is_empty());
}

#[test]
fn nulls_are_negated() {
    let negated = ["SELECT a WHERE b IS NOT NULL", "SELECT a WHERE b IS NULL"];
    assert_eq!(planted("negate-null", "SELECT a WHERE b IS NULL"), negated[..1]);
    assert_eq!(planted("negate-null", "SELECT a WHERE b IS NOT NULL"), negated[1..]);
    assert!(planted("negate-null", "SELECT a WHERE b IS NOT c").is_empty());
    let mutants = find_mutants("sql/common/a.sql", "SELECT a WHERE b IS NULL");
    assert_eq!((mutants[0].code.as_str(), mutants[0].becomes.as_str()), ("b IS NULL", "b IS NOT NULL"));
}

#[test]
fn each_item_of_an_order_is_reversed() {
    let text = "SELECT a FROM b ORDER BY c NULLS LAST, d DESC, max(e, f) LIMIT 5";
    let reversed = [
        "SELECT a FROM b ORDER BY c DESC NULLS LAST, d DESC, max(e, f) LIMIT 5",
        "SELECT a FROM b ORDER BY c NULLS LAST, d ASC, max(e, f) LIMIT 5",
        "SELECT a FROM b ORDER BY c NULLS LAST, d DESC, max(e, f) DESC LIMIT 5",
    ];
    assert_eq!(planted("reverse-order", text), reversed);
    assert!(planted("reverse-order", "SELECT a FROM b GROUP BY c LIMIT d").is_empty());
}

#[test]
fn a_limit_is_one_less_and_one_more() {
    assert_eq!(planted("move-limit", "SELECT a LIMIT 1"), ["SELECT a LIMIT 0", "SELECT a LIMIT 2"]);
    let mutants = find_mutants("sql/common/a.sql", "SELECT a LIMIT 1");
    assert_eq!((mutants[0].code.as_str(), mutants[0].becomes.as_str()), ("LIMIT 1", "LIMIT 0"));
    let bound = ["SELECT a LIMIT CAST($2 AS BIGINT) - 1", "SELECT a LIMIT CAST($2 AS BIGINT) + 1"];
    assert_eq!(planted("move-limit", "SELECT a LIMIT $2"), bound);
}

#[test]
fn a_mutant_is_shown_with_what_stands_around_it() {
    let mutants = find_mutants("sql/common/a.sql", "-- For what.\nSELECT a\nFROM b\nWHERE c = $1");
    let [mutant] = mutants.as_slice() else { panic!("{mutants:?}") };
    assert_eq!((mutant.line, mutant.code.as_str(), mutant.becomes.as_str()), (4, "c = $1", "c <> $1"));
}
