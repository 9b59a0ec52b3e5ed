//! Campaigns and the pages that they are for.

use serde_json::{Value, json};

use super::campaign::Campaign;
use super::{
    CampaignFault, CampaignList, NUMBERS, PREFIXES, PageKind, ZoneContext, ZonePage, parse_campaigns,
};
use crate::limits;

fn list(campaigns: &Value) -> CampaignList {
    let (_, text) =
        parse_campaigns(campaigns.as_array().expect("a list")).unwrap_or_else(|fault| panic!("{fault}"));
    CampaignList::from_stored(&text)
}

/// The ids of the campaigns of a zone, the usual one as a dash.
fn ids(list: &CampaignList, zone: &str, context: ZoneContext<'_>) -> String {
    let id = |campaign: &Campaign| if campaign.id.is_empty() { "-".to_owned() } else { campaign.id.clone() };
    list.list_for_zone(zone, context).iter().map(|campaign| id(campaign)).collect::<Vec<_>>().join(" ")
}

fn page_of_kind(kind: PageKind) -> ZonePage {
    ZonePage { kind: Some(kind), ..ZonePage::default() }
}

#[test]
fn the_usual_zones_show_something_without_a_campaign() {
    let page = ZonePage::default();
    let context = ZoneContext { page: &page, group: 0, now: 0 };
    let none = CampaignList::default();
    for prefix in PREFIXES {
        for number in NUMBERS {
            assert_eq!(ids(&none, &format!("{prefix}-{number:02}"), context), "-");
        }
    }
    assert_eq!(ids(&none, "hp-01", context), "-");
    for unknown in ["HP-00", "HP-05", "XX-01", "HP", "HP-", "HP-1000", "", "ü-01"] {
        assert_eq!(ids(&none, unknown, context), "", "{unknown}");
        assert!(!none.has_zone(unknown));
    }
}

#[test]
fn a_campaign_is_for_its_pages_alone() {
    let campaigns = list(&json!([
        {"Id": "shoes", "Zone": "PL-01", "Categories": ["c"], "Html": "shoes"},
        {"Id": "acme", "Zone": "PL-01", "Brands": ["b"], "Html": "acme"},
        {"Id": "one", "Zone": "PL-01", "Products": ["p"], "Html": "one"},
        {"Id": "home", "Zone": "pl-01", "Pages": ["homepage", "basket_page"], "Empty": true},
        {"Id": "other", "Zone": "PL-02", "Html": "other"},
        {"Id": "all", "Zone": "PL-01", "Html": "all"}]));
    let of_page = |page: ZonePage| ids(&campaigns, "PL-01", ZoneContext { page: &page, group: 0, now: 0 });
    assert_eq!(of_page(ZonePage::default()), "all -");
    assert_eq!(of_page(page_of_kind(PageKind::BasketPage)), "home all -");
    let own = || Some("c".to_owned());
    assert_eq!(of_page(ZonePage { category: own(), ..ZonePage::default() }), "shoes all -");
    assert_eq!(of_page(ZonePage { brand: own(), product: own(), ..ZonePage::default() }), "all -");
    assert_eq!(
        of_page(ZonePage { brand: Some("b".to_owned()), ..page_of_kind(PageKind::Homepage) }),
        "acme home all -"
    );
}

#[test]
fn a_campaign_has_its_time() {
    let campaigns = list(&json!([{"Id": "a", "Zone": "HP-01", "From": "1970-01-01T00:01:00Z", "Html": "a"},
        {"Id": "b", "Zone": "HP-01", "Until": "1970-01-01T00:02:00Z", "Html": "b"}]));
    let page = ZonePage::default();
    let at = |now| ids(&campaigns, "HP-01", ZoneContext { page: &page, group: 0, now });
    assert_eq!([at(59), at(60), at(119), at(120)], ["b -", "a b -", "a b -", "a -"]);
}

#[test]
fn a_campaign_is_for_its_share_of_the_visitors() {
    let campaigns = list(&json!([{"Id": "a", "Zone": "HP-01", "Share": 30, "Html": "a"}]));
    let page = ZonePage::default();
    let shown = (0..100).filter(|group| {
        ids(&campaigns, "HP-01", ZoneContext { page: &page, group: *group, now: 0 }) == "a -"
    });
    assert_eq!(shown.count(), 30);
}

#[test]
fn a_campaign_that_cannot_be_is_refused_with_a_sentence() {
    let refused = |changes: Value| {
        let mut campaign = json!({"Id": "a", "Zone": "HP-01"});
        campaign.as_object_mut().expect("an object").extend(changes.as_object().expect("an object").clone());
        parse_campaigns(&[campaign]).expect_err("it cannot be").to_string()
    };
    for (changes, sentence) in [
        (json!({}), "(a) needs one of ProductsShown, CategoriesShown, BrandsShown, Html, Images and Empty"),
        (json!({"Html": "a", "Empty": true}), "needs one of"),
        (json!({"Id": "", "Html": "a"}), "campaign 1 needs a Id"),
        (json!({"Zone": "x".repeat(2000), "Html": "a"}), "needs a Zone"),
        (json!({"Html": "a", "Tittle": "b"}), "has an unknown field `Tittle`"),
        (json!({"Html": "a", "Pages": ["home"]}), "has an unknown variant"),
        (json!({"Html": 1}), "has a field of the wrong type"),
        (json!({"Html": "a", "Share": 100}), "needs a Share of 1 to 99"),
        (json!({"Html": "a", "From": "soon"}), "needs a moment"),
        (
            json!({"Html": "a", "From": "2026-01-02T00:00:00Z", "Until": "2026-01-01T00:00:00Z"}),
            "ends before it begins",
        ),
        (json!({"Html": "write to anna@shop.test"}), "holds an email address"),
        (json!({"Html": "write to anna\\u0040shop.test"}), "holds an email address"),
        (json!({"Html": "<style>a:after{content:'anna\\40 shop.test'}</style>"}), "holds an email address"),
        (json!({"Html": "a\u{0}"}), "NUL character"),
        (json!({"Title": "a\nb", "Html": "a"}), "control character"),
        (json!({"Images": [{"Src": "javascript:alert(1)", "Alt": "a"}]}), "no path and no address"),
        (
            json!({"Images": [{"Src": "/a.png", "Alt": "a", "Link": "data:text/html,x"}]}),
            "no path and no address",
        ),
        (json!({"Images": [{"Src": "", "Alt": "a"}]}), "a picture without Src"),
        (json!({"Images": [{"Src": "/a.png"}]}), "has a missing field `Alt`"),
        (json!({"Html": "a", "BrandsShown": {}}), "needs one of"),
        (json!({"CategoriesShown": {"Size": 51}}), "needs a CategoriesShown.Size of 1 to 50"),
        (json!({"BrandsShown": {"Size": 4, "Min": 5}}), "needs a BrandsShown.Min that is no more"),
        (json!({"BrandsShown": {"Recommender": "brand"}}), "has an unknown field `Recommender`"),
        (json!({"BrandsShown": {}, "Template": "a"}), "has a Template, which draws ProductsShown"),
        (json!({"Empty": true, "Popup": true}), "has Popup, which shows Html"),
        (json!({"Html": "a", "Popup": true}), "has Popup without a Title"),
        (json!({"ProductsShown": {"Recommender": "best"}}), "has an unknown variant"),
        (json!({"ProductsShown": {"Size": 0}}), "needs a ProductsShown.Size"),
        (json!({"ProductsShown": {"Size": 4, "Min": 5}}), "Min that is no more than its Size"),
        (
            json!({"ProductsShown": {"Filters": {"Categry": ["x"]}}}),
            "has a filter that cannot be: Filters.Categry: is not known",
        ),
        (json!({"ProductsShown": {"Filters": {"Price": 5}}}), "has a filter that cannot be: Filters.Price"),
        (json!({"ProductsShown": {"Filters": {"Attributes": 1}}}), "Attributes that are no object"),
        (
            json!({"ProductsShown": {"Filters": {"Brand": ["b"]}, "Within": "brand"}}),
            "Within beside a filter by Brand",
        ),
    ] {
        let said = refused(changes.clone());
        assert!(said.starts_with("Campaigns: campaign 1") && said.contains(sentence), "{changes}: {said}");
    }
    let one = json!({"Id": "a", "Zone": "HP-01", "Html": "a"});
    let twice = parse_campaigns(&[one.clone(), one]).expect_err("one id");
    assert_eq!(twice.to_string(), "Campaigns: campaign 2 (a) has the Id of a campaign before it");
    let many = vec![json!({}); crate::limits::CAMPAIGNS + 1];
    assert!(parse_campaigns(&many).expect_err("too many").to_string().contains("up to 500"));
}

#[test]
fn what_is_stored_is_what_was_sent() {
    let sent = json!([{"Id": "a", "Zone": "HP-01", "ProductsShown": {"Recommender": "similar"}},
        {"Id": "b", "Zone": "HP-01", "Share": 50, "ProductsShown": {}},
        {"Id": "c", "Zone": "HP-01", "Images": [{"Src": "/a.png", "Alt": ""}], "Pages": ["homepage"]},
        {"Id": "d", "Zone": "HP-01", "CategoriesShown": {"Size": 4}}, {"Id": "e", "Zone": "HP-01", "BrandsShown": {}},
        {"Id": "f", "Zone": "HP-01", "Title": "Sale", "Html": "f", "Popup": true},
        {"Id": "g", "Zone": "HP-01", "ProductsShown": {"Swatches": true}}]);
    let (_, text) = parse_campaigns(sent.as_array().expect("a list")).expect("they can be");
    assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), sent);
    // A campaign that a newer version wrote is dropped, and the others stay.
    let newer = r#"[{"Id":"a","Zone":"HP-01","Later":1},{"Id":"b","Zone":"HP-01","Html":"b"}]"#;
    let page = ZonePage::default();
    assert_eq!(
        ids(&CampaignList::from_stored(newer), "HP-01", ZoneContext { page: &page, group: 0, now: 0 }),
        "b -"
    );
}

#[test]
fn campaigns_are_so_long_together_and_no_longer() {
    let campaigns = |bytes: usize| -> Vec<Value> {
        let campaign =
            |number| json!({"Id": format!("c{number:03}"), "Zone": "HP-01", "Html": "x".repeat(bytes)});
        (0..limits::CAMPAIGNS).map(campaign).collect()
    };
    let each = limits::CAMPAIGNS_BYTES / limits::CAMPAIGNS;
    assert!(parse_campaigns(&campaigns(each - 100)).is_ok());
    assert!(matches!(parse_campaigns(&campaigns(each)), Err(CampaignFault::Bytes)));
}

#[test]
fn a_template_of_all_zones_draws_where_it_holds() {
    let campaigns = list(&json!([
        {"Id": "all", "Zone": "*", "From": "1970-01-01T00:01:00Z", "Until": "1970-01-01T00:02:00Z", "Template": "all"}]));
    let page = ZonePage::default();
    let draws = |now| {
        let context = ZoneContext { page: &page, group: 0, now };
        let usual = campaigns.list_for_zone("HP-01", context).pop().expect("the usual one");
        campaigns.template(&usual, context).is_some()
    };
    assert_eq!([59, 60, 119, 120].map(draws), [false, true, true, false]);
}

#[test]
fn the_first_template_of_all_zones_that_holds_draws() {
    let campaigns = list(&json!([
        {"Id": "later", "Zone": "*", "From": "1970-01-01T00:01:00Z", "Template": "later"},
        {"Id": "first", "Zone": "*", "Template": "first"},
        {"Id": "second", "Zone": "*", "Template": "second"},
        {"Id": "own", "Zone": "HP-02", "ProductsShown": {}, "Template": "own"}]));
    let page = ZonePage::default();
    let drawn = |zone: &str, now| {
        let context = ZoneContext { page: &page, group: 0, now };
        let first = campaigns.list_for_zone(zone, context).into_iter().next().expect("one");
        let template = campaigns.template(&first, context).expect("a template");
        template.render(&super::template::TemplateValues { zone, title: "", items: &[] }).expect("html")
    };
    assert_eq!([drawn("HP-01", 0), drawn("HP-01", 60), drawn("HP-02", 60)], ["first", "later", "own"]);
}

#[test]
fn each_text_of_a_campaign_and_each_share_has_its_bounds() {
    let parse = |changes: &Value| {
        let mut campaign = json!({"Id": "a", "Zone": "HP-01", "Html": "a"});
        campaign.as_object_mut().expect("an object").extend(changes.as_object().expect("an object").clone());
        parse_campaigns(&[campaign]).map(drop).map_err(|fault| fault.to_string())
    };
    let most = limits::CAMPAIGN_TEXT_BYTES;
    let picture = |name: &str, text: &str| {
        let mut picture = json!({"Src": "/a.png", "Alt": "a"});
        picture[name] = text.into();
        json!({"Html": "", "Images": [{"Src": "/first.png", "Alt": "a"}, picture]})
    };
    let with = |name: &str, text: &str| match name {
        "Id" | "Zone" | "Title" => json!({ name: text }),
        "Src" | "Alt" | "Link" => picture(name, &format!("/{}", &text[1..])),
        _ => json!({ name: ["b", text] }),
    };
    for name in ["Id", "Zone", "Title", "Categories", "Brands", "Products", "Src", "Alt", "Link"] {
        assert_eq!(parse(&with(name, &"x".repeat(most))), Ok(()), "{name}");
        for wrong in ["x".repeat(most + 1), "x\ny".to_owned()] {
            assert!(parse(&with(name, &wrong)).is_err(), "{name}");
        }
    }
    let taken = [0, 1, 99, 100].map(|share| parse(&json!({ "Share": share })).is_ok());
    assert_eq!(taken, [false, true, true, false]);
    // A browser reads it as the beginning of another site.
    assert!(
        parse(&picture("Src", "/\\evil.test/a.png"))
            .is_err_and(|fault| fault.contains("no path and no address"))
    );
    let sizes = [0, 1, limits::ZONE_ITEMS, limits::ZONE_ITEMS + 1];
    for name in ["ProductsShown", "CategoriesShown", "BrandsShown"] {
        let taken = sizes.map(|size| parse(&json!({"Html": "", name: {"Size": size, "Min": size}})).is_ok());
        assert_eq!(taken, [false, true, true, false], "{name}");
    }
}

#[test]
fn a_list_page_shows_its_own_category_without_a_campaign() {
    let products =
        |zone: &str| super::default_campaign(zone).and_then(|usual| usual.products_shown).expect("products");
    let recommenders =
        |prefix: &str| [1, 2, 3, 4].map(|number| products(&format!("{prefix}-{number}")).recommender.name());
    assert_eq!(recommenders("hp"), ["for_you", "trending", "best_sellers", "new_arrivals"]);
    assert_eq!(recommenders("PP"), ["also_viewed", "bought_together", "similar", "recently_viewed"]);
    for prefix in PREFIXES {
        let within = products(&format!("{prefix}-04")).within;
        assert_eq!(within, ["PL", "CP"].contains(&prefix).then_some(super::Within::Category), "{prefix}");
    }
}

#[test]
fn what_a_zone_says_of_its_page_comes_before_what_the_page_says() {
    let page = |product: Option<&str>, brand: Option<&str>, kind| {
        let [product, brand] = [product, brand].map(|id| id.map(str::to_owned));
        ZonePage { kind, product, category: brand.clone(), brand }
    };
    let both =
        page(Some("own"), None, None).completed_by(page(Some("other"), Some("b"), Some(PageKind::Homepage)));
    assert_eq!(both, page(Some("own"), Some("b"), Some(PageKind::Homepage)));
}

#[test]
fn campaigns_take_their_bytes_and_not_one_more() {
    let parse = |bytes: usize| {
        let read = parse_campaigns(&[json!({"Id": "a", "Zone": "HP-01", "Html": "x".repeat(bytes)})]);
        read.map(|(campaigns, text)| (campaigns.len(), text.len()))
    };
    let Ok((1, around)) = parse(1) else { panic!("it can be") };
    let most = limits::CAMPAIGNS_BYTES - around + 1;
    assert_eq!(parse(most), Ok((1, limits::CAMPAIGNS_BYTES)));
    assert_eq!(parse(most + 1), Err(CampaignFault::Bytes));
}

#[test]
fn a_kind_of_page_is_known_by_its_name_in_any_case() {
    let kinds = ["product_page", " Product_Page\n", "HOMEPAGE", "product page", "ProductPage", ""];
    let known = kinds.map(PageKind::from_name);
    let product = Some(PageKind::ProductPage);
    assert_eq!(known, [product, product, Some(PageKind::Homepage), None, None, None]);
}
