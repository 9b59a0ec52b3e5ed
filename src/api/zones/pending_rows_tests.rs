//! Zones that are completed by rows of the catalogue, within the room of an answer.

use serde_json::json;

use super::*;

/// An answer with so much room left.
fn room_of(bytes: usize) -> AnswerRoom {
    let mut room = AnswerRoom::default();
    assert!(room.try_take(limits::ANSWER_BYTES - bytes));
    room
}

fn zone_of(section: Section, ids: &[&str], is_described: bool) -> PendingZone {
    let mut zone = ObjectWriter::default();
    zone.member("type", &"t");
    let items = ids.iter().map(|id| ((*id).to_owned(), json!({ "Id": id }).to_string())).collect();
    PendingZone { zone, section, items, is_described }
}

fn row(
    section: Section,
    id: &str,
    members: &[(&'static str, &str)],
) -> ((Section, String), Vec<(&'static str, String)>) {
    let members = members.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    ((section, id.to_owned()), members)
}

/// The items of a zone that was completed, and whether something had no room.
fn finished(zone: PendingZone, taken: &Taken, bytes: usize) -> (Option<String>, bool) {
    let CompletedZone { content, is_cut } = zone.finish(taken, &mut room_of(bytes)).expect("a zone");
    let items = content.map(|content| {
        let items = content.strip_prefix(r#"{"type":"t","items":["#).and_then(|rest| rest.strip_suffix("]}"));
        items.expect("items").to_owned()
    });
    (items, is_cut)
}

#[test]
fn a_brand_is_shown_with_its_row_and_called_by_its_id_where_it_has_no_name() {
    let brands = Section::Brands;
    let named = [("DisplayName", r#""B""#), ("Description", r#""D""#)];
    let taken =
        Taken::from([row(brands, "b", &named), row(brands, "c", &[]), row(Section::Categories, "d", &[])]);
    let zone = |is_described| zone_of(brands, &["b", "c", "d"], is_described);
    let described = r#"{"Id":"b","DisplayName":"B","Description":"D"},{"Id":"c","DisplayName":"c"}"#;
    // The members of the first take 36 bytes.
    assert_eq!(finished(zone(true), &taken, 36), (Some(described.to_owned()), false));
    let short = r#"{"Id":"b","DisplayName":"B"},{"Id":"c","DisplayName":"c"}"#;
    assert_eq!(finished(zone(false), &taken, 36), (Some(short.to_owned()), false));
    let cut = r#"{"Id":"c","DisplayName":"c"}"#;
    assert_eq!(finished(zone(true), &taken, 35), (Some(cut.to_owned()), true));
    assert_eq!(finished(zone_of(brands, &["d"], true), &taken, 35), (None, false));
    assert_eq!(finished(zone_of(brands, &["b"], true), &taken, 0), (None, true));
}

#[test]
fn a_product_without_room_for_its_swatches_is_shown_without_them() {
    let products = Section::Products;
    let taken = Taken::from([row(products, "p", &[("jsonconfig", "{}")])]);
    let zone = || zone_of(products, &["p", "q"], true);
    let whole = r#"{"Id":"p","jsonconfig":{}},{"Id":"q"}"#;
    assert_eq!(finished(zone(), &taken, 16), (Some(whole.to_owned()), false));
    let cut = r#"{"Id":"p"},{"Id":"q"}"#;
    assert_eq!(finished(zone(), &taken, 15), (Some(cut.to_owned()), true));
    assert_eq!(zone().into_text().ok().as_deref(), Some(r#"{"type":"t","items":[{"Id":"p"},{"Id":"q"}]}"#));
}

#[test]
fn of_a_row_the_wanted_members_are_taken_and_one_picture_stands_for_another() {
    let taken = |section: Section, row: serde_json::Value| {
        let mut rows = CollectedRows::default();
        rows.collect_row(section, "1", |_, _| Ok(Some(row.to_string().into_bytes()))).expect("a row");
        rows.taken.remove(&(section, "1".to_owned())).expect("members")
    };
    let both = json!({"Id": "1", "Image": "/i", "OverrideImage": "/o", "DisplayName": "", "Link": null,
        "Description": "d", "jsonconfig": "{}"});
    let expected = [("Image", r#""/o""#.to_owned()), ("Description", r#""d""#.to_owned())];
    assert_eq!(taken(Section::Brands, both.clone()), expected);
    assert_eq!(taken(Section::Products, both), [("jsonconfig", r#""{}""#.to_owned())]);
    let one = json!({"Image": "/i", "OverrideImage": "", "Link": "/l", "DisplayName": "B"});
    let names = taken(Section::Categories, one).into_iter().map(|(name, value)| format!("{name} {value}"));
    assert_eq!(names.collect::<Vec<_>>(), [r#"DisplayName "B""#, r#"Image "/i""#, r#"Link "/l""#]);
    let mut none = CollectedRows::default();
    none.collect_row(Section::Brands, "1", |_, _| Ok(None)).expect("no row");
    assert!(none.taken.is_empty());
    let damaged = none.collect_row(Section::Brands, "1", |_, _| Ok(Some(b"[".to_vec())));
    assert!(matches!(damaged, Err(CatalogueFault::Row)));
}

#[test]
fn a_member_of_a_row_is_taken_up_to_the_last_byte_of_the_room() {
    const ROOM: usize = limits::ZONE_ROWS_BYTES;
    for (first, second, kept) in
        [(ROOM - 3, 3, &["a", "b"][..]), (ROOM - 2, 3, &["a"]), (ROOM, 3, &["a"]), (ROOM + 1, ROOM, &["b"])]
    {
        let mut rows = CollectedRows::default();
        for (id, bytes) in [("a", first), ("b", second)] {
            // A value has two quotes.
            let row = json!({"jsonconfig": "x".repeat(bytes - 2), "Id": id});
            let read = |_, _: &str| Ok(Some(row.to_string().into_bytes()));
            rows.collect_row(Section::Products, id, read).expect("a row");
        }
        let is_kept = |id: &&str| !rows.taken[&(Section::Products, (*id).to_owned())].is_empty();
        let ids: Vec<_> = ["a", "b"].into_iter().filter(is_kept).collect();
        assert_eq!((ids.as_slice(), rows.left_out), (kept, 2 - kept.len() as u64), "{first} {second}");
    }
}

#[test]
fn a_category_takes_room_for_its_id_and_for_all_ids_around_it() {
    let mut named = NameTable::default();
    for (id, row) in [("a", "{}"), ("b", r#"{"ParentIds":["a"]}"#), ("c", r#"{"ParentIds":["b"]}"#)] {
        named.put_row(id, row.as_bytes()).expect("a row");
    }
    let kinds_of = |section, needed: &WantedFields, bytes: usize| {
        let ids = vec!["b".to_owned(), "c".to_owned()];
        let WrittenKinds { items, is_cut } = kinds(section, ids, &named, needed, &mut room_of(bytes));
        (items.into_iter().map(|(_, item)| item).collect::<Vec<_>>(), is_cut)
    };
    let short = [r#"{"Id":"b"}"#.to_owned(), r#"{"Id":"c"}"#.to_owned()];
    let card = WantedFields::of_page(Vec::new());
    assert_eq!(kinds_of(Section::Categories, &card, 2 * 65), (short.to_vec(), false));
    assert_eq!(kinds_of(Section::Categories, &card, 2 * 65 - 1), (short[..1].to_vec(), true));
    // Brands have no kin.
    assert_eq!(kinds_of(Section::Brands, &WantedFields::All, 2 * 65), (short.to_vec(), false));
    let b = r#"{"Id":"b","Parents":["a"],"Children":["c"],"AllChildIds":["c"]}"#.to_owned();
    let c = r#"{"Id":"c","Parents":["b"],"Children":[],"AllChildIds":[]}"#.to_owned();
    let whole = 65 + 3 * 4 + 65 + 4;
    assert_eq!(kinds_of(Section::Categories, &WantedFields::All, whole), (vec![b.clone(), c], false));
    assert_eq!(kinds_of(Section::Categories, &WantedFields::All, whole - 1), (vec![b], true));
}
