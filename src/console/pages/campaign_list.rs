//! Places of campaigns in the list of all: the first of a zone that fits is shown.

use serde_json::{Value, json};

use super::entry_publishing::{put_entry, unused_id};

/// Puts a campaign into the list: in its place, or a new one, which gets an id, first in its zone. Returns its id.
pub(crate) fn put_campaign(list: &mut Vec<Value>, mut campaign: Value) -> Value {
    let is_new = campaign["Id"].as_str().is_none_or(str::is_empty);
    if is_new {
        let words = ["Zone", "Title"].map(|name| campaign[name].as_str().unwrap_or_default());
        campaign["Id"] = unused_id(list, &words.join(" "), "campaign").into();
    }
    let id = campaign["Id"].clone();
    let first = list.iter().position(|other| is_same_zone(other, &campaign));
    match first.filter(|_| is_new) {
        Some(first) => list.insert(first, campaign),
        None => put_entry(list, campaign),
    }
    id
}

/// Lets a campaign change places with its neighbour of the same zone, if it has one there.
pub(crate) fn move_campaign(list: &mut [Value], id: &str, is_up: bool) {
    let Some(place) = list.iter().position(|campaign| campaign["Id"] == id) else { return };
    let is_neighbour = |other: &usize| is_same_zone(&list[*other], &list[place]);
    let other =
        if is_up { (0..place).rev().find(is_neighbour) } else { (place + 1..list.len()).find(is_neighbour) };
    if let Some(other) = other {
        list.swap(place, other);
    }
}

/// Campaigns by their zones, each zone where its first campaign stands.
pub(crate) fn group_by_zone(list: &Value) -> Vec<Value> {
    let mut zones: Vec<Vec<&Value>> = Vec::new();
    for campaign in list.as_array().into_iter().flatten() {
        match zones.iter_mut().find(|zone| is_same_zone(zone[0], campaign)) {
            Some(zone) => zone.push(campaign),
            None => zones.push(vec![campaign]),
        }
    }
    zones.into_iter().map(|zone| json!({"Zone": zone[0]["Zone"], "Campaigns": zone})).collect()
}

/// Campaigns zone by zone, each with whether it is the first and the last one of its zone.
pub(crate) fn in_zone_order(list: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for mut zone in group_by_zone(list) {
        let campaigns = zone["Campaigns"].as_array_mut().map(std::mem::take).unwrap_or_default();
        let count = campaigns.len();
        for (place, mut campaign) in campaigns.into_iter().enumerate() {
            campaign["IsFirst"] = (place == 0).into();
            campaign["IsLast"] = (place + 1 == count).into();
            all.push(campaign);
        }
    }
    all
}

/// Zones are the same in any case of their ASCII letters, as where they are filled.
fn is_same_zone(one: &Value, other: &Value) -> bool {
    let [one, other] = [one, other].map(|campaign| campaign["Zone"].as_str().unwrap_or_default());
    one.eq_ignore_ascii_case(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> Vec<Value> {
        [("a", "HP-01"), ("b", "PP-01"), ("c", "hp-01"), ("d", "HP-01")]
            .map(|(id, zone)| json!({"Id": id, "Zone": zone}))
            .into()
    }

    fn ids(list: &[Value]) -> String {
        list.iter().map(|campaign| campaign["Id"].as_str().unwrap_or_default()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_campaign_keeps_its_place_and_a_new_one_comes_first_in_its_zone() {
        let with = |campaign: Value| {
            let mut list = list();
            let id = put_campaign(&mut list, campaign);
            assert!(list.iter().any(|campaign| campaign["Id"] == id), "{id}");
            ids(&list)
        };
        assert_eq!(with(json!({"Id": "c", "Zone": "HP-01"})), "a b c d");
        assert_eq!(with(json!({"Id": "c", "Zone": "PP-01"})), "a b c d");
        assert_eq!(with(json!({"Zone": "pp-01", "Title": "Warm, of wool!"})), "a pp-01-warm-of-wool b c d");
        assert_eq!(with(json!({"Id": "", "Zone": "Foot"})), "a b c d foot");
        assert_eq!(with(json!({"Zone": "*"})), "a b c d campaign");
        assert_eq!(with(json!({"Id": "z", "Zone": "PP-01"})), "a b c d z", "others removed it meanwhile");
    }

    #[test]
    fn a_campaign_moves_among_those_of_its_zone() {
        for (id, is_up, expected) in [
            ("c", true, "c b a d"),
            ("c", false, "a b d c"),
            ("a", true, "a b c d"),
            ("d", false, "a b c d"),
            ("b", true, "a b c d"),
            ("b", false, "a b c d"),
            ("nothing", true, "a b c d"),
        ] {
            let mut list = list();
            move_campaign(&mut list, id, is_up);
            assert_eq!(ids(&list), expected, "{id} {is_up}");
        }
    }

    #[test]
    fn campaigns_stand_below_their_zones_in_their_order() {
        let zones = group_by_zone(&list().into());
        let shown = |zone: &Value| ids(zone["Campaigns"].as_array().expect("a list"));
        assert_eq!(zones.iter().map(shown).collect::<Vec<_>>(), ["a c d", "b"]);
        assert_eq!((&zones[0]["Zone"], &zones[1]["Zone"]), (&json!("HP-01"), &json!("PP-01")));
        assert!(group_by_zone(&Value::Null).is_empty());
        let ordered = in_zone_order(&list().into());
        assert_eq!(ids(&ordered), "a c d b");
        let ends = ordered.iter().map(|one| (one["IsFirst"] == true, one["IsLast"] == true));
        let expected = [(true, false), (false, false), (false, true), (true, true)];
        assert_eq!(ends.collect::<Vec<_>>(), expected);
    }
}
