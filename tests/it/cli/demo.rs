//! The tour checks itself; here only that it ends well and leaves no files.

use crate::support::program::Program;

#[test]
fn the_tour_ends_well_and_leaves_nothing_behind() {
    let mut program = Program::new();
    let temporary = program.path().to_owned();
    program.set("TMPDIR", &temporary.display().to_string());
    let abandoned = temporary.join("lethe-demo-killed");
    std::fs::create_dir(&abandoned).expect("a folder");
    std::fs::write(abandoned.join("in-use"), "").expect("written");
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1);
    std::fs::File::open(&abandoned).and_then(|folder| folder.set_modified(long_ago)).expect("an old folder");
    let shown = program.run("demo --once --json").json();
    let steps = shown["Steps"].as_array().expect("steps");
    let titles = steps.iter().map(|step| step["Step"].as_str().expect("a title")).collect::<Vec<_>>();
    assert_eq!((titles.len(), titles[7]), (8, "A feed with mistakes"));
    let people = |name: &str| steps[4]["Shown"][name].as_u64().expect("a count");
    assert!(people("People stored") > people("People stored after"));
    assert_eq!(people("People stored after") + 1, people("People stored after the delta"));
    let left = std::fs::read_dir(&temporary).expect("the folder").count();
    assert_eq!(left, 0, "the demo's folder is removed, and that of a demo that was killed");
}

#[test]
fn the_tour_takes_no_setting_but_its_addresses() {
    let program = Program::new();
    for (flag, name) in [("--store sqlite:", "store"), ("--log debug", "log"), ("--config x.toml", "config")]
    {
        let refused = program.run(&format!("demo --once {flag}"));
        assert_eq!(refused.code, 2, "{flag}");
        assert!(
            refused.err.contains(&format!(
                "`lethe demo` does not use --{name}; its settings are --listen, --console-listen"
            )),
            "{}",
            refused.err
        );
    }
}
