//! Statistics as one blob.

use std::sync::Arc;

use super::bag_of_words::{WordMap, WordSet};
use super::compound_parts::CompoundParts;
use super::compound_splitter::PartsByWord;
use super::fields::FIELDS;
use super::frequencies::{Statistics, joinable_words, round};
use super::patterns::{FrequencyPattern, Patterns};
use crate::search::autocomplete::CompletionStatistics;
use crate::search::codec::{BlobFormat, PackedFault, Packer, Unpacker};
use crate::search::document::AttributeStatistics;
use crate::search::spellcheck::WordStatistics;

const FORM: BlobFormat = BlobFormat { kind: *b"LSTA", version: 3 };
const NAME_BYTES: usize = 8;

impl Statistics {
    /// The blob; the same for equal statistics.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Packer::new(FORM);
        out.number(u64::from(self.products));
        self.average_lengths.iter().for_each(|average| out.float(f64::from(*average)));
        write_counts(&self.frequencies, &mut out);
        write_counts(&self.modifier_counts, &mut out);
        let mut heads: Vec<u64> = self.heads.iter().copied().collect();
        heads.sort_unstable();
        out.rising(heads);
        write_compounds(&self.compounds, &mut out);
        out.bytes(self.patterns.patterns().as_flattened());
        out.bytes(&self.words.encode());
        out.bytes(&self.completion.encode());
        out.bytes(&self.attributes.encode());
        out.finish()
    }

    /// Reads a blob.
    ///
    /// # Errors
    ///
    /// If the blob is torn or of another version; count the products again.
    pub fn decode(blob: &[u8]) -> Result<Self, PackedFault> {
        let mut rest = Unpacker::new(blob, FORM)?;
        let products = rest.small()?;
        let mut average_lengths = [0.0; FIELDS];
        for average in &mut average_lengths {
            *average = round(rest.float()?);
        }
        let frequencies = read_counts(&mut rest)?;
        let modifier_counts = read_counts(&mut rest)?;
        let heads: WordSet = rest.rising()?.into_iter().collect();
        let compounds = read_compounds(&mut rest)?;
        let (patterns, _) = rest.bytes()?.as_chunks::<FIELDS>();
        let patterns: Vec<FrequencyPattern> = patterns.to_vec();
        let words = WordStatistics::decode(rest.bytes()?)?;
        let completion = CompletionStatistics::decode(rest.bytes()?)?;
        let attributes = AttributeStatistics::decode(rest.bytes()?).ok_or(PackedFault::Torn)?;
        Ok(Self {
            products,
            frequencies,
            average_lengths,
            patterns: Patterns::new(patterns),
            joinable: joinable_words(&words),
            heads: Arc::new(heads),
            compounds: Arc::new(compounds),
            modifier_counts,
            words: Arc::new(words),
            completion: Arc::new(completion),
            attributes: Arc::new(attributes),
            name: name_of(blob),
        })
    }
}

fn write_counts(counts: &WordMap<u32>, out: &mut Packer) {
    let mut keys: Vec<(u64, u32)> = counts.iter().map(|(key, count)| (*key, *count)).collect();
    keys.sort_unstable();
    out.rising(keys.iter().map(|(key, _)| *key));
    out.numbers(keys.iter().map(|(_, count)| u64::from(*count)));
}

fn read_counts(rest: &mut Unpacker<'_>) -> Result<WordMap<u32>, PackedFault> {
    let keys = rest.rising()?;
    let counts = rest.smalls()?;
    if keys.len() != counts.len() {
        return Err(PackedFault::Torn);
    }
    Ok(keys.into_iter().zip(counts).collect())
}

fn write_compounds(compounds: &PartsByWord, out: &mut Packer) {
    out.rising(compounds.keys().map(|number| u64::from(*number)));
    for CompoundParts { head_start, head, modifier } in compounds.values() {
        out.number(*head_start as u64);
        out.text(head);
        out.text(modifier);
    }
}

fn read_compounds(rest: &mut Unpacker<'_>) -> Result<PartsByWord, PackedFault> {
    let numbers = rest.rising()?.into_iter();
    let mut read = |number| {
        let head_start = rest.small()? as usize;
        let number = u32::try_from(number).map_err(|_| PackedFault::Torn)?;
        let parts =
            CompoundParts { head_start, head: rest.text()?.to_owned(), modifier: rest.text()?.to_owned() };
        Ok((number, parts))
    };
    numbers.map(&mut read).collect()
}

/// The name of the statistics in a blob: its checksum.
pub(super) fn name_of(blob: &[u8]) -> u64 {
    blob.last_chunk::<NAME_BYTES>().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
