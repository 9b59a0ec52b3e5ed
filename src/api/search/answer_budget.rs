//! The room in an answer: a part without room is left out before it is made, and the answer says so.

use serde::Serialize;
use serde_json::value::RawValue;

use super::hit::AnswerHit;
use crate::limits;
use crate::search::query::facets::Facet;
use crate::transport::refusal::Refusal;

/// The room that is left in an answer.
pub struct AnswerRoom {
    bytes: usize,
    /// Bytes of the index that may still be read.
    read_bytes: usize,
    /// True if hits lack fields.
    pub lacks_fields: bool,
    /// True if facets lack values.
    pub lacks_values: bool,
}

impl Default for AnswerRoom {
    fn default() -> Self {
        Self {
            bytes: limits::ANSWER_BYTES,
            read_bytes: limits::ANSWER_READ_BYTES,
            lacks_fields: false,
            lacks_values: false,
        }
    }
}

impl AnswerRoom {
    /// Takes `bytes` of the room; false when they are not there, and then none is taken.
    pub fn try_take(&mut self, bytes: usize) -> bool {
        let left = self.bytes.checked_sub(bytes);
        left.is_some_and(|left| {
            self.bytes = left;
            true
        })
    }

    /// Hits in JSON. One that has no room for its fields is there by its id alone.
    ///
    /// # Errors
    /// When a row of the index is damaged.
    pub fn hits<R: Serialize>(&mut self, hits: Vec<AnswerHit<R>>) -> Result<Vec<Box<RawValue>>, Refusal> {
        hits.into_iter().map(|hit| self.hit(hit)).collect()
    }

    fn hit<R: Serialize>(&mut self, hit: AnswerHit<R>) -> Result<Box<RawValue>, Refusal> {
        let read = hit.read_bytes();
        let is_read = self.read_bytes >= read;
        if is_read {
            self.read_bytes -= read;
            let json = hit.json().map_err(|_| Refusal::fault())?;
            if self.try_take(json.len()) {
                return RawValue::from_string(json).map_err(|_| Refusal::fault());
            }
        }
        self.lacks_fields = true;
        serde_json::value::to_raw_value(&serde_json::json!({ "Id": hit.id() })).map_err(|_| Refusal::fault())
    }

    /// Leaves out facet values for which there is no room: facets may take half, before the hits.
    pub fn fit_facets(&mut self, facets: &mut [Facet]) {
        let mut left = self.bytes / 2;
        for facet in facets {
            let all = facet.values.len();
            let mut has_room = true;
            facet.values.retain(|value| {
                let named = value.name.iter().chain(&value.path).map(String::len).sum::<usize>();
                let rest = left.checked_sub(VALUE_BYTES + value.value.len() + named);
                has_room &= rest.is_some();
                left = rest.filter(|_| has_room).unwrap_or(left);
                has_room
            });
            self.lacks_values |= facet.values.len() < all;
        }
        self.bytes = self.bytes / 2 + left;
    }
}

/// Bytes around a value of a facet.
const VALUE_BYTES: usize = 48;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::query::facets::FacetValue;
    use crate::search::query::product_property::ProductProperty;

    #[test]
    fn there_is_room_up_to_the_last_byte() {
        let mut room = AnswerRoom { bytes: 5, ..AnswerRoom::default() };
        assert!(!room.try_take(6) && room.try_take(5) && !room.try_take(1) && room.try_take(0));
    }

    #[test]
    fn facets_take_half_of_the_room_and_say_that_they_lack_values() {
        let named =
            FacetValue { value: "re".to_owned(), name: Some("d".to_owned()), ..FacetValue::default() };
        let below = ["a", "n"].map(str::to_owned).to_vec();
        let below = FacetValue { value: "t".to_owned(), path: below, ..FacetValue::default() };
        let values = vec![named, below, FacetValue::default()];
        let of_two = 2 * (VALUE_BYTES + 3);
        for (half, kept, left) in [
            (of_two + VALUE_BYTES, 3, 0),
            (of_two + VALUE_BYTES - 1, 2, VALUE_BYTES - 1),
            // The last value would fit, but none goes on after one that was left out.
            (of_two - 1, 1, VALUE_BYTES + 2),
        ] {
            let mut room = AnswerRoom { bytes: 2 * half, ..AnswerRoom::default() };
            let values = values.clone();
            let mut facets = [Facet { subject: ProductProperty::Brand, distinct: 3, values, span: None }];
            room.fit_facets(&mut facets);
            assert_eq!((facets[0].values.len(), room.lacks_values), (kept, kept < 3), "{half}");
            assert_eq!(room.bytes, half + left, "{half}");
        }
    }
}
