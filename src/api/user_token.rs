//! `UserToken`: a signed statement of a shop's own server about a shopper, which the shopper's page can show here
//! without holding the secret: base64url(JSON) `.` base64url(HMAC-SHA-256 of the first part as it stands), under
//! [`TokenKey`](crate::keys::user_token::TokenKey).

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::general_purpose::GeneralPurpose;
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};

use super::credentials::ACCESS_KEY;
use super::json_fields::{JsonFields, RequestFields};
use crate::accounts::{AccountFault, KnownAccount};
use crate::limits;
use crate::node::Node;
use crate::transport::refusal::Refusal;

/// With or without its padding: libraries differ.
const BASE64URL: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Trusted claims about a shopper: sent with the secret, or in a signed token.
#[derive(Default)]
pub struct ShopperClaims {
    /// The account that the shopper buys for.
    pub account: Option<String>,
    /// The customer group.
    pub group: Option<String>,
}

impl ShopperClaims {
    /// Reads the claims from fields.
    ///
    /// # Errors
    /// A refusal when one is neither a text nor a whole number.
    pub fn from_fields(fields: &JsonFields<'_>) -> Result<Self, Refusal> {
        Ok(Self { account: fields.opt_id("AccountId")?, group: fields.opt_id("GroupId")? })
    }

    /// Reads the claims of a token that a live secret of the account signed, and that has not ended.
    ///
    /// # Errors
    /// A refusal that names the fault of the token; or when the key of the tokens cannot be opened.
    pub fn from_token(node: &Node, known: &KnownAccount, token: &str) -> Result<Self, Refusal> {
        if token.len() > limits::USER_TOKEN_BYTES {
            return Err(Refusal::user_token("is too long"));
        }
        let parts = token.split_once('.');
        let parts = parts.and_then(|(said, mac)| Some((said, decode_part(said)?, decode_part(mac)?)));
        let Some((as_sent, said, mac)) = parts else {
            return Err(Refusal::user_token("has to be base64url(JSON).base64url(HMAC-SHA-256)"));
        };
        let now = node.clock.now();
        let is_signed =
            known.is_valid_mac(&node.keys, as_sent.as_bytes(), &mac, now).map_err(AccountFault::from)?;
        if !is_signed {
            return Err(Refusal::user_token("was not signed with a live secret of this account"));
        }
        let fields =
            JsonFields::parse(&said).map_err(|_| Refusal::user_token("has to hold one JSON object"))?;
        let malformed = |_| {
            let what = "AccessKey, Exp in Unix seconds, and ids that are texts or whole numbers";
            Refusal::user_token(&format!("has to hold {what}"))
        };
        if fields.text(ACCESS_KEY).map_err(malformed)? != known.account.access_key {
            return Err(Refusal::user_token("is of another access key"));
        }
        let left = fields.number(&["Exp"]).map_err(malformed)?.saturating_sub(now / 1000);
        if left <= 0 {
            return Err(Refusal::user_token("has ended: Exp is in the past"));
        }
        let longest = (limits::USER_TOKEN_DURATION + limits::CLOCKS_APART_DURATION).as_secs();
        if left.cast_unsigned() > longest {
            return Err(Refusal::user_token("lives too long: Exp is up to an hour ahead, in Unix seconds"));
        }
        Self::from_fields(&fields).map_err(malformed)
    }
}

fn decode_part(part: &str) -> Option<Vec<u8>> {
    BASE64URL.decode(part).ok()
}
