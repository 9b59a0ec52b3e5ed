//! How a model follows what is stored.

use std::sync::atomic::Ordering;

use super::{Account, Models, State};
use crate::clock::Day;
use crate::ids::AccountId;
use crate::limits;
use crate::recommend::model::Model;
use crate::subjects::subject::SubjectFault;

impl Models {
    /// Brings a model up; one of which the events cannot be read is as far as it was, and is tried again.
    pub(super) async fn keep_up(&self, account: AccountId, entry: &Account) -> bool {
        let followed = self.follow(account, entry).await;
        if let Err(fault) = &followed {
            tracing::warn!(%fault, account = account.0, "a model is behind; its events are read again soon");
        }
        followed.is_ok()
    }

    /// Reads the events that a model does not have yet, page by page. Between two pages people may be left out, also of
    /// one that is not whole.
    pub(super) async fn follow(&self, account: AccountId, entry: &Account) -> Result<(), SubjectFault> {
        loop {
            let _turn = entry.turn.lock().await;
            let today = self.today();
            if entry.state().model.day() < today {
                entry.state_mut().model.begin_day(today);
            }
            let upto = entry.state().upto;
            let page = self.page(account, upto).await?;
            // Who asks waits for who writes: nothing is written where nothing came.
            if page.upto > upto {
                let mut state = entry.state_mut();
                page.deeds.iter().for_each(|deed| state.model.add(deed));
                state.upto = page.upto;
            }
            if page.is_last {
                let day = entry.state().model.day();
                let before = entry.whole_day.swap(day, Ordering::SeqCst);
                if before == 0 {
                    self.make_room(account);
                }
                return Ok(());
            }
        }
    }

    /// A model of the events up to a place, as of a day.
    pub(super) async fn made_anew(
        &self,
        account: AccountId,
        day: Day,
        upto: i64,
    ) -> Result<Model, SubjectFault> {
        let mut model = Model::default();
        model.begin_day(day);
        let mut from = 0;
        loop {
            let page = self.page(account, from).await?;
            let wanted = page.deeds.iter().zip(&page.places).filter(|(_, place)| **place <= upto);
            wanted.for_each(|(deed, _)| model.add(deed));
            from = page.upto;
            if page.is_last || from >= upto {
                return Ok(model);
            }
        }
    }

    /// Throws models away that were not asked for longest, until the others have room.
    fn make_room(&self, growing: AccountId) {
        let others: Vec<_> = self.lock().iter().map(|(account, entry)| (*account, entry.clone())).collect();
        let mut all: usize = others.iter().map(|(_, entry)| entry.state().model.bytes()).sum();
        let mut others: Vec<_> = others.into_iter().filter(|(account, _)| *account != growing).collect();
        others.sort_by_key(|(_, entry)| entry.used.load(Ordering::Relaxed));
        for (_, entry) in others {
            if all <= limits::MODELS_BYTES {
                return;
            }
            // One that is being changed just now stays. It is emptied where it is: whoever holds it asks an empty one,
            // and nobody who is forgotten from now on is in it.
            let Ok(_turn) = entry.turn.try_lock() else { continue };
            all -= entry.state().model.bytes();
            entry.whole_day.store(0, Ordering::SeqCst);
            *entry.state_mut() = State::default();
        }
    }
}
