//! Brand and categories of a product (its kin), and lists in which no kin has too many places.

use std::collections::HashMap;

use tantivy::DocId;

use crate::search::document::NameTable;
use crate::search::index::IndexFault;
use crate::search::index::snapshot::IndexSnapshot;
use crate::search::query::segment::TextColumn;

/// Brand and category of a product, by ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProductGroups {
    /// Its brand.
    pub brand: Option<String>,
    /// The first of its own categories.
    pub category: Option<String>,
}

/// Property that products have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupKind {
    /// Their brand.
    Brand,
    /// The first of their own categories.
    Category,
}

impl ProductGroups {
    /// Its brand or its category.
    #[must_use]
    pub fn into_id(self, of: GroupKind) -> Option<String> {
        match of {
            GroupKind::Brand => self.brand,
            GroupKind::Category => self.category,
        }
    }
}

/// Maximum number of products per brand and per category in a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Diversity {
    /// Maximum number of products per brand.
    pub brand: Option<usize>,
    /// Maximum number of products per category.
    pub category: Option<usize>,
}

/// A list while products are added to it.
#[derive(Debug, Default)]
pub struct DiversityLimiter<'s> {
    most: Diversity,
    brands: HashMap<String, usize>,
    categories: HashMap<String, usize>,
    /// Each product stands for its brand or category, which is one that may be recommended.
    stands_for: Option<(GroupKind, &'s NameTable)>,
}

impl<'s> DiversityLimiter<'s> {
    /// An empty list with these maxima.
    #[must_use]
    pub fn new(most: Diversity) -> Self {
        Self { most, ..Self::default() }
    }

    /// An empty list with one product of each recommendable brand or category, except one.
    #[must_use]
    pub fn one_of_each(of: GroupKind, named: &'s NameTable, but_for: Option<&str>) -> Self {
        let out: HashMap<_, _> = but_for.map(|id| (id.to_owned(), 1)).into_iter().collect();
        let one = Some(1);
        let spread = Self { stands_for: Some((of, named)), ..Self::default() };
        match of {
            GroupKind::Brand => {
                Self { most: Diversity { brand: one, category: None }, brands: out, ..spread }
            }
            GroupKind::Category => {
                Self { most: Diversity { brand: None, category: one }, categories: out, ..spread }
            }
        }
    }

    /// Counts a product, unless its kin has enough places. A product without a brand or category has no kin.
    pub fn takes(&mut self, kin: ProductGroups) -> bool {
        let may = |(of, named): (GroupKind, &NameTable)| {
            let id = kin.clone().into_id(of);
            id.is_some_and(|id| named.is_recommended(&id))
        };
        if !self.stands_for.is_none_or(may) {
            return false;
        }
        let has_room = |most: Option<usize>, counted: &HashMap<String, usize>, id: &Option<String>| {
            let count = id.as_ref().and_then(|id| counted.get(id)).copied().unwrap_or_default();
            most.is_none_or(|most| count < most)
        };
        let has_room = has_room(self.most.brand, &self.brands, &kin.brand)
            && has_room(self.most.category, &self.categories, &kin.category);
        if has_room {
            for (counted, id) in [(&mut self.brands, kin.brand), (&mut self.categories, kin.category)] {
                id.into_iter().for_each(|id| *counted.entry(id).or_default() += 1);
            }
        }
        has_room
    }
}

impl IndexSnapshot {
    /// Brand and category of a product; both `None` if no product has this id.
    ///
    /// # Errors
    /// If a file of the index cannot be read.
    pub fn kin(&self, id: &str) -> Result<ProductGroups, IndexFault> {
        self.locate_product(id)?.map_or_else(|| Ok(ProductGroups::default()), |place| self.kin_at(place))
    }

    pub(super) fn kin_at(&self, (segment, doc): (usize, DocId)) -> Result<ProductGroups, IndexFault> {
        let columns = self.segments[segment].columns();
        let first = |column: &TextColumn| {
            let ordinal: Vec<u64> = column.ordinals().values_for_doc(doc).take(1).collect();
            column.texts(&ordinal).map(|texts| texts.into_iter().next())
        };
        Ok(ProductGroups { brand: first(&columns.brand)?, category: first(&columns.categories)? })
    }
}
