//! Each rule: a small text in, the mutants out.

use super::{StoreCalls, find_mutants};
use crate::mutant::{Change, Mutant, PLANTED};

fn find_in(file: &str, text: &str) -> Vec<Mutant> {
    find_mutants(file, text, &StoreCalls::default()).expect("Rust")
}

/// The mutants of one rule in the body of a function, as `code => becomes`.
fn list_changes(operator: &str, body: &str) -> Vec<String> {
    let text = format!("fn test_me() {{\n{body}\n}}\n");
    let mutants = find_in("src/a.rs", &text);
    mutants.iter().for_each(|mutant| assert_is_a_switch(&text, mutant));
    let of_rule = mutants.iter().filter(|mutant| mutant.operator == operator);
    of_rule.map(|mutant| format!("{} => {}", mutant.code, mutant.becomes)).collect()
}

/// The text with one mutant as a switch.
fn with_switch(text: &str, mutant: &Mutant) -> String {
    let mut edits: Vec<_> = mutant.edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.begin));
    edits.iter().fold(text.to_owned(), |text, edit| {
        let Change::Around { before, after } = &edit.change else { panic!("no switch") };
        let code = &text[edit.begin..edit.end];
        format!("{}{before}{code}{after}{}", &text[..edit.begin], &text[edit.end..])
    })
}

/// A switch is Rust, has the lines of the original, and asks whether it is planted.
fn assert_is_a_switch(text: &str, mutant: &Mutant) {
    let switch = with_switch(text, mutant);
    assert_eq!(switch.matches(PLANTED).count(), mutant.edits.len(), "{switch}");
    let switch = switch.replace(PLANTED, "{ static P: bool = true; P }");
    assert_eq!(switch.lines().count(), text.lines().count(), "{switch}");
    assert!(syn::parse_file(&switch).is_ok(), "{switch}");
    assert_ne!(mutant.code, mutant.becomes);
}

#[test]
fn conditions_are_negated() {
    let body = "if a.b() { c() } else if !d { e() }\nwhile f < g { h(); }\nmatch i { j if k == l => m, _ => n }\n\
                (o > p).then(|| q); r.then_some(s);";
    let conditions = [
        "a.b() => !a.b()",
        "!d => d",
        "f < g => !(f < g)",
        "k == l => !(k == l)",
        "(o > p) => !(o > p)",
        "r => !r",
    ];
    assert_eq!(list_changes("negate-condition", body), conditions);
}

#[test]
fn conditions_with_let_stay_and_what_stands_beside_them_is_negated() {
    assert_eq!(
        list_changes("negate-condition", "if let Some(a) = b && c && d > 1 {}"),
        ["c => !c", "d > 1 => !(d > 1)"]
    );
    assert!(list_changes("negate-condition", "if let Some(a) = b {}\nif cfg!(unix) {}").is_empty());
    assert!(list_changes("swap-and-or", "if let Some(a) = b && c {}").is_empty());
}

#[test]
fn an_order_of_parts_is_no_condition() {
    assert!(list_changes("negate-condition", "a.cmp(&b).then(c.cmp(&d))").is_empty());
}

#[test]
fn comparisons_move_by_one() {
    let body =
        "let a = b < c; let d = e <= f; let g = h > i; let j = k >= l; let m = n == o; let p = q != r;";
    let moved = [
        "b < c => b <= c",
        "e <= f => e < f",
        "h > i => h >= i",
        "k >= l => k > l",
        "n == o => n != o",
        "q != r => q == r",
    ];
    assert_eq!(list_changes("move-comparison", body), moved);
    assert_eq!(list_changes("move-comparison", "a as usize <= b"), ["a as usize <= b => (a as usize) < b"]);
}

#[test]
fn what_a_condition_negates_is_negated_once() {
    assert!(list_changes("move-comparison", "if a == b {}").is_empty());
    assert!(list_changes("negate-predicate", "if a.is_empty() {}").is_empty());
}

#[test]
fn and_and_or_are_swapped() {
    assert_eq!(list_changes("swap-and-or", "a && b"), ["a && b => a || b"]);
    let nested = ["a || b && c => a && (b && c)", "b && c => b || c"];
    assert_eq!(list_changes("swap-and-or", "a || b && c"), nested);
}

#[test]
fn arithmetic_is_swapped_but_in_texts() {
    assert_eq!(list_changes("swap-arithmetic", "a + b * c"), ["a + b * c => a - b * c", "b * c => b / c"]);
    assert_eq!(
        list_changes("swap-arithmetic", "a /= b; c *= d; e % f;"),
        ["a /= b => a *= b", "c *= d => c /= d"]
    );
    assert_eq!(
        list_changes("swap-arithmetic", "a -= b / 2;"),
        ["a -= b / 2 => a += b / 2", "b / 2 => b * 2"]
    );
    let texts = "let a = b.to_owned() + c; d += &e; f += \"g\"; let h = format!(\"i\") + j;";
    assert!(list_changes("swap-arithmetic", texts).is_empty());
}

#[test]
fn statements_are_removed() {
    let body =
        "a();\nb.c(\n    d, // why\n)?;\ne = f;\ng += 1;\nlet _ = h();\nwrite!(i, \"j\")?;\nk().await;";
    let removed = [
        "a(); => ",
        "b.c(d,)?; => ",
        "e = f; => ",
        "g += 1; => ",
        "let _ = h(); => ",
        "write!(i, \"j\")?; => ",
        "k().await; => ",
    ];
    assert_eq!(list_changes("remove-statement", body), removed);
}

#[test]
fn what_is_told_and_where_a_function_leaves_stays() {
    let told =
        "tracing::info!(\"a\"); metrics::counter!(\"b\").increment(1); assert!(c); metrics::describe(d);";
    assert!(list_changes("remove-statement", told).is_empty());
    assert!(
        list_changes("remove-statement", "loop { if a { break; } if b { continue; } return; }\nlet c = d();")
            .is_empty()
    );
}

#[test]
fn arms_that_bind_nothing_are_swapped() {
    let body = "match a { B::C => d, B::E { .. } | 1..=2 => { f() } g => h, None => i }";
    let swapped = ["B::C => d, B::E { .. } | 1..=2 => { f() } => B::C => { f() }, B::E { .. } | 1..=2 => d"];
    assert_eq!(list_changes("swap-arms", body), swapped);
    for pattern in [
        "Some(b)",
        "B | c",
        "(B, c)",
        "ref B",
        "B { c }",
        "[B, c]",
        "&c",
        "B if let C = d",
        "B if c && let D = e",
    ] {
        assert!(
            list_changes("swap-arms", &format!("match a {{ {pattern} => b, None => c }}")).is_empty(),
            "{pattern}"
        );
    }
    assert_eq!(list_changes("swap-arms", "match a { B if c && d => e, (F, G | H) => i }").len(), 1);
    assert_eq!(
        list_changes("swap-arms", "match a { [..] => b, _ => c }"),
        ["[..] => b, _ => c => [..] => c, _ => b"]
    );
    assert!(list_changes("swap-arms", "match a { 1 => b, 2 => { b } _ => b }").is_empty());
}

/// Returned by the function with this signature and body.
fn returned(function: &str) -> Vec<String> {
    let mutants = find_in("src/a.rs", function);
    mutants.iter().for_each(|mutant| assert_is_a_switch(function, mutant));
    let of_rule = mutants.into_iter().filter(|mutant| mutant.operator == "return-default");
    of_rule.map(|mutant| mutant.becomes).collect()
}

#[test]
fn functions_return_a_default_of_their_type() {
    assert_eq!(returned("fn a() -> bool { b() }"), ["return true", "return false"]);
    assert_eq!(returned("fn a() -> u64 { b() }"), ["return 0"]);
    assert_eq!(returned("fn a() -> String { b() }"), ["return String::new()"]);
    assert_eq!(returned("fn a(b: &str) -> &str { b }"), ["return \"\""]);
    assert_eq!(returned("fn a() -> Vec<u8> { b() }"), ["return Vec::new()"]);
    assert_eq!(returned("async fn a() -> Option<B> { b() }"), ["return None"]);
    assert_eq!(returned("fn a() -> io::Result<bool> { b() }"), ["return Ok(true)", "return Ok(false)"]);
    assert_eq!(returned("fn a() -> Result<(), B> { b()?; c() }"), ["return Ok(())"]);
    assert_eq!(returned("fn a() -> (u8, String) { b() }"), ["return (0, String::new())"]);
    assert_eq!(returned("fn a() -> &[u8] { b() }"), ["return &[]"]);
    assert_eq!(returned("fn a() { b(); c(); }"), ["return ()"]);
    assert_eq!(returned("fn a() -> HashMap<u8, u8> { b() }"), ["return Default::default()"]);
}

#[test]
fn functions_of_one_constant_stay() {
    let functions =
        ["fn a() -> u64 { 60 }", "fn a() -> u64 { LIMIT }", "fn a() -> Option<u8> { None }", "fn a() {}"];
    functions.iter().for_each(|function| assert!(returned(function).is_empty(), "{function}"));
    assert!(returned("fn a() -> B { b() }").is_empty(), "nothing is known of its type");
    assert!(returned("fn a() { b(); }").is_empty(), "to remove the statement is the same");
}

#[test]
fn numbers_change_and_are_shown_with_what_stands_around_them() {
    assert_eq!(list_changes("change-number", "a(b + 10_u8)"), ["b + 10_u8 => b + 11u8"]);
    assert_eq!(list_changes("change-number", "let a = 0;"), ["let a = 0; => let a = 1;"]);
    assert_eq!(list_changes("change-number", "b[1]"), ["b[1] => b[0]"]);
    assert_eq!(list_changes("change-number", "0xff"), ["0xff => 256"]);
    let long = "a".repeat(100);
    assert_eq!(list_changes("change-number", &format!("{long}(b, 7)")), ["7 => 8"]);
    assert_eq!(list_changes("change-number", &format!("{{ c; }} {long}(d, 7)")), ["7 => 8"]);
}

#[test]
fn orders_are_reversed() {
    let body = "a.sort_by(|b, c| b.total_cmp(c));\nd.iter().rev();\ne.min(f); min(g, h); i.max_by_key(j); k.partial_cmp(l)";
    let reversed = [
        "a.sort_by(|b, c| b.total_cmp(c)); => a.sort_by(|b, c| b.total_cmp(c)); a.reverse();",
        "b.total_cmp(c) => b.total_cmp(c).reverse()",
        "d.iter().rev() => d.iter()",
        "e.min(f) => e.max(f)",
        "min(g, h) => max(g, h)",
        "i.max_by_key(j) => i.min_by_key(j)",
        "k.partial_cmp(l) => k.partial_cmp(l).map(std::cmp::Ordering::reverse)",
    ];
    assert_eq!(list_changes("reverse-order", body), reversed);
    assert!(list_changes("reverse-order", "a(b, c); d.minimum(e); max(f); g.rev(h)").is_empty());
}

#[test]
fn a_default_takes_the_place_of_a_fault() {
    assert_eq!(list_changes("default-for-fault", "let a = b()?.c;"), ["b()? => b().unwrap_or_default()"]);
}

#[test]
fn a_fault_of_the_store_is_left_out() {
    let mut store_calls = StoreCalls::default();
    store_calls.add_file("fn put_row(tx: &mut Tx<'_>) -> Result<(), StoreFault> { a() }");
    store_calls.add_file("fn get(tx: &mut Tx<'_>) -> Result<(), StoreFault> { a() }");
    store_calls.add_file("impl A { fn get(&self, tx: &mut store::Tx<'_>) -> Result<(), Refusal> { a() } }");
    store_calls.add_file("fn head(tx: &mut Tx<'_>) -> Result<(), StoreFault> { Err(StoreFault::Shape) }");
    let text = "fn test_me() { ledger::head(tx)?; tx.row(a)?; row.int(\"seq\")?; b::put_row(tx, c)?; b::get(tx)?; put_row(d)?; d.int(\"seq\")?; }";
    let mutants = find_mutants("src/a.rs", text, &store_calls).expect("Rust");
    let of_rule = mutants.iter().filter(|mutant| mutant.operator == "default-for-fault");
    let codes: Vec<_> = of_rule.map(|mutant| mutant.code.as_str()).collect();
    assert_eq!(codes, ["ledger::head(tx)?", "b::get(tx)?", "put_row(d)?", "d.int(\"seq\")?"]);
}

#[test]
fn capacities_are_left_out() {
    assert!(
        list_changes("change-number", "let a = Vec::with_capacity(16); b.reserve_exact(1 + 2);").is_empty()
    );
    assert_eq!(list_changes("change-number", "c.take(16);"), ["c.take(16) => c.take(17)"]);
}

#[test]
fn ends_of_ranges_move() {
    assert_eq!(list_changes("move-range-end", "for a in 0..b {}"), ["0..b => 0..=b"]);
    assert_eq!(list_changes("move-range-end", "c[d..=e + 1]"), ["d..=e + 1 => d..e + 1"]);
    assert!(list_changes("move-range-end", "c[d..]; c[..e]").is_empty());
}

#[test]
fn predicates_are_negated() {
    let body = "a.is_some(); b.is_err(); let c = d.is_empty(); let e = matches!(f, G(_));";
    let negated = [
        "a.is_some() => a.is_none()",
        "b.is_err() => b.is_ok()",
        "d.is_empty() => !d.is_empty()",
        "matches!(f, G(_)) => !matches!(f, G(_))",
    ];
    assert_eq!(list_changes("negate-predicate", body), negated);
}

#[test]
fn filters_are_negated() {
    let body = "a.filter(|b| b.c > 1); d.retain(Self::e); f.find(|g| -> bool { g });";
    assert!(
        list_changes("negate-filter", "a.map(|b| b); c.filter(d, |e| e); f.find(g::h); i.filter(2)")
            .is_empty()
    );
    assert_eq!(
        list_changes("negate-filter", body),
        ["b.c > 1 => !(b.c > 1)", "Self::e => |given| !Self::e(given)"]
    );
}

#[test]
fn any_and_all_and_first_and_last_are_swapped() {
    assert_eq!(list_changes("swap-any-all", "a.any(|b| b)"), ["a.any(|b| b) => a.all(|b| b)"]);
    assert_eq!(
        list_changes("swap-first-last", "a.first(); b.pop_front()"),
        ["a.first() => a.last()", "b.pop_front() => b.pop_back()"]
    );
}

#[test]
fn tests_and_what_the_compiler_computes_have_no_mutants() {
    let text = "const A: u8 = 1 + 2;\nstatic B: u8 = 3;\nconst fn c() -> u8 { 4 + 5 }\n#[cfg(test)]\nmod tests { fn d() { e(6); } }\n\
                #[test]\nfn f() { g(7); }\nmacro_rules! h { () => { 8 + 9 } }\nfn i(j: [u8; 10]) -> K { #[l(11)] match j[..] {\n\
                [12, ..] => { assert!(13 < 14); m::<15>() } o => [n; 16] } }\n";
    let mutants = find_in("src/a.rs", text);
    assert!(mutants.is_empty(), "{mutants:?}");
}

#[test]
fn what_is_compiled_under_another_condition_has_mutants() {
    let text = "#[cfg(unix)]\nfn a() { b(1); }\n#[inline]\nfn c() { d(2); }\n";
    assert_eq!(find_in("src/a.rs", text).len(), 4);
}

#[test]
fn methods_arms_and_functions_in_functions_have_mutants() {
    let text = "impl A { fn b() { c(1) } }\ntrait D { fn e() { f(2) } fn g(); }\nmod h { fn i() { fn j() { k(3) } match l {\n\
                m => n(4), o if p[5] => q } } }\n";
    let mutants = find_in("src/a.rs", text);
    let numbers = mutants.iter().filter(|mutant| mutant.operator == "change-number");
    let numbers: Vec<_> = numbers.map(|mutant| (mutant.function.as_str(), mutant.code.as_str())).collect();
    let swapped = "match a { B => d, C => e }";
    let arms = find_in("src/a.rs", &format!("fn f() {{\n\n{swapped}\n}}"));
    let arms = arms.iter().find(|mutant| mutant.operator == "swap-arms").expect("arms");
    assert_eq!(arms.line, 3);
    assert_eq!(numbers, [("b", "c(1)"), ("e", "f(2)"), ("j", "k(3)"), ("i", "n(4)"), ("i", "p[5]")]);
}

#[test]
fn a_place_is_told_in_bytes_whatever_the_letters() {
    let text = "fn a() {\n    let b = \"ä€𝄞\"; c(1);\n}\n";
    let mutants = find_in("src/a.rs", text);
    let number = mutants.iter().find(|mutant| mutant.operator == "change-number").expect("a number");
    assert_eq!(&text[number.edits[0].begin..number.edits[0].end], "1");
    assert_eq!((number.line, number.function.as_str()), (2, "a"));
}

#[test]
fn a_text_of_several_lines_is_copied_onto_one() {
    let body = "a.min(\"b \\\n    c\nd\")";
    assert_eq!(list_changes("reverse-order", body), ["a.min(\"b c\\nd\") => a.max(\"b c\\nd\")"]);
}
