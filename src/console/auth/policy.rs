//! Content security policy of the console.

/// Content security policy: a page may load the console's own style, script and pictures, and send its forms here.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The same for a page with pictures that lie at these origins, which are written as browsers do.
pub(crate) fn policy_with(pictures: &[String]) -> String {
    POLICY.replacen("img-src 'self'", &format!("img-src 'self' {}", pictures.join(" ")), 1)
}
