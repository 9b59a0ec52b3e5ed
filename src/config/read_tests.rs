//! Settings that were read: checked, shown, and the places that follow from them.

use super::*;

fn settings() -> Settings {
    Settings {
        data_dir: "/srv/lethe".into(),
        listen: "127.0.0.1:8080".to_owned(),
        console_listen: String::new(),
        console_hosts: String::new(),
        store: "sqlite:".to_owned(),
        store_password_file: None,
        require_standby: false,
        key_dir: None,
        journal_mirror: None,
        key_mirror: None,
        feed_allow: String::new(),
        feed_ports: "80, 443".to_owned(),
        trusted_proxies: String::new(),
        forwarded_header: "X-Forwarded-For".to_owned(),
        metrics_token: None,
        log: "info".to_owned(),
    }
}

fn checked(change: impl FnOnce(&mut Settings)) -> Result<Config, String> {
    let mut settings = settings();
    change(&mut settings);
    Config::check(settings).map_err(|fault| fault.to_string())
}

/// The settings that are not as they are by default, with the values shown.
fn settings_after(change: impl FnOnce(&mut Settings)) -> Vec<(&'static str, String)> {
    let default = checked(|_| ()).ok().unwrap().settings();
    let changed = checked(change).ok().unwrap().settings();
    changed.into_iter().zip(default).filter(|(one, other)| one != other).map(|(one, _)| one).collect()
}

#[test]
fn every_setting_is_shown_under_its_name_and_no_secret() {
    let text = |value: &str| value.to_owned();
    assert_eq!(
        checked(|_| ()).ok().unwrap().settings(),
        [
            ("data_dir", text("/srv/lethe")),
            ("listen", text("127.0.0.1:8080")),
            ("console_listen", text("127.0.0.1:8081")),
            ("console_hosts", text("")),
            ("store", text("sqlite:")),
            ("store_password_file", text("")),
            ("require_standby", text("false")),
            ("key_dir", text("/srv/lethe-keys")),
            ("journal_mirror", text("")),
            ("key_mirror", text("")),
            ("feed_allow", text("")),
            ("feed_ports", text("80,443")),
            ("trusted_proxies", text("")),
            ("forwarded_header", text("x-forwarded-for")),
            ("metrics_token", text("")),
            ("log", text("info")),
        ]
    );
    let folders = settings_after(|settings| {
        settings.key_dir = Some("/srv/k".into());
        settings.key_mirror = Some("/srv/km".into());
        settings.journal_mirror = Some("/srv/jm".into());
    });
    let expected = [("key_dir", "/srv/k"), ("journal_mirror", "/srv/jm"), ("key_mirror", "/srv/km")];
    assert_eq!(folders, expected.map(|(name, value)| (name, text(value))));
    let others = settings_after(|settings| {
        settings.console_listen = text("off");
        settings.console_hosts = text("a.example, b.example");
        settings.feed_allow = text("10.1.0.0/16 192.168.7.4");
        settings.trusted_proxies = text("127.0.0.1");
        settings.metrics_token = Some(text("canary"));
        settings.log = text("trace");
    });
    let expected = [
        ("console_listen", "off"),
        ("console_hosts", "a.example,b.example"),
        ("feed_allow", "10.1.0.0/16,192.168.7.4/32"),
        ("trusted_proxies", "127.0.0.1/32"),
        ("metrics_token", "(set)"),
        ("log", "trace"),
    ];
    assert_eq!(others, expected.map(|(name, value)| (name, text(value))));
    let postgres = settings_after(|settings| {
        settings.store = text("postgres://u@db.test:5433/shops");
        settings.require_standby = true;
        settings.store_password_file = Some("/srv/password".into());
    });
    let expected = [
        ("store", "postgres://db.test/shops"),
        ("store_password_file", "/srv/password"),
        ("require_standby", "true"),
    ];
    assert_eq!(postgres, expected.map(|(name, value)| (name, text(value))));
}

type Change = fn(&mut Settings);

#[test]
fn a_setting_that_cannot_be_used_is_refused_with_what_is_expected() {
    let cases: &[(Change, &str)] = &[
        (|it| it.listen = "8080".into(), "listen: an address and port such as 127.0.0.1:8080 is expected"),
        (|it| it.log = "INFO".into(), "log: error, warn, info, debug or trace is expected"),
        (|it| it.feed_ports = "80,65536".into(), "feed_ports: port numbers are expected"),
        (
            |it| it.feed_allow = "x".into(),
            "feed_allow: networks or addresses such as 10.1.0.0/16 or 192.168.7.4 are expected",
        ),
        (
            |it| it.trusted_proxies = "x".into(),
            "trusted_proxies: networks or addresses such as 10.1.0.0/16 or 192.168.7.4 are expected",
        ),
        (
            |it| it.trusted_proxies = "10.0.0.1,0.0.0.0/0".into(),
            "trusted_proxies: a network of all addresses is not expected; name those of the proxies",
        ),
        (
            |it| it.forwarded_header = "a b".into(),
            "forwarded_header: the name of a header such as X-Forwarded-For is expected",
        ),
        (
            |it| it.key_mirror = Some("/srv/lethe".into()),
            "key_mirror: a folder of its own is expected, on another disk",
        ),
        (
            |it| it.key_mirror = Some("/srv/lethe-keys".into()),
            "key_mirror: a folder of its own is expected, on another disk",
        ),
        (
            |it| it.journal_mirror = Some("/srv/lethe".into()),
            "journal_mirror: a folder of its own is expected, on another disk",
        ),
        (
            |it| it.journal_mirror = Some("/srv/lethe-keys".into()),
            "journal_mirror: a folder of its own is expected, on another disk",
        ),
        (|it| it.store = "/srv/x.db".into(), "store: sqlite:, sqlite:PATH or postgres://… is expected"),
        (
            |it| it.require_standby = true,
            "require_standby: only PostgreSQL has standbys, and --store names none",
        ),
        (
            |it| it.store_password_file = Some("x".into()),
            "store_password_file: an embedded store has no password",
        ),
        (
            |it| it.console_listen = "x".into(),
            "console_listen: an address and port such as 127.0.0.1:8081, or off, is expected",
        ),
        (
            |it| it.console_hosts = "a,b:1".into(),
            "console_hosts: names without a port, such as console.shop.example, are expected",
        ),
    ];
    for (change, sentence) in cases {
        assert_eq!(checked(change).err(), Some(format!("setting {sentence}")));
    }
}

#[test]
fn an_empty_path_is_none_and_half_of_all_addresses_are_a_network() {
    let changes: &[Change] = &[
        |it| it.store_password_file = Some("".into()),
        |it| it.key_mirror = Some("".into()),
        |it| it.trusted_proxies = "128.0.0.0/1".into(),
        |it| it.console_hosts = "a-b.c_d, e".into(),
    ];
    for change in changes {
        assert_eq!(checked(change).err(), None);
    }
    let is_set = |at: &str| checked(|it| it.console_listen = at.to_owned()).ok().unwrap().console.is_set;
    assert_eq!(["", " ", "off", "127.0.0.1:1"].map(is_set), [false, false, true, true]);
    let local = Config::local("/srv/lethe".into(), "/srv/k".into());
    assert_eq!((local.listen.port(), local.console.display_address().as_str()), (0, "127.0.0.1:0"));
}

/// The places with their names, the files of the database, and that of the room for erasures.
fn places_of(change: Change) -> (Vec<String>, Vec<PathBuf>, String) {
    let config = checked(change).ok().unwrap();
    let places = config.places().into_iter().map(|(name, path)| format!("{name} {}", path.display()));
    (places.collect(), config.database_files(), config.ballast().display().to_string())
}

#[test]
fn the_places_of_a_server_are_its_folders_and_a_database_outside_of_them() {
    let (places, database, ballast) = places_of(|_| ());
    assert_eq!(places, ["data /srv/lethe", "keys /srv/lethe-keys"]);
    assert_eq!(database, ["/srv/lethe/lethe.db", "/srv/lethe/lethe.db-wal"].map(PathBuf::from));
    assert_eq!(ballast, "/srv/lethe/ballast");
    let (places, database, ballast) = places_of(|it| {
        it.key_mirror = Some("/srv/km".into());
        it.journal_mirror = Some("/srv/jm".into());
        it.store = "sqlite:/srv/db/x.db".into();
    });
    assert_eq!(
        places,
        [
            "data /srv/lethe",
            "keys /srv/lethe-keys",
            "key mirror /srv/km",
            "journal mirror /srv/jm",
            "database /srv/db/x.db",
            "database /srv/db/x.db-wal",
        ]
    );
    assert_eq!(database, ["/srv/db/x.db", "/srv/db/x.db-wal"].map(PathBuf::from));
    assert_eq!(ballast, "/srv/db/x.db-ballast");
    let (places, database, ballast) = places_of(|it| it.store = "sqlite:/srv/lethe/below/x.db".into());
    assert_eq!(places, ["data /srv/lethe", "keys /srv/lethe-keys"]);
    assert_eq!(database[0], PathBuf::from("/srv/lethe/below/x.db"));
    assert_eq!(ballast, "/srv/lethe/ballast");
    let (places, database, ballast) = places_of(|it| it.store = "postgresql://u@db.test/shops".into());
    assert_eq!(places, ["data /srv/lethe", "keys /srv/lethe-keys"]);
    assert!(database.is_empty() && ballast == "/srv/lethe/ballast");
}

#[test]
fn a_path_is_named_without_links_as_far_as_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    std::fs::create_dir(real.join("real")).unwrap();
    std::os::unix::fs::symlink(real.join("real"), real.join("link")).unwrap();
    assert_eq!(canonical_path(&real.join("link")), real.join("real"));
    assert_eq!(canonical_path(&real.join("link/a/b")), real.join("real/a/b"));
    assert_eq!(canonical_path(&real.join("gone/a")), real.join("gone/a"));
    let config = checked(|it| it.data_dir = real.join("link")).ok().unwrap();
    assert_eq!((config.data_dir, config.key_dir), (real.join("real"), real.join("link-keys")));
    let config = checked(|it| it.store = format!("sqlite:{}/link/x.db", real.display())).ok().unwrap();
    assert_eq!(config.store, format!("sqlite:{}/real/x.db", real.display()));
}
