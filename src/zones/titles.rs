//! Usual titles over the products of a zone. A title never claims what nobody did: one about others stands only over
//! products that others viewed or bought.

use crate::recommend::recommender::Recommender;

/// Products of a row on a page: so many that bear out the title are shown without the others of the zone.
const ROW_PRODUCTS: usize = 4;

/// Title over new products that stand in for others.
const NEW_HERE: &str = "new_here";
/// Titles that are true of any products, in the order in which they are used.
const NEUTRAL_TITLES: [&str; 2] = ["may_like", "more"];

/// Reasons that bear out the usual title of a recommender; none if the title claims nothing.
const fn supporting_reasons(recommender: Recommender) -> &'static [&'static str] {
    match recommender {
        Recommender::AlsoViewed => &["also_viewed"],
        Recommender::MostViewed => &["most_viewed"],
        Recommender::Similar => &["similar"],
        Recommender::BoughtTogether => &["bought_together"],
        Recommender::AlsoBought => &["also_bought", "bought_together"],
        Recommender::BestSellers => &["best_seller"],
        Recommender::Trending => &["trending"],
        Recommender::Default
        | Recommender::ForYou
        | Recommender::Category
        | Recommender::Brand
        | Recommender::NewArrivals
        | Recommender::RecentlyViewed
        | Recommender::BuyAgain => &[],
    }
}

/// Number of products to show: the leading ones that bear out the title if they fill a row and are at least `min`, else
/// all.
#[must_use]
pub fn count_shown(recommender: Recommender, reasons: &[&str], min: usize) -> usize {
    let evidence = supporting_reasons(recommender);
    let first = reasons.iter().take_while(|reason| evidence.contains(*reason)).count();
    if first >= ROW_PRODUCTS.max(min) { first } else { reasons.len() }
}

/// Names of the titles that are true of products with these reasons, the most specific first.
#[must_use]
pub fn title_names(recommender: Recommender, reasons: &[&str]) -> Vec<&'static str> {
    let evidence = supporting_reasons(recommender);
    if evidence.is_empty() {
        return vec![recommender.name()];
    }
    let own = Some(recommender.name()).filter(|_| reasons.iter().all(|reason| evidence.contains(reason)));
    let stand_in = match reasons {
        [first, rest @ ..] if rest.iter().all(|reason| reason == first) => match *first {
            "similar" => Some(Recommender::Similar.name()),
            "newest" => Some(NEW_HERE),
            _ => None,
        },
        _ => None,
    };
    own.or(stand_in).into_iter().chain(NEUTRAL_TITLES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::{Translations, UiLanguage};

    #[test]
    fn a_title_about_others_stands_over_what_others_did_alone() {
        let first = |recommender, reasons: &[&str]| title_names(recommender, reasons)[0];
        for (recommender, reason) in [
            (Recommender::AlsoViewed, "also_viewed"),
            (Recommender::MostViewed, "most_viewed"),
            (Recommender::BoughtTogether, "bought_together"),
            (Recommender::AlsoBought, "also_bought"),
            (Recommender::AlsoBought, "bought_together"),
            (Recommender::BestSellers, "best_seller"),
            (Recommender::Trending, "trending"),
        ] {
            assert_eq!(first(recommender, &[reason, reason]), recommender.name());
            assert_eq!(first(recommender, &["similar", "similar"]), "similar");
            assert_eq!(first(recommender, &["newest"]), "new_here");
            assert_eq!(first(recommender, &[reason, "similar"]), "may_like");
            assert_eq!(first(recommender, &["similar", "newest"]), "may_like");
        }
        assert_eq!(first(Recommender::BoughtTogether, &["also_bought"]), "may_like");
        assert_eq!(title_names(Recommender::ForYou, &["newest"]), ["for_you"]);
        assert_eq!(title_names(Recommender::Similar, &["similar"]), ["similar", "may_like", "more"]);
    }

    #[test]
    fn products_that_bear_out_their_title_stand_alone_where_they_fill_a_row() {
        let mixed = |first: usize| [vec!["trending"; first], vec!["newest"; 12 - first]].concat();
        let shown = |first, min| count_shown(Recommender::Trending, &mixed(first), min);
        assert_eq!([shown(0, 0), shown(3, 0), shown(4, 0), shown(12, 0)], [12, 12, 4, 12]);
        assert_eq!([shown(5, 5), shown(5, 6)], [5, 12], "a campaign wants so many");
        assert_eq!(count_shown(Recommender::ForYou, &mixed(4), 0), 12);
    }

    #[test]
    fn every_title_has_a_text_in_every_language() {
        for texts in UiLanguage::ALL.map(Translations::load) {
            let fallbacks = [NEW_HERE, NEUTRAL_TITLES[0], NEUTRAL_TITLES[1]];
            for name in Recommender::ALL.map(Recommender::name).into_iter().chain(fallbacks) {
                let key = format!("zone.{name}");
                assert_ne!(texts.translate(&key, &[]), key);
            }
        }
    }
}
