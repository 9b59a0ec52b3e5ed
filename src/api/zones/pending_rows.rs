//! Zones whose items need rows of the catalogue: categories and brands, whose pictures and addresses are in no index,
//! and products with swatches, which are too long for one. The rows of all zones of a call are read together, in one
//! transaction, within a bound.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::item::WantedFields;
use crate::api::search::{AnswerRoom, TurnOf, take_turn};
use crate::catalogue::CatalogueFault;
use crate::catalogue::visible::CatalogueView;
use crate::feeds::section::Section;
use crate::limits;
use crate::node::Node;
use crate::search::document::{Members, NameTable, ObjectWriter};
use crate::transport::refusal::Refusal;

/// A zone without what its rows say.
pub struct PendingZone {
    /// The zone without its items.
    pub zone: ObjectWriter,
    /// Section of the rows.
    pub section: Section,
    /// The ids of the rows, and the items as far as they are written.
    pub items: Vec<(String, String)>,
    /// True if categories and brands come with their descriptions.
    pub is_described: bool,
}

/// A zone that was completed.
pub struct CompletedZone {
    /// In JSON; `None` where nothing stands there.
    pub content: Option<String>,
    /// True if something had no room in the answer.
    pub is_cut: bool,
}

/// Categories around a category.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Around<'c> {
    id: &'c str,
    parents: Vec<&'c str>,
    children: &'c [&'c str],
    all_child_ids: Vec<&'c str>,
}

impl Around<'_> {
    /// Reserves its room in an answer, before it is written; false when there is none.
    fn has_room(&self, room: &mut AnswerRoom) -> bool {
        let ids = self.parents.iter().chain(self.children).chain(&self.all_child_ids);
        room.try_take(self.id.len() + KIND_BYTES + ids.map(|id| id.len() + 3).sum::<usize>())
    }
}

/// Bytes around the id of a category or brand and around its lists of ids.
const KIND_BYTES: usize = 64;

/// Categories or brands as far as they can be written.
pub struct WrittenKinds {
    /// Their ids, and the written text of each.
    pub items: Vec<(String, String)>,
    /// True if some had no room in the answer.
    pub is_cut: bool,
}

/// Categories, or brands, as far as they can be written without their rows.
pub fn kinds(
    section: Section,
    ids: Vec<String>,
    named: &NameTable,
    needed: &WantedFields,
    room: &mut AnswerRoom,
) -> WrittenKinds {
    let has_kin = section == Section::Categories && needed.has("AllChildIds");
    let children = if has_kin { named.children() } else { HashMap::new() };
    let mut written = |id: &String| {
        if !has_kin {
            let has_room = room.try_take(id.len() + KIND_BYTES);
            return has_room.then(|| serde_json::json!({ "Id": id }).to_string());
        }
        let right_below = children.get(id.as_str()).map(Vec::as_slice).unwrap_or_default();
        let around = Around {
            id,
            parents: named.parents(id).collect(),
            children: right_below,
            all_child_ids: all_below(id, &children),
        };
        around.has_room(room).then(|| serde_json::to_string(&around).unwrap_or_default())
    };
    let all = ids.len();
    let items: Vec<_> = ids.into_iter().filter_map(|id| written(&id).map(|item| (id, item))).collect();
    WrittenKinds { is_cut: items.len() < all, items }
}

/// All that is below a category, level by level, each once: a shop's categories may stand in a circle.
fn all_below<'c>(id: &'c str, children: &HashMap<&'c str, Vec<&'c str>>) -> Vec<&'c str> {
    let mut all = vec![id];
    let mut known = HashSet::from([id]);
    let mut next = 0;
    while next < all.len() && all.len() <= limits::ZONE_CHILD_IDS {
        let below = children.get(all[next]).into_iter().flatten();
        all.extend(below.copied().filter(|child| known.insert(child)));
        next += 1;
    }
    all.truncate(limits::ZONE_CHILD_IDS + 1);
    all.remove(0);
    all
}

/// Members that are taken of the rows of a section.
const fn fields(section: Section) -> &'static [&'static str] {
    match section {
        Section::Products => &["jsonconfig", "swatchrenderjson"],
        _ => &["DisplayName", "Image", "Link", "Description"],
    }
}

/// Members that were taken of rows, by section and id.
type Taken = HashMap<(Section, String), Vec<(&'static str, String)>>;

/// Completes zones, in a turn of the account.
///
/// # Errors
/// A refusal when there is no turn in time, or the catalogue cannot be read.
pub async fn complete(
    node: &Node,
    turn_of: TurnOf,
    waiting: Vec<PendingZone>,
    mut room: AnswerRoom,
) -> Result<Vec<CompletedZone>, Refusal> {
    if waiting.is_empty() {
        return Ok(Vec::new());
    }
    let (wanted, beyond) = rows_of(&waiting);
    // The shop with the most requests keeps no other from reading.
    let _turn = take_turn(node, turn_of).await?;
    let blobs = node.blobs.clone();
    let account = turn_of.account();
    let reading = node.store.read(move |tx| {
        let mut catalogue = CatalogueView::open(tx, &blobs, account)?;
        for section in Section::ALL {
            let ids: Vec<_> = wanted.iter().filter(|(of, _)| *of == section).map(|(_, id)| id).collect();
            catalogue.prefetch(section, &ids)?;
        }
        let mut taken = CollectedRows::default();
        for (section, id) in &wanted {
            taken.collect_row(*section, id, |section, id| {
                Ok(catalogue.get(section, id)?.map(|item| item.row))
            })?;
        }
        Ok::<_, CatalogueFault>(taken)
    });
    let CollectedRows { taken, left_out, .. } = reading.await?;
    metrics::counter!("lethe_zone_fields_left_out_total").increment(left_out + beyond);
    waiting.into_iter().map(|zone| zone.finish(&taken, &mut room)).collect()
}

/// The rows that zones lack, each once, and how many fields those beyond the most have.
fn rows_of(waiting: &[PendingZone]) -> (Vec<(Section, String)>, u64) {
    let mut known = HashSet::new();
    let mut rows = Vec::new();
    let mut beyond = 0;
    for PendingZone { section, items, .. } in waiting {
        for (id, _) in items.iter().filter(|(id, _)| known.insert((*section, id.clone()))) {
            if rows.len() < limits::ZONE_ROWS {
                rows.push((*section, id.clone()));
            } else {
                beyond += fields(*section).len() as u64;
            }
        }
    }
    (rows, beyond)
}

/// Members that were taken of rows, within the bounds.
#[derive(Default)]
struct CollectedRows {
    taken: Taken,
    bytes: usize,
    left_out: u64,
}

impl CollectedRows {
    /// Takes the wanted fields of a row; a field for which there is no room is left out, and counted.
    fn collect_row(
        &mut self,
        section: Section,
        id: &str,
        read: impl FnOnce(Section, &str) -> Result<Option<Vec<u8>>, CatalogueFault>,
    ) -> Result<(), CatalogueFault> {
        let Some(row) = read(section, id)? else { return Ok(()) };
        let row: Members<'_> = serde_json::from_slice(&row).map_err(|_| CatalogueFault::Row)?;
        let sent = |name: &str| {
            let found = row.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.get());
            found.filter(|value| !matches!(*value, "null" | "\"\""))
        };
        let mut members = Vec::new();
        for name in fields(section) {
            let instead = if *name == "Image" { sent("OverrideImage") } else { None };
            let Some(value) = instead.or_else(|| sent(name)) else { continue };
            let has_room = self.bytes + value.len() <= limits::ZONE_ROWS_BYTES;
            if has_room {
                self.bytes += value.len();
                members.push((*name, value.to_owned()));
            } else {
                self.left_out += 1;
            }
        }
        self.taken.insert((section, id.to_owned()), members);
        Ok(())
    }
}

impl PendingZone {
    /// The zone in JSON, whose items are whole.
    ///
    /// # Errors
    /// Never: the written bytes are text.
    pub fn into_text(self) -> Result<String, Refusal> {
        let Self { mut zone, items, .. } = self;
        let items: Vec<_> = items.into_iter().map(|(_, item)| item).collect();
        zone.raw("items", &format!("[{}]", items.join(",")));
        text_of(zone)
    }

    /// The zone in JSON. A product is shown also without its swatches; a category or brand without a row is not, and
    /// where none is left the zone is empty.
    fn finish(self, taken: &Taken, room: &mut AnswerRoom) -> Result<CompletedZone, Refusal> {
        let Self { mut zone, section, items, is_described } = self;
        let mut whole = Vec::with_capacity(items.len());
        let mut is_cut = false;
        for (id, json) in items {
            let mut members = taken.get(&(section, id.clone())).map(Vec::as_slice).unwrap_or_default();
            // Several zones may show the same row.
            if !room.try_take(members.iter().map(|(name, value)| name.len() + value.len() + 4).sum()) {
                is_cut = true;
                if section != Section::Products {
                    continue;
                }
                members = &[];
            }
            let is_named = members.iter().any(|(name, _)| *name == "DisplayName");
            let mut item = ObjectWriter::after(json.as_bytes());
            let is_sent = |name: &str| is_described || name != "Description";
            members.iter().filter(|(name, _)| is_sent(name)).for_each(|(name, value)| item.raw(name, value));
            // One whose name was not sent is called by its id.
            if section != Section::Products && !is_named {
                if !taken.contains_key(&(section, id.clone())) {
                    continue;
                }
                item.member("DisplayName", &id);
            }
            whole.push(text_of(item)?);
        }
        if whole.is_empty() {
            return Ok(CompletedZone { content: None, is_cut });
        }
        zone.raw("items", &format!("[{}]", whole.join(",")));
        Ok(CompletedZone { content: Some(text_of(zone)?), is_cut })
    }
}

/// The text of an object.
///
/// # Errors
/// Never: the written bytes are text.
pub fn text_of(object: ObjectWriter) -> Result<String, Refusal> {
    String::from_utf8(object.finish()).map_err(|_| Refusal::fault())
}

#[cfg(test)]
#[path = "pending_rows_tests.rs"]
mod room_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_is_left_out() {
        let mut taking = CollectedRows::default();
        let long = "x".repeat(limits::ZONE_ROWS_BYTES / 2);
        for id in ["a", "b", "c"] {
            let row =
                serde_json::json!({"Id": id, "jsonconfig": long, "swatchrenderjson": "{}", "Title": "t"});
            let read = |_, _: &str| Ok(Some(row.to_string().into_bytes()));
            taking.collect_row(Section::Products, id, read).expect("a row");
        }
        let names = |id: &str| -> Vec<_> {
            taking.taken[&(Section::Products, id.to_owned())].iter().map(|(name, _)| *name).collect()
        };
        assert_eq!(names("a"), ["jsonconfig", "swatchrenderjson"]);
        assert_eq!((names("b"), names("c"), taking.left_out), (vec!["swatchrenderjson"], names("b"), 2));
    }

    #[test]
    fn so_many_rows_are_read() {
        let zone = |section, count: usize| {
            let items = (0..count).map(|number| (number.to_string(), String::new())).collect();
            PendingZone { zone: ObjectWriter::default(), section, items, is_described: true }
        };
        let half = limits::ZONE_ROWS / 2;
        let all =
            [zone(Section::Brands, half), zone(Section::Brands, half), zone(Section::Products, half + 3)];
        let (rows, beyond) = rows_of(&all);
        assert_eq!((rows.len(), beyond), (limits::ZONE_ROWS, 6));
        assert_eq!(rows.last(), Some(&(Section::Products, (half - 1).to_string())));
    }

    #[test]
    fn so_many_categories_are_named_below_one() {
        let ids: Vec<_> = (0..limits::ZONE_CHILD_IDS + 5).map(|number| number.to_string()).collect();
        let children = HashMap::from([("top", ids.iter().map(String::as_str).collect())]);
        let below = all_below("top", &children);
        assert_eq!((below.len(), below[0]), (limits::ZONE_CHILD_IDS, "0"));
    }

    #[test]
    fn categories_in_a_circle_are_below_each_other_once() {
        let mut named = NameTable::default();
        for (id, row) in [
            ("a", r#"{"ParentIds":["c"]}"#),
            ("b", r#"{"ParentIds":["a"]}"#),
            ("c", r#"{"ParentIds":["b","a"]}"#),
            ("off", r#"{"ParentIds":["a"],"IsActive":false}"#),
        ] {
            named.put_row(id, row.as_bytes()).expect("a row");
        }
        let kinds_of = |needed: &WantedFields| {
            let room = &mut AnswerRoom::default();
            kinds(Section::Categories, vec!["a".to_owned()], &named, needed, room).items
        };
        let written = kinds_of(&WantedFields::All);
        let expected = r#"{"Id":"a","Parents":["c"],"Children":["b","c"],"AllChildIds":["b","c"]}"#;
        assert_eq!(written, [("a".to_owned(), expected.to_owned())]);
        let card = kinds_of(&WantedFields::of_page(Vec::new()));
        assert_eq!(card, [("a".to_owned(), r#"{"Id":"a"}"#.to_owned())]);
    }
}
