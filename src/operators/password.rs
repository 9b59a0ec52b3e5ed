//! Passwords of operators: kept as Argon2id hashes (RFC 9106) with the parameters that OWASP's Password Storage Cheat
//! Sheet names first: 19 MiB, two passes. One takes some hundredths of a second of a processor.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};

use super::operator::OperatorFault;
use crate::limits;

/// Niceness of the threads that check passwords (`nice`): when every processor is busy, each gets a thirtieth of the
/// time of another thread.
const NICE: i32 = 15;

/// Hashes a password on a thread of its own, which gives way to all others: a flood of sign-ins gets only idle time.
/// `None` when the system gives no thread.
pub async fn run_on_idle_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (send, done) = tokio::sync::oneshot::channel();
    let thread = std::thread::Builder::new().name("password".to_owned());
    let begun = thread.spawn(move || {
        // For this thread alone, on Linux. If the system refuses, the work is done as it is.
        let _ = rustix::process::setpriority_process(None, NICE);
        let _ = send.send(work());
    });
    begun.ok()?;
    done.await.ok()
}

/// Checks that a password can be one, and hashes it, with a random salt.
///
/// # Errors
/// [`OperatorFault::PasswordShort`] and [`OperatorFault::PasswordLong`]; or when the library refuses.
pub fn hash(password: &str) -> Result<String, OperatorFault> {
    if password.chars().count() < limits::PASSWORD_CHARS {
        return Err(OperatorFault::PasswordShort);
    }
    if password.len() > limits::PASSWORD_BYTES {
        return Err(OperatorFault::PasswordLong);
    }
    let hashed = Argon2::default().hash_password(password.as_bytes());
    Ok(hashed.map_err(|_| OperatorFault::Hash)?.to_string())
}

/// Returns true if a password is the one of this hash. Without a hash the same work is done for nothing, so that time
/// does not tell which names there are.
#[must_use]
pub fn is_right(password: &str, hash: Option<&str>) -> bool {
    if password.len() > limits::PASSWORD_BYTES {
        return false;
    }
    let Some(hash) = hash.and_then(|hash| PasswordHash::new(hash).ok()) else {
        let _ = std::hint::black_box(Argon2::default().hash_password(password.as_bytes()));
        return false;
    };
    Argon2::default().verify_password(password.as_bytes(), &hash).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_password_is_taken_and_no_other() {
        let kept = hash("correct horse battery").expect("it is long enough");
        assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{kept}");
        assert!(is_right("correct horse battery", Some(&kept)));
        assert!(!is_right("correct horse batterz", Some(&kept)));
        assert!(!is_right("correct horse battery", None));
        assert_ne!(hash("correct horse battery").expect("it is hashed"), kept, "each has a salt of its own");
    }

    #[tokio::test]
    async fn the_work_of_a_password_gives_way() {
        let nice = || rustix::process::getpriority_process(None).expect("a number");
        assert_eq!(run_on_idle_thread(nice).await, Some(NICE));
        assert!(nice() < NICE, "that of others is as before");
    }

    #[test]
    fn what_is_too_short_or_too_long_is_none() {
        assert!(matches!(hash("eleven char"), Err(OperatorFault::PasswordShort)));
        assert!(matches!(hash(&"é".repeat(11)), Err(OperatorFault::PasswordShort)), "letters, not bytes");
        let kept = hash("twelve chars").expect("it is long enough");
        assert!(is_right("twelve chars", Some(&kept)));
        let kept = hash(&"x".repeat(1024)).expect("it is short enough");
        assert!(is_right(&"x".repeat(1024), Some(&kept)));
        assert!(matches!(hash(&"x".repeat(1025)), Err(OperatorFault::PasswordLong)));
        assert!(!is_right(&"x".repeat(1025), None));
    }
}
