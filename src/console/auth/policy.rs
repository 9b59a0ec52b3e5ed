//! Content security policy of the console.

/// Content security policy: a page may load the console's own style, script and pictures, and send its forms here.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The same for a page with pictures that lie at these origins, which are written as browsers do.
pub(crate) fn policy_with(pictures: &[String]) -> String {
    POLICY.replacen("img-src 'self'", &format!("img-src 'self' {}", pictures.join(" ")), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_may_come_from_named_origins_and_nothing_else_may() {
        let own = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
                   form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
        assert_eq!(POLICY, own);
        let named = ["https://a.example".to_owned(), "https://b.example".to_owned()];
        let with = "img-src 'self' https://a.example https://b.example;";
        assert_eq!(policy_with(&named), own.replace("img-src 'self';", with));
    }
}
