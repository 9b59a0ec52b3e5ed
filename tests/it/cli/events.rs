//! A history of shoppers' events, sent by the command.

use std::fmt::Write;

use lethe::limits;

use crate::support::program::{Program, Served, sample_feed, web_server};

/// A program with a shop of a few products.
fn program_with_shop() -> (Program, Served) {
    let mut program = Program::new();
    let served = program.serve();
    program.account("shop");
    let ended = program.run(&format!("feed submit {} --wait --json", web_server(sample_feed(20)))).json();
    assert_eq!(ended["Status"], "Complete");
    (program, served)
}

/// A line for each of so many visitors.
fn format_visits(count: usize) -> String {
    let mut lines = String::new();
    for number in 0..count {
        let line = format!(
            "{{\"Name\":\"product_view\",\"Product\":\"P-0000007\",\"VisitorId\":\"visitor-{number:06}\"}}"
        );
        writeln!(lines, "{line}").expect("memory takes everything");
    }
    lines
}

#[test]
fn an_import_of_many_visitors_takes_all_of_them() {
    let (program, _served) = program_with_shop();
    let count = limits::NEW_VISITORS_AT_A_STROKE as usize + 50;
    let imported = program.run_with("events import - --account shop", &format_visits(count));
    assert_eq!(imported.out, format!("{count} events were taken, none left out.\n"), "{}", imported.err);
}

#[test]
fn an_import_that_breaks_off_says_where_to_go_on() {
    let (program, _served) = program_with_shop();
    // The second request breaks off in the middle of the file.
    let mut file = format_visits(limits::EVENTS_OF_REQUEST + 20).into_bytes();
    file.extend(b"\xff\n");
    std::fs::write(program.path().join("visits.ndjson"), file).expect("written");
    let broken = program.run("events import visits.ndjson --account shop");
    assert_eq!(broken.code, 2);
    assert_eq!(broken.out, "200 events were taken, none left out.\n");
    let hint = "it broke off between line 201 and line 220: all lines before are done, of these some may be. \
                To go on: tail -n +201 FILE | lethe events import -";
    assert!(broken.err.contains(hint), "{}", broken.err);
}
