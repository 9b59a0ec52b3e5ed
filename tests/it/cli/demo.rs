//! The tour checks itself; here only that it ends well and leaves no files.

use crate::support::program::Program;

#[test]
fn the_tour_ends_well_and_leaves_nothing_behind() {
    let mut program = Program::new();
    let temporary = program.path().to_owned();
    program.set("TMPDIR", &temporary.display().to_string());
    let shown = program.run("demo --once --json").json();
    let titles =
        shown["Steps"].as_array().expect("steps").iter().map(|step| step["Step"].as_str().expect("a title"));
    assert_eq!(titles.clone().next_back(), Some("The shopper asks to be forgotten"));
    assert_eq!(titles.count(), 8);
    let people = |step: usize, name: &str| shown["Steps"][step]["Shown"][name].as_u64().expect("a count");
    assert_eq!(people(4, "People stored") - 1, people(4, "People stored after"));
    assert_eq!(people(4, "People stored after") + 1, people(5, "People stored after the delta"));
    let left = std::fs::read_dir(&temporary).expect("the folder").count();
    assert_eq!(left, 0, "the demo's folder is removed");
}
