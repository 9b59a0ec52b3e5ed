//! Sessions of signed-in operators. In memory only: a restart signs everybody out, and nothing in the store opens a
//! session.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use zeroize::Zeroizing;

use crate::clock::{Millis, millis};
use crate::i18n::UiLanguage;
use crate::keys::KeyFault;
use crate::keys::secret::random_token;
use crate::limits;
use crate::operators::{Operator, OperatorId};

/// A session.
#[derive(Clone)]
pub(crate) struct Session {
    pub operator: OperatorId,
    /// Version of the operator when they signed in: any change of the operator ends the session.
    version: i64,
    began: Millis,
    used: Millis,
    /// Token that every form of the session must send.
    pub form_token: String,
    pub language: UiLanguage,
    /// Code secret of an operator who is just switching codes on, and the time at which it was made.
    pending: Option<(Zeroizing<Vec<u8>>, Millis)>,
}

static_assertions::assert_not_impl_any!(Session: std::fmt::Debug, std::fmt::Display, serde::Serialize);

/// All sessions, by the content of their cookie.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<String, Session>>);

impl Session {
    /// Code secret of an operator who is switching codes on; kept for a few minutes after they gave their password.
    pub fn pending(&self, now: Millis) -> Option<&Zeroizing<Vec<u8>>> {
        let (secret, since) = self.pending.as_ref()?;
        let is_new = now - since < millis(limits::CODE_WAIT_DURATION);
        is_new.then_some(secret)
    }

    /// True if the session is still kept: text typed before it ended can be given back.
    fn is_kept(&self, now: Millis) -> bool {
        now - self.began < millis(limits::CONSOLE_SESSION_KEPT_DURATION)
    }

    fn is_alive(&self, now: Millis) -> bool {
        let is_used = now - self.used < millis(limits::CONSOLE_IDLE_DURATION);
        let ends = millis(limits::CONSOLE_SESSION_DURATION);
        is_used && now - self.began < ends
    }
}

impl Sessions {
    /// Begins one, and returns the content of its cookie.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn begin(&self, operator: &Operator, language: UiLanguage, now: Millis) -> Result<String, KeyFault> {
        let cookie = random_token()?.to_string();
        let form_token = random_token()?.to_string();
        let version = operator.version;
        let operator = operator.id;
        let session =
            Session { operator, version, began: now, used: now, form_token, language, pending: None };
        let mut all = self.lock();
        all.retain(|_, session| session.is_kept(now));
        let own = || all.iter().filter(|(_, session)| session.operator == operator);
        if own().count() >= limits::CONSOLE_SESSIONS {
            let oldest = own()
                .min_by_key(|(_, session)| (session.is_alive(now), session.used))
                .map(|(cookie, _)| cookie.clone());
            oldest.and_then(|oldest| all.remove(&oldest));
        }
        all.insert(cookie.clone(), session);
        Ok(cookie)
    }

    /// The session of a cookie, which is used now.
    pub fn find_and_touch(&self, cookie: &str, now: Millis) -> Option<Session> {
        let mut all = self.lock();
        let session = all.get_mut(cookie).filter(|session| session.is_alive(now))?;
        session.used = now;
        Some(session.clone())
    }

    /// The same without using the session: a page that updates itself keeps no absent operator signed in.
    pub fn peek(&self, cookie: &str, now: Millis) -> Option<Session> {
        self.lock().get(cookie).filter(|session| session.is_alive(now)).cloned()
    }

    /// The session of a cookie, which may have ended by itself; `None` after a sign-out.
    pub fn find_even_expired(&self, cookie: &str, now: Millis) -> Option<Session> {
        self.lock().get(cookie).filter(|session| session.is_kept(now)).cloned()
    }

    /// Returns true if the operator is enabled and has not changed since the session began.
    pub fn is_of(session: &Session, operator: &Operator) -> bool {
        session.version == operator.version && operator.disabled_at.is_none()
    }

    /// Says in which language its pages are.
    pub fn set_language(&self, cookie: &str, language: UiLanguage) {
        if let Some(session) = self.lock().get_mut(cookie) {
            session.language = language;
        }
    }

    /// Keeps the code secret until a code was right; `None` forgets it.
    pub fn prepare(&self, cookie: &str, secret: Option<Zeroizing<Vec<u8>>>, now: Millis) {
        if let Some(session) = self.lock().get_mut(cookie) {
            session.pending = secret.map(|secret| (secret, now));
        }
    }

    /// Ends one.
    pub fn end(&self, cookie: &str) {
        self.lock().remove(cookie);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operators::testing::operator;

    #[test]
    fn a_session_ends_by_itself() {
        let sessions = Sessions::default();
        let cookie = sessions.begin(&operator(1), UiLanguage::English, 0).expect("a session");
        let minute = 60_000;
        for half_hour in 1..24 {
            assert!(sessions.find_and_touch(&cookie, half_hour * 30 * minute).is_some(), "{half_hour}");
        }
        assert!(sessions.find_and_touch(&cookie, 24 * 30 * minute).is_none(), "after twelve hours");
        let idle = sessions.begin(&operator(1), UiLanguage::English, 0).expect("a session");
        assert!(sessions.find_and_touch(&idle, 60 * minute).is_none(), "unused for an hour");
        assert!(sessions.find_and_touch("nobody", 0).is_none());
        let followed = sessions.begin(&operator(1), UiLanguage::English, 0).expect("a session");
        assert!(sessions.peek(&followed, 59 * minute).is_some());
        assert!(sessions.find_and_touch(&followed, 60 * minute).is_none(), "a look is no use of it");
    }

    #[test]
    fn what_was_written_can_be_given_back_for_a_day() {
        let sessions = Sessions::default();
        let cookie = sessions.begin(&operator(1), UiLanguage::English, 0).expect("a session");
        let hour = 60 * 60_000;
        assert!(sessions.find_and_touch(&cookie, hour).is_none(), "unused for an hour");
        assert!(sessions.find_even_expired(&cookie, 24 * hour - 1).is_some());
        assert!(sessions.find_even_expired(&cookie, 24 * hour).is_none(), "after a day");
        sessions.begin(&operator(2), UiLanguage::English, 24 * hour).expect("a session");
        assert_eq!(sessions.lock().len(), 1, "and it is out of memory when another begins");
    }

    #[test]
    fn an_operator_has_so_many_and_others_keep_theirs() {
        let sessions = Sessions::default();
        let other = sessions.begin(&operator(2), UiLanguage::English, 0).expect("a session");
        let own: Vec<_> = (0..11)
            .map(|at| sessions.begin(&operator(1), UiLanguage::English, at).expect("a session"))
            .collect();
        assert!(sessions.find_and_touch(&own[0], 20).is_none(), "the oldest went");
        assert!(own[1..].iter().all(|cookie| sessions.find_and_touch(cookie, 20).is_some()));
        assert!(sessions.find_and_touch(&other, 20).is_some());
    }

    #[test]
    fn a_session_that_has_ended_makes_room_before_one_that_lives() {
        let sessions = Sessions::default();
        let minute = 60_000;
        let begin = |at| sessions.begin(&operator(1), UiLanguage::English, at).expect("a session");
        let ended = begin(0);
        for half_hour in 1..24 {
            assert!(sessions.find_and_touch(&ended, half_hour * 30 * minute).is_some());
        }
        let living: Vec<_> = (1..10).map(|_| begin((11 * 60 + 15) * minute)).collect();
        // The one that has ended after twelve hours was used last.
        begin(12 * 60 * minute);
        assert!(living.iter().all(|cookie| sessions.peek(cookie, 12 * 60 * minute).is_some()));
    }

    /// Some time of this century: durations are counted from it, and not from nothing.
    const NOW: Millis = 1_795_262_400_000;

    #[test]
    fn a_session_ends_at_the_very_millisecond() {
        let sessions = Sessions::default();
        let cookie = sessions.begin(&operator(1), UiLanguage::French, NOW).expect("a session");
        let hour = 60 * 60_000;
        let session = sessions.peek(&cookie, NOW + hour - 1).expect("it lives");
        assert!(session.operator == operator(1).id && session.language == UiLanguage::French);
        assert!(sessions.peek(&cookie, NOW + hour).is_none(), "it was not used");
        for half in 1..=23 {
            assert!(sessions.find_and_touch(&cookie, NOW + half * hour / 2).is_some(), "{half}");
        }
        assert!(sessions.peek(&cookie, NOW + 12 * hour - 1).is_some());
        assert!(sessions.peek(&cookie, NOW + 12 * hour).is_none(), "used or not");
        assert!(sessions.find_even_expired(&cookie, NOW + 24 * hour - 1).is_some());
        assert!(sessions.find_even_expired(&cookie, NOW + 24 * hour).is_none());
        let other = sessions.begin(&operator(2), UiLanguage::English, NOW + 1).expect("a session");
        assert_eq!(sessions.lock().len(), 2, "both are kept");
        let tokens = [&cookie, &other].map(|one| sessions.lock()[one].form_token.clone());
        assert!(tokens[0] != tokens[1] && tokens.iter().all(|token| !token.is_empty()));
        sessions.end(&cookie);
        assert!(
            sessions.find_even_expired(&cookie, NOW).is_none() && sessions.peek(&other, NOW + 1).is_some()
        );
    }

    #[test]
    fn a_session_is_of_the_operator_as_they_were() {
        let sessions = Sessions::default();
        let cookie = sessions.begin(&operator(1), UiLanguage::English, NOW).expect("a session");
        let session = sessions.peek(&cookie, NOW).expect("it lives");
        let of = |version, disabled_at| {
            let mut now = operator(1);
            now.version = version;
            now.disabled_at = disabled_at;
            Sessions::is_of(&session, &now)
        };
        assert_eq!([of(1, None), of(2, None), of(1, Some(5)), of(2, Some(5))], [true, false, false, false]);
        sessions.set_language(&cookie, UiLanguage::German);
        assert!(sessions.peek(&cookie, NOW).expect("it lives").language == UiLanguage::German);
    }

    #[test]
    fn a_secret_of_codes_waits_some_minutes_for_the_first_one() {
        let sessions = Sessions::default();
        let [cookie, other] = [1, 2]
            .map(|number| sessions.begin(&operator(number), UiLanguage::English, NOW).expect("a session"));
        let pending = |cookie: &str, now| {
            sessions.peek(cookie, now).expect("it lives").pending(now).map(|secret| secret.to_vec())
        };
        assert_eq!(pending(&cookie, NOW), None);
        sessions.prepare(&cookie, Some(Zeroizing::new(vec![7; 20])), NOW + 5);
        let end = NOW + 5 + millis(limits::CODE_WAIT_DURATION);
        assert_eq!((pending(&cookie, end - 1), pending(&cookie, end)), (Some(vec![7; 20]), None));
        assert_eq!(pending(&other, NOW + 5), None);
        sessions.prepare(&cookie, None, NOW + 6);
        assert_eq!(pending(&cookie, NOW + 6), None);
    }
}
