//! The second factor of an operator who wants one: a code of the time (TOTP, RFC 6238), six digits that change every
//! half minute. The operator's app and the store have its secret; the store has it sealed.

use totp_rs::{Builder, Totp};

use super::operator::{Operator, OperatorFault, OperatorId, get};
use super::update::store;
use crate::clock::Millis;
use crate::keys::Keys;
use crate::store::Tx;
use crate::{args, sql};

/// Secret that an operator's app needs to make codes.
pub struct Enrolment {
    /// The secret, as people type it.
    pub secret: String,
    /// The same as an address that apps read (`otpauth://`).
    pub link: String,
}

static_assertions::assert_not_impl_any!(Enrolment: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// Thirty seconds, six digits, SHA-1 and one step to either side, as apps expect.
fn totp(secret: &[u8], name: &str) -> Result<Totp, OperatorFault> {
    // A colon parts the issuer from the name.
    let name = name.replace(':', " ");
    let builder =
        Builder::new().with_secret(secret.to_vec()).with_issuer(Some("Lethe")).with_account_name(name);
    builder.build().map_err(|_| OperatorFault::Code)
}

/// Prepares a secret for the app of an operator of this name.
///
/// # Errors
/// [`OperatorFault::Code`] when the library refuses.
pub fn enrol(secret: &[u8], name: &str) -> Result<Enrolment, OperatorFault> {
    let totp = totp(secret, name)?;
    let link = totp.to_url().map_err(|_| OperatorFault::Code)?;
    Ok(Enrolment { secret: totp.secret().to_base32(), link })
}

/// The step of time whose code this is.
fn step_of(secret: &[u8], code: &str, now: Millis) -> Result<Option<i64>, OperatorFault> {
    let code: String = code.split_whitespace().collect();
    let step = totp(secret, "Lethe")?.check(&code, u64::try_from(now / 1000).unwrap_or_default());
    Ok(step.and_then(|step| i64::try_from(step).ok()))
}

/// An operator wants codes from now on, and shows with one that their app has the secret. Gives them as they are now;
/// `None`: the code is wrong, or they have a secret already.
///
/// # Errors
/// When the store, a key or the library fails.
pub fn switch_on(
    tx: &mut Tx<'_>,
    keys: &Keys,
    id: OperatorId,
    (secret, code): (&[u8], &str),
    now: Millis,
) -> Result<Option<Operator>, OperatorFault> {
    let Some(mut operator) = get(tx, keys, id)?.filter(|operator| !operator.has_code()) else {
        return Ok(None);
    };
    let Some(step) = step_of(secret, code, now)? else { return Ok(None) };
    operator.code_secret = Some(keys.seal_operator_code(&id.0, secret)?);
    operator.code_step = Some(step);
    store(tx, &operator)?;
    get(tx, keys, id)
}

/// An operator wants codes no longer, and shows with one that it is them. Gives them as they are now; `None`: the code
/// is wrong.
///
/// # Errors
/// As [`switch_on`].
pub fn switch_off(
    tx: &mut Tx<'_>,
    keys: &Keys,
    id: OperatorId,
    code: &str,
    now: Millis,
) -> Result<Option<Operator>, OperatorFault> {
    let Some(mut operator) = spend(tx, keys, id, code, now)? else { return Ok(None) };
    operator.forget_code();
    store(tx, &operator)?;
    get(tx, keys, id)
}

/// The operator of a number, if this is their code: then it counts no more, nor one before it.
///
/// # Errors
/// As [`switch_on`].
pub fn spend(
    tx: &mut Tx<'_>,
    keys: &Keys,
    id: OperatorId,
    code: &str,
    now: Millis,
) -> Result<Option<Operator>, OperatorFault> {
    let Some(operator) = get(tx, keys, id)? else { return Ok(None) };
    let Some(sealed) = &operator.code_secret else { return Ok(None) };
    let secret = keys.open_operator_code(&id.0, sealed)?;
    let Some(step) = step_of(&secret, code, now)? else { return Ok(None) };
    let is_behind = tx.exec(&sql::operator_code_used, args![&id.0, step])? == 1;
    Ok(Some(operator).filter(|_| is_behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The secret of RFC 6238, appendix B.
    const SECRET: &[u8] = b"12345678901234567890";

    #[test]
    fn codes_are_those_of_the_standard() {
        for (second, code, step) in [(59, "287082", 1), (1_111_111_109, "081804", 37_037_036)] {
            let right = step_of(SECRET, code, second * 1000).expect("looked at");
            assert_eq!(right, Some(step), "{second}");
            let spaced = format!(" {} {}", &code[..3], &code[3..]);
            assert_eq!(step_of(SECRET, &spaced, second * 1000).expect("looked at"), Some(step));
            for late in [second - 60, second + 60].into_iter().filter(|late| *late > 0) {
                assert_eq!(step_of(SECRET, code, late * 1000).expect("looked at"), None, "{late}");
            }
            assert!(step_of(SECRET, code, (second + 30) * 1000).expect("looked at").is_some());
        }
        for wrong in ["", "28708", "2870820", "28708x", "２８７０８２"] {
            assert_eq!(step_of(SECRET, wrong, 59_000).expect("looked at"), None, "{wrong}");
        }
    }

    #[test]
    fn an_app_is_told_in_base_32_and_by_an_address() {
        let app = enrol(SECRET, "Front: desk & more").expect("an address");
        assert_eq!(app.secret, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert!(
            app.link.starts_with("otpauth://totp/Lethe:Front%20%20desk%20%26%20more?secret=GEZDG"),
            "{}",
            app.link
        );
    }
}
