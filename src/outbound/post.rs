//! Sends a server a message: one request to a checked place; only the status of the answer is read.

use reqwest::header::HeaderMap;
use tokio::time::timeout;

use super::fault::FetchFault;
use super::feed_url::FeedUrl;
use super::fetch::Outbound;
use crate::limits;

impl Outbound {
    /// Posts `body` to `url` within [`limits::WEBHOOK_TRY_DURATION`] and gives the status of the answer. A redirect is
    /// an answer like any other, and is not followed.
    ///
    /// # Errors
    /// A sentence that may be shown to anybody, when there is no answer, or the address is not allowed.
    pub async fn post(&self, url: &FeedUrl, headers: HeaderMap, body: String) -> Result<u16, String> {
        let asking = self.send_request(url, |client| client.post(url.expose()).headers(headers).body(body));
        match timeout(limits::WEBHOOK_TRY_DURATION, asking).await {
            Ok(Ok(answer)) => Ok(answer.status().as_u16()),
            Ok(Err(FetchFault { reason, .. })) => Err(reason.replace("the feed's server", "the server")),
            Err(_) => Err("the server did not answer in time".to_owned()),
        }
    }
}
