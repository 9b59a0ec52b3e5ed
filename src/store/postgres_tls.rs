//! TLS to PostgreSQL: rustls on the cryptography that everything else uses, and libpq's three degrees of trust.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, OtherError, RootCertStore, SignatureScheme,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::postgres_fault::PostgresFault;

/// Certificates that are trusted.
pub(super) enum TrustedCertificates {
    /// Any certificate: protects against listeners, not against a party in between (`sslmode=prefer`, `require`).
    Anybody,
    /// A certificate that these have signed.
    Signed {
        /// Certificates of the signers.
        roots: Roots,
        /// True if it must bear the name of the host too (`verify-full`), false if not (`verify-ca`).
        checks_name: bool,
    },
}

/// The certificates that a server's is checked against.
pub(super) enum Roots {
    /// Certificates of the machine.
    System,
    /// Certificates in a file.
    File(PathBuf),
}

/// Connector that turns an open connection into an encrypted one.
pub(super) fn connector(trust: &TrustedCertificates) -> Result<MakeRustlsConnect, PostgresFault> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let (roots, checks_name) = match trust {
        TrustedCertificates::Anybody => (None, false),
        TrustedCertificates::Signed { roots, checks_name } => (Some(load_roots(roots)?), *checks_name),
    };
    let verifier = Verifier { roots, checks_name, provider: provider.clone() };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| PostgresFault::Roots(error.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn load_roots(roots: &Roots) -> Result<RootCertStore, PostgresFault> {
    let refused = |problem: String| PostgresFault::Roots(problem);
    let certificates = match roots {
        Roots::System => rustls_native_certs::load_native_certs().certs,
        Roots::File(file) => read_file(file).map_err(refused)?,
    };
    let mut store = RootCertStore::empty();
    let (added, _) = store.add_parsable_certificates(certificates);
    if added == 0 { Err(refused("there is none".to_owned())) } else { Ok(store) }
}

fn read_file(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let text = std::fs::read(file).map_err(|error| error.to_string())?;
    let certificates = CertificateDer::pem_slice_iter(&text).collect::<Result<Vec<_>, _>>();
    certificates.map_err(|_| "it is not in PEM form".to_owned())
}

#[derive(Debug)]
struct Verifier {
    /// `None` trusts anybody.
    roots: Option<RootCertStore>,
    checks_name: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let roots = self.roots.as_ref();
        if let Some(roots) = roots {
            let certificate = ParsedCertificate::try_from(end_entity)?;
            let algorithms = self.provider.signature_verification_algorithms.all;
            verify_server_cert_signed_by_trust_anchor(&certificate, roots, intermediates, now, algorithms)?;
            if self.checks_name {
                verify_server_name(&certificate, server_name)?;
            }
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// Describes the problem with a server's certificate, and its remedy.
pub(super) fn problem_of(error: &Error) -> String {
    let Error::InvalidCertificate(problem) = error else { return format!("TLS failed ({error})") };
    match problem {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired; renew it there".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet; look at the clocks of both machines".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for another host; name the host as the certificate does (subjectAltName), or give the \
             server one for this name"
                .to_owned()
        }
        CertificateError::UnknownIssuer | CertificateError::BadSignature => "its certificate is signed by nobody in sslrootcert; name the file with \
                                            the root certificate that signed it"
            .to_owned(),
        CertificateError::Other(OtherError(other)) => {
            format!("its certificate cannot be used ({other}); give it one that another certificate has signed")
        }
        other => format!("its certificate cannot be used ({other})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_problem_with_a_certificate_has_its_remedy() {
        let signers = "its certificate is signed by nobody in sslrootcert; name the file with the root certificate \
                       that signed it";
        for (problem, said) in [
            (CertificateError::Expired, "its certificate has expired; renew it there"),
            (
                CertificateError::NotValidYet,
                "its certificate is not valid yet; look at the clocks of both machines",
            ),
            (
                CertificateError::NotValidForName,
                "its certificate is for another host; name the host as the certificate does (subjectAltName), or \
                 give the server one for this name",
            ),
            (CertificateError::UnknownIssuer, signers),
            (CertificateError::BadSignature, signers),
        ] {
            assert_eq!(problem_of(&Error::InvalidCertificate(problem)), said);
        }
        let revoked = problem_of(&Error::InvalidCertificate(CertificateError::Revoked));
        assert!(
            revoked.starts_with("its certificate cannot be used (") && !revoked.contains(';'),
            "{revoked}"
        );
        assert_eq!(problem_of(&Error::DecryptError), format!("TLS failed ({})", Error::DecryptError));
    }

    #[test]
    fn a_file_of_roots_holds_one_at_least() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("roots.pem");
        let refusal = || load_roots(&Roots::File(file.clone())).err().map(|fault| fault.to_string());
        let said = |problem: &str| {
            format!(
                "the root certificates of the database cannot be used ({problem}): name a file with certificates in \
                 PEM form with sslrootcert=FILE in --store"
            )
        };
        assert!(refusal().is_some_and(|refusal| refusal.contains("No such file")));
        for (text, problem) in [
            ("", "there is none"),
            ("-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n", "it is not in PEM form"),
        ] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(refusal(), Some(said(problem)));
        }
        let key = rcgen::generate_simple_self_signed(["db.test".to_owned()]).unwrap();
        std::fs::write(&file, key.cert.pem()).unwrap();
        assert_eq!(refusal(), None);
    }
}
