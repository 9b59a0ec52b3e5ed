//! Contents of a page's zones.

use std::sync::Arc;
use std::time::Instant;

use serde_json::value::RawValue;

use super::content::ZoneContent;
use super::filler::{Filler, PageZonesRequest, source_of};
use super::pending_rows::{self, PendingZone, text_of};
use crate::accounts::KnownAccount;
use crate::api::search::{AnswerRoom, in_turn};
use crate::limits;
use crate::node::Node;
use crate::personalise::account_model::model_or_empty;
use crate::projections::search::SearchView;
use crate::reports::attribution::AttributionSource;
use crate::search::document::ObjectWriter;
use crate::search::pricing::{BuyerContext, QueryPurpose};
use crate::transport::refusal::Refusal;
use crate::zones::{CampaignList, ZoneContext, ZonePage};

/// A zone and its content.
pub struct Filled {
    /// The zone.
    pub zone: String,
    /// The id of the campaign; empty for the zone's content without a campaign.
    pub campaign: String,
    /// Source under which it counts in reports.
    pub source: Option<AttributionSource>,
    /// The object that clients read. `None`: nothing stands there.
    pub content: Option<String>,
    /// The content while it lacks rows of the catalogue: there is none any more when [`fill_zones`] is through.
    waiting: Option<PendingZone>,
    /// Reasons why campaigns before it were passed over, each with its id; and why its template does not draw it.
    pub passed: Vec<(String, &'static str)>,
    /// True if there is such a zone.
    pub is_known: bool,
    /// True if it lacks something for which the answer has no room.
    pub is_cut: bool,
}

impl Filled {
    /// Returns true if the zone has content, or will have.
    const fn is_something(&self) -> bool {
        self.content.is_some() || self.waiting.is_some()
    }
}

/// Contents of a page's zones.
pub struct FilledPage {
    /// An object by the ids of the zones.
    pub zones: Box<RawValue>,
    /// Sources that reports count.
    pub seen: Vec<AttributionSource>,
    /// True if something had no room in it.
    pub is_cut: bool,
}

/// The zones of a page in JSON, without the empty ones; the clients read an object by their ids. Also returns what
/// reports count.
///
/// # Errors
/// A refusal when there is no turn in time, or the search's index cannot be used.
pub async fn fill_page(
    node: &Node,
    known: &Arc<KnownAccount>,
    caller: BuyerContext,
    filling: PageZonesRequest,
) -> Result<FilledPage, Refusal> {
    let campaigns = known.campaigns.clone();
    let asked = filling.zones.len();
    let filled = async {
        let all = fill_zones(node, known, caller, move || Ok(campaigns), filling).await?;
        all.iter().for_each(count_one);
        let is_cut = all.iter().any(|filled| filled.is_cut);
        let mut seen: Vec<_> = all.iter().filter_map(|filled| filled.source.clone()).collect();
        seen.dedup();
        let shown = all.into_iter().filter_map(|filled| filled.content.map(|content| (filled.zone, content)));
        let mut object = ObjectWriter::default();
        shown.for_each(|(zone, content)| object.raw(&zone, &content));
        let zones = RawValue::from_string(text_of(object)?).map_err(|_| Refusal::fault())?;
        Ok(FilledPage { zones, seen, is_cut })
    };
    let longest = limits::ZONES_WAIT_DURATION;
    let filled = tokio::time::timeout(longest, filled).await.unwrap_or_else(|_| Err(Refusal::busy()));
    if let Err(refusal) = &filled {
        count("left_out", asked);
        tracing::warn!(
            account = known.account.id.0,
            why = refusal.sentence(),
            "the zones of a page were left out"
        );
    }
    filled
}

/// Finds the content of zones with these `campaigns`, in the account's turn.
///
/// # Errors
/// As [`fill_page`].
pub async fn fill_zones(
    node: &Node,
    known: &Arc<KnownAccount>,
    caller: BuyerContext,
    campaigns: impl FnOnce() -> Result<Arc<CampaignList>, Refusal> + Send + 'static,
    filling: PageZonesRequest,
) -> Result<Vec<Filled>, Refusal> {
    let account = known.account.id;
    let turn_of = filling.turn_of;
    let SearchView { snapshot, shop, .. } = node.derived.searches().get_or_open(account).await?;
    let model = model_or_empty(node, account).await;
    let caller = BuyerContext { purpose: QueryPurpose::Recommendation, ..caller };
    let set = known.clone();
    let work = move || {
        let campaigns = campaigns()?;
        let begun = Instant::now();
        let mut page = Filler {
            known: &set,
            snapshot: &snapshot,
            shop: &shop,
            model: &model,
            caller,
            begun,
            taken: Vec::new(),
            titled: Vec::new(),
            undrawn: None,
            room: AnswerRoom::default(),
            is_cut: false,
        };
        let zones = filling.zones.iter();
        let all = zones.map(|(zone, of)| page.fill(zone, of, &campaigns, &filling));
        Ok((all.collect::<Result<Vec<_>, Refusal>>()?, page.room))
    };
    let (mut all, room) = in_turn(node, turn_of, work).await?;
    let (places, waiting): (Vec<_>, Vec<_>) =
        all.iter_mut().enumerate().filter_map(|(at, filled)| Some((at, filled.waiting.take()?))).unzip();
    for (at, completed) in places.into_iter().zip(pending_rows::complete(node, turn_of, waiting, room).await?)
    {
        all[at].content = completed.content;
        all[at].is_cut |= completed.is_cut;
    }
    Ok(all)
}

impl Filler<'_> {
    fn fill(
        &mut self,
        zone: &str,
        page: &ZonePage,
        campaigns: &CampaignList,
        filling: &PageZonesRequest,
    ) -> Result<Filled, Refusal> {
        let context = ZoneContext { page, group: filling.group, now: self.caller.now };
        let is_known = campaigns.has_zone(zone);
        let mut filled = Filled {
            zone: zone.to_owned(),
            campaign: String::new(),
            source: None,
            content: None,
            waiting: None,
            passed: Vec::new(),
            is_known,
            is_cut: false,
        };
        self.is_cut = false;
        let mut control = None;
        for campaign in campaigns.list_for_zone(zone, context) {
            if campaign.is_for_every_zone() {
                control = Some(campaign.into_owned().id);
                continue;
            }
            let is_too_many = filled.passed.len() >= limits::ZONE_CAMPAIGNS_TRIED;
            if is_too_many || self.begun.elapsed() > limits::ZONES_WAIT_DURATION {
                filled
                    .passed
                    .push((campaign.id.clone(), "too many before it, or too slow ones, had nothing to show"));
                break;
            }
            let template = campaigns.template(&campaign, context);
            let content = self.content(&campaign, template, page, filling)?;
            if let Some(why) = self.undrawn.take() {
                filled.passed.push((campaign.id.clone(), why));
            }
            match content {
                Ok(content) => {
                    match content {
                        ZoneContent::Ready(content) => filled.content = Some(content),
                        ZoneContent::Waiting(waiting) => filled.waiting = Some(waiting),
                        ZoneContent::Empty => {}
                    }
                    filled.is_cut = self.is_cut;
                    filled.source = source_of(&campaign).filter(|_| filled.is_something());
                    filled.campaign = campaign.into_owned().id;
                    break;
                }
                Err(why) => filled.passed.push((campaign.id.clone(), why)),
            }
        }
        // The control group, like the others, holds only visitors to whom something would be shown.
        if let Some(id) = control {
            let is_shown = filled.content.take().is_some() | filled.waiting.take().is_some();
            filled.source = is_shown.then_some(AttributionSource::Control);
            filled.campaign = id;
        }
        Ok(filled)
    }
}

fn count_one(filled: &Filled) {
    let outcome = match (&filled.content, filled.is_known) {
        (Some(_), _) => "shown",
        (None, true) => "empty",
        (None, false) => "unknown",
    };
    count(outcome, 1);
}

fn count(outcome: &'static str, zones: usize) {
    metrics::counter!("lethe_zones_total", "outcome" => outcome).increment(zones as u64);
}
