//! Names of the words by which a product holds those of a query: another form, or the compound of which one is a part.

use crate::limits;
use crate::search::index_context::IndexContext;
use crate::search::query::matching::{MatchForm, QueryTermMatch};
use crate::search::query::plan::{PlannedWord, SearchPlan, WordAlternative};
use crate::search::text::TextToken;

/// Finder of the words by which a product holds those of a query.
pub(super) struct FormNames<'s> {
    pub(super) knowledge: &'s IndexContext,
    pub(super) plan: &'s SearchPlan,
}

impl FormNames<'_> {
    /// Names the forms of the words that a product holds, as its title or its description writes them.
    pub(super) fn name_forms(&self, held: &mut QueryTermMatch, texts: &[&str]) {
        for word in &mut held.words {
            let Some(planned) = self.plan.words.iter().find(|planned| planned.word == word.word) else {
                continue;
            };
            let stem = planned.stem.as_str();
            match word.form {
                MatchForm::Itself => {
                    let is_same = self.find(texts, &|token| token.word == word.word).is_some();
                    let other = if is_same { None } else { self.find(texts, &|token| token.stem == stem) };
                    word.form = other.map_or(MatchForm::Itself, MatchForm::OtherForm);
                }
                MatchForm::Part(_) => {
                    word.form = MatchForm::Part(self.find(texts, &|token| self.has_part(token, planned)));
                }
                _ => {}
            }
        }
    }

    fn has_part(&self, token: &TextToken<'_>, planned: &PlannedWord) -> bool {
        let compounds = self.knowledge.compounds();
        let is_part = |part: &str| part == planned.stem;
        if compounds.part_range(token.word, &is_part).is_some() {
            return true;
        }
        // Few words end so: only they are looked through.
        let has_ending = planned.alternatives.iter().any(|way| match way {
            WordAlternative::Ending(scored) => scored.term == token.stem,
            _ => false,
        });
        has_ending && compounds.ending_range(token.word, &is_part).is_some()
    }

    /// The first word of the beginning of the texts that passes the test, as it is written.
    fn find(&self, texts: &[&str], is_it: &dyn Fn(&TextToken<'_>) -> bool) -> Option<String> {
        let mut found = None;
        for text in texts {
            let text = &text[..text.floor_char_boundary(limits::SEARCH_MARKED_BYTES)];
            self.knowledge.analyser().for_each_word(text, &mut |token| {
                if found.is_none() && is_it(&token) {
                    found = text.get(token.start..token.end).map(str::to_owned);
                }
            });
        }
        found
    }
}
