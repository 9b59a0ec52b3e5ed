//! `lethe recommend`: recommendations as on a shop's page.

use serde_json::{Value, json};

use super::account::text;
use super::api::{AccountOption, Api};
use super::context::CommandContext;
use super::fault::CliFault;
use super::print::print_line;
use super::search::{filters, hit_row};
use super::table::{row, table};
use super::view::items;

/// A question for recommendations.
#[derive(clap::Args)]
#[command(after_help = "\
Recommenders: default, for_you, also_viewed, similar, bought_together, also_bought, best_sellers, trending,
most_viewed, category, brand, new_arrivals, recently_viewed, buy_again. Filters are those of a search.

Examples:
  lethe recommend 4711 --account myshop           # to who looks at this product
  lethe recommend 12 4711 --filter InStock=true   # to who looked at 12 before
  lethe recommend --recommender most_viewed --size 20 --json")]
pub struct Recommend {
    /// Ids of the products that the shopper looked at, the newest last
    items: Vec<String>,
    /// A session, as the answer to events names it, instead of items
    #[arg(long, conflicts_with = "items", value_name = "ID")]
    session: Option<String>,
    /// Name of the recommender
    #[arg(long, default_value = "default", value_name = "NAME")]
    recommender: String,
    /// A filter, NAME=VALUE; may be repeated
    #[arg(long = "filter", value_name = "NAME=VALUE")]
    filters: Vec<String>,
    /// A product that is not wanted; may be repeated
    #[arg(long, value_name = "ID")]
    exclude: Vec<String>,
    /// Currency of prices, such as EUR
    #[arg(long, value_name = "CODE")]
    currency: Option<String>,
    /// Number of products
    #[arg(long, default_value_t = 10)]
    size: u32,
    /// Most products of one brand, as long as there are others
    #[arg(long, value_name = "COUNT")]
    of_brand: Option<u32>,
    /// Most products of one category, as long as there are others
    #[arg(long, value_name = "COUNT")]
    of_category: Option<u32>,
    #[command(flatten)]
    whose: AccountOption,
}

/// Asks and prints the products with their reasons.
///
/// # Errors
/// When a filter is malformed, or the server cannot be asked or refuses.
pub async fn run(context: &CommandContext, options: &Recommend) -> Result<(), CliFault> {
    let mut asked = json!({"Recommender": options.recommender, "Items": options.items, "Size": options.size,
        "Exclude": options.exclude, "Filters": filters(&options.filters)?,
        "Diversity": {"Brand": options.of_brand, "Category": options.of_category}});
    for (name, text) in [("SessionId", &options.session), ("Currency", &options.currency)] {
        if let Some(text) = text {
            asked[name] = text.as_str().into();
        }
    }
    let found = Api::open(context, &options.whose)?.post("/api/recommend", &asked).await?;
    if context.json {
        print_line(&found);
        return Ok(());
    }
    let mut rows = vec![row(["Id", "Price", "Stock", "Title", "Why"])];
    rows.extend(items(&found["Items"]).map(|item| {
        let mut columns = hit_row(item);
        columns.push(reason_in_words(&item["Reason"]));
        columns
    }));
    table(&rows).iter().for_each(print_line);
    Ok(())
}

/// A reason in words.
fn reason_in_words(reason: &Value) -> String {
    let product = text(reason, "Product");
    match text(reason, "Code") {
        "viewed_before" => "looked at before".to_owned(),
        "viewed_next" => format!("looked at right after {product}"),
        "alike_sessions" => "in sessions like this one".to_owned(),
        "viewed_near" => format!("near what is looked at beside {product}"),
        "also_viewed" => format!("looked at beside {product}"),
        "similar" => format!("like {product}"),
        "most_viewed" => "looked at by many".to_owned(),
        "bought_together" if product.is_empty() => "bought with what is in the basket".to_owned(),
        "bought_together" => format!("bought with {product}"),
        "also_bought" if product.is_empty() => "bought by who bought what is in the basket".to_owned(),
        "also_bought" => format!("bought by who bought {product}"),
        "bought_before" => "bought before".to_owned(),
        "for_you" => "from all that the shopper looked at".to_owned(),
        "best_seller" => "in many orders".to_owned(),
        "trending" => "looked at more than it was".to_owned(),
        "in_category" => format!("in the category of {product}"),
        "of_brand" => format!("of the brand of {product}"),
        "newest" => "new".to_owned(),
        code => code.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_its_words() {
        for (code, product, words) in [
            ("viewed_before", "", "looked at before"),
            ("viewed_next", "4711", "looked at right after 4711"),
            ("alike_sessions", "", "in sessions like this one"),
            ("viewed_near", "4711", "near what is looked at beside 4711"),
            ("also_viewed", "4711", "looked at beside 4711"),
            ("similar", "4711", "like 4711"),
            ("most_viewed", "", "looked at by many"),
            ("bought_together", "", "bought with what is in the basket"),
            ("bought_together", "4711", "bought with 4711"),
            ("also_bought", "", "bought by who bought what is in the basket"),
            ("also_bought", "4711", "bought by who bought 4711"),
            ("bought_before", "", "bought before"),
            ("for_you", "", "from all that the shopper looked at"),
            ("best_seller", "", "in many orders"),
            ("trending", "", "looked at more than it was"),
            ("in_category", "4711", "in the category of 4711"),
            ("of_brand", "4711", "of the brand of 4711"),
            ("newest", "", "new"),
            ("one_of_a_newer_server", "4711", "one_of_a_newer_server"),
        ] {
            assert_eq!(
                reason_in_words(&json!({"Code": code, "Product": product})),
                words,
                "{code} {product}"
            );
        }
    }
}
