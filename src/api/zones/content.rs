//! Content of a campaign: products, categories, brands, texts and pictures.

use html_escape::encode_double_quoted_attribute as escaped;
use serde_json::{Value, json};

use super::filler::{Filler, PageZonesRequest, source_of};
use super::item::{self, WantedFields};
use super::pending_rows::{self, PendingZone};
use crate::feeds::section::Section;
use crate::personalise::fallbacks::Recommending;
use crate::personalise::ranked::Reason;
use crate::personalise::request::RecommendRequest;
use crate::personalise::viewed_variants::list_viewed_variants;
use crate::recommend::recommender::Recommender;
use crate::search::document::ObjectWriter;
use crate::search::engine::{GroupKind, ProductConstraints, ProductResult};
use crate::search::query::facets::check_currency;
use crate::search::query::filters::Filters;
use crate::transport::refusal::Refusal;
use crate::zones::template::{Template, TemplateValues};
use crate::zones::{
    Campaign, CampaignItemCount, CampaignPicture, CampaignProducts, Within, ZonePage, titles,
};

/// Content that a campaign shows.
pub(super) enum ZoneContent {
    /// As clients read it.
    Ready(String),
    /// Without the parts that are only in the catalogue's rows.
    Waiting(PendingZone),
    /// Nothing, as it wants.
    Empty,
}

impl Filler<'_> {
    /// Content of a campaign, or the reason why it has nothing to show here.
    pub(super) fn content(
        &mut self,
        campaign: &Campaign,
        template: Option<&Template>,
        page: &ZonePage,
        filling: &PageZonesRequest,
    ) -> Result<Result<ZoneContent, &'static str>, Refusal> {
        if let Some(products) = &campaign.products_shown {
            return self.products((campaign, products), template, page, filling);
        }
        for (of, kinds) in
            [(GroupKind::Category, &campaign.categories_shown), (GroupKind::Brand, &campaign.brands_shown)]
        {
            if let Some(kinds) = kinds {
                return self.kinds(of, (campaign, kinds), page, filling);
            }
        }
        let Some(zone) = render_static(campaign).map(|zone| zone.to_string()) else {
            return Ok(Ok(ZoneContent::Empty));
        };
        let has_room = self.room.try_take(zone.len());
        self.is_cut |= !has_room;
        Ok(Ok(if has_room { ZoneContent::Ready(zone) } else { ZoneContent::Empty }))
    }

    /// Request with the products that the shopper is known to look at, and to want.
    fn recommend_request(&self, page: &ZonePage, filling: &PageZonesRequest) -> RecommendRequest {
        RecommendRequest {
            items: filling.viewed.clone(),
            shopper: filling.shopper,
            product: page.product.clone(),
            knows_page: true,
            basket: filling.basket.clone(),
            ..RecommendRequest::default()
        }
    }

    fn conditions<'w>(&'w self, filters: &'w Filters) -> ProductConstraints<'w> {
        let rules = self.known.search.rules.rules();
        ProductConstraints { filters, rules, caller: &self.caller, viewed: None }
    }

    /// Categories or brands, but for that of the page.
    fn kinds(
        &mut self,
        of: GroupKind,
        (campaign, &CampaignItemCount { size, min }): (&Campaign, &CampaignItemCount),
        page: &ZonePage,
        filling: &PageZonesRequest,
    ) -> Result<Result<ZoneContent, &'static str>, Refusal> {
        let asked = RecommendRequest { size, min, ..self.recommend_request(page, filling) };
        let filters = Filters::default();
        let wanted = self.conditions(&filters);
        let focus = self.known.search.bought_together;
        let recommending = Recommending { asked: &asked, snapshot: self.snapshot, wanted: &wanted, focus };
        let (named, own) = match of {
            GroupKind::Category => (&self.shop.categories, &page.category),
            GroupKind::Brand => (&self.shop.brands, &page.brand),
        };
        let ids = recommending.kin(self.model, of, named, own.as_deref())?;
        if ids.is_empty() {
            return Ok(Err("there are no categories or brands of products, or fewer than its Min"));
        }
        let (section, kind, name) = match of {
            GroupKind::Category => (Section::Categories, "recommender-category", "categories"),
            GroupKind::Brand => (Section::Brands, "recommender-brand", "brands"),
        };
        let title = self.title(campaign, name);
        let mut zone = ObjectWriter::default();
        zone.member("type", &kind);
        zone.member("title", &title);
        let items = pending_rows::kinds(section, ids, named, &filling.needed, &mut self.room);
        self.is_cut |= items.is_cut;
        let items = items.items;
        let is_described = filling.needed.has("Description");
        Ok(Ok(ZoneContent::Waiting(PendingZone { zone, section, items, is_described })))
    }

    /// Title over the items of a campaign: its own, or the usual one for items of that name.
    fn title(&self, campaign: &Campaign, name: &str) -> String {
        match &*campaign.title {
            "" => item::title(name, self.known.search.language()),
            title => title.to_owned(),
        }
    }

    /// Title over products. A usual title that claims what others did stands only over products that bear it out; where
    /// these fill a row, the others are left out.
    fn title_products(
        &mut self,
        campaign: &Campaign,
        products: &CampaignProducts,
        found: &mut Vec<(ProductResult, Reason)>,
    ) -> String {
        if !campaign.title.is_empty() {
            return campaign.title.clone();
        }
        let mut reasons: Vec<_> = found.iter().map(|(_, reason)| reason.code).collect();
        let count = titles::count_shown(products.recommender, &reasons, products.min);
        reasons.truncate(count);
        found.truncate(count);
        let names = titles::title_names(products.recommender, &reasons);
        // Two rows of a page do not say the same.
        let fresh = names.iter().find(|name| !self.titled.contains(*name));
        let name = fresh.or(names.last()).copied().unwrap_or_default();
        self.titled.push(name);
        item::title(name, self.known.search.language())
    }

    fn products(
        &mut self,
        (campaign, products): (&Campaign, &CampaignProducts),
        template: Option<&Template>,
        page: &ZonePage,
        filling: &PageZonesRequest,
    ) -> Result<Result<ZoneContent, &'static str>, Refusal> {
        let Ok(filters) = self.filters(products, page) else {
            return Ok(Err("its Filters have an invalid value, or a price without a currency"));
        };
        if filters.has_unheld(self.snapshot.knowledge().columns()) {
            return Ok(Err("its Filters name an attribute that no product has"));
        }
        let is_own = matches!(products.recommender, Recommender::RecentlyViewed | Recommender::BuyAgain);
        let asked = RecommendRequest {
            recommender: products.recommender,
            exclude: if is_own { Vec::new() } else { self.taken.clone() },
            size: products.size,
            min: products.min,
            ..self.recommend_request(page, filling)
        };
        let viewed = self.model.with_model(|model, _| list_viewed_variants(model, &asked));
        let wanted = ProductConstraints { viewed: Some(&viewed), ..self.conditions(&filters) };
        let focus = self.known.search.bought_together;
        let recommending = Recommending { asked: &asked, snapshot: self.snapshot, wanted: &wanted, focus };
        let mut found = recommending.items(self.model)?;
        if found.is_empty() {
            return Ok(Err("there are no products, or fewer than its Min"));
        }
        let title = self.title_products(campaign, products, &mut found);
        // A history stays in the order of time.
        if products.recommender != Recommender::RecentlyViewed {
            found.sort_by_key(|(item, _)| !item.in_stock);
        }
        self.taken.extend(found.iter().map(|(item, _)| item.id.clone()));
        let language = self.known.search.language();
        let source = source_of(campaign).map(|source| source.to_string()).unwrap_or_default();
        let json = |item: &ProductResult, needed: &WantedFields| item::json(item, &source, language, needed);
        let mut items = Vec::with_capacity(found.len());
        for (item, _) in &found {
            let Some(json) = self.or_damaged(json(item, &filling.needed)) else { continue };
            if self.room.try_take(json.len()) {
                items.push((item.id.clone(), json));
            } else {
                self.is_cut = true;
            }
        }
        let mut zone = ObjectWriter::default();
        zone.member("type", &"recommender-product");
        zone.member("title", &title);
        if let Some(template) = template {
            // It renders any field.
            let whole = found.iter().filter_map(|(item, _)| self.or_damaged(json(item, &WantedFields::All)));
            let items: Vec<_> = whole.map(|item| item::for_html(&item)).collect();
            match template.render(&TemplateValues { zone: &campaign.zone, title: &title, items: &items }) {
                Ok(html) if !self.room.try_take(html.len()) => self.is_cut = true,
                Ok(html) => zone.member("html", &html),
                // A page has its own way to draw them.
                Err(why) => self.undrawn = Some(why),
            }
        }
        let waiting = PendingZone { zone, section: Section::Products, items, is_described: true };
        let is_whole = !products.swatches;
        Ok(Ok(if is_whole {
            ZoneContent::Ready(waiting.into_text()?)
        } else {
            ZoneContent::Waiting(waiting)
        }))
    }

    /// JSON of a product. A damaged product is left out and logged.
    fn or_damaged(&self, written: Result<String, serde_json::Error>) -> Option<String> {
        if written.is_err() {
            tracing::error!(account = self.known.account.id.0, "a product of the index is damaged");
        }
        written.ok()
    }

    /// Conditions that the products have to meet: those of the campaign, and the category or brand of the page.
    fn filters(&self, products: &CampaignProducts, page: &ZonePage) -> Result<Filters, Refusal> {
        let mut filters = Value::Object(products.filters.clone());
        let kin = match products.within {
            Some(Within::Category) => page.category.as_ref().map(|id| ("Category", id)),
            Some(Within::Brand) => page.brand.as_ref().map(|id| ("Brand", id)),
            None => None,
        };
        if let Some((name, id)) = kin {
            filters[name] = json!([id]);
        }
        let filters = Filters::parse(&filters, self.snapshot.knowledge().columns())?;
        check_currency(&filters, &[], self.caller.currency.is_some())?;
        Ok(filters)
    }
}

/// Renders a campaign that shows nothing of the catalogue; `None` if it shows nothing at all.
fn render_static(campaign: &Campaign) -> Option<Value> {
    let Campaign { id, title, html, .. } = campaign;
    Some(match &*campaign.images {
        [] if campaign.empty => return None,
        [] if campaign.popup => json!({"type": "popup", "id": id, "title": title, "html": html}),
        [] => json!({"type": "html", "html": html}),
        [one] => json!({"type": "staticimage", "html": picture(one)}),
        several => {
            let all: String = several.iter().map(|image| format!("<li>{}</li>", picture(image))).collect();
            json!({"type": "carousel", "html": format!("<ul>{all}</ul>")})
        }
    })
}

fn picture(CampaignPicture { src, alt, link }: &CampaignPicture) -> String {
    let image = format!("<img src=\"{}\" alt=\"{}\">", escaped(src), escaped(alt));
    if link.is_empty() { image } else { format!("<a href=\"{}\">{image}</a>", escaped(link)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_campaign_without_products_shows_its_text_or_its_pictures_or_nothing() {
        let picture = |src: &str, link: &str| CampaignPicture {
            src: src.to_owned(),
            alt: "A \"b\" & c".to_owned(),
            link: link.to_owned(),
        };
        let text = Campaign {
            id: "c".to_owned(),
            title: "T".to_owned(),
            html: "<p>x</p>".to_owned(),
            ..Campaign::default()
        };
        let one = r#"<img src="/1" alt="A &quot;b&quot; &amp; c">"#;
        let two = r#"<a href="/x?a&amp;b"><img src="/2" alt="A &quot;b&quot; &amp; c"></a>"#;
        let images = vec![picture("/1", ""), picture("/2", "/x?a&b")];
        for (campaign, expected) in [
            (text.clone(), Some(json!({"type": "html", "html": "<p>x</p>"}))),
            (
                Campaign { popup: true, ..text.clone() },
                Some(json!({"type": "popup", "id": "c", "title": "T", "html": "<p>x</p>"})),
            ),
            (Campaign { empty: true, popup: true, ..text.clone() }, None),
            (
                Campaign { images: images[..1].to_vec(), popup: true, ..text.clone() },
                Some(json!({"type": "staticimage", "html": one})),
            ),
            (
                Campaign { images: images[1..].to_vec(), ..text.clone() },
                Some(json!({"type": "staticimage", "html": two})),
            ),
            (
                Campaign { images, ..text },
                Some(json!({"type": "carousel", "html": format!("<ul><li>{one}</li><li>{two}</li></ul>")})),
            ),
        ] {
            assert_eq!(render_static(&campaign), expected);
        }
    }
}
