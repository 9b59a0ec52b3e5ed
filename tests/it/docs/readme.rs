//! Checks of README: its links lead somewhere, and its pictures are there, small, and for light and dark pages.

use std::path::Path;

const README: &str = include_str!("../../../README.md");

/// A page in 256 colours takes a quarter of it.
const PICTURE_BYTES: usize = 150_000;

/// Texts of README between a beginning and the next end.
fn texts_between(begin: &str, end: char) -> Vec<&'static str> {
    README.split(begin).skip(1).filter_map(|rest| rest.split(end).next()).collect()
}

#[test]
fn every_link_of_the_readme_leads_to_a_file() {
    let links = texts_between("](", ')');
    assert!(links.len() > 10, "{links:?}");
    for link in links.into_iter().filter(|link| !link.starts_with("https://")) {
        let file = link.split('#').next().unwrap_or_default();
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(file).exists(), "{link}");
    }
}

#[test]
fn every_picture_of_the_readme_is_there_small_and_for_light_and_dark() {
    let light = texts_between(" src=\"", '"');
    let dark = texts_between(" srcset=\"", '"');
    assert_eq!(dark, light.iter().map(|file| file.replace("-light.", "-dark.")).collect::<Vec<_>>());
    assert_eq!(README.matches("(prefers-color-scheme: dark)").count(), dark.len());
    assert_eq!(texts_between(" alt=\"", '"').iter().filter(|text| text.len() > 40).count(), light.len());
    for file in light.into_iter().chain(dark) {
        let picture = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(file));
        let picture = picture.unwrap_or_else(|fault| panic!("{file}, which scripts/pictures takes: {fault}"));
        assert!(
            picture.starts_with(b"\x89PNG") && picture.len() <= PICTURE_BYTES,
            "{file}: {}",
            picture.len()
        );
    }
}
