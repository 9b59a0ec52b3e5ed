//! Notices of lasting conditions: erasures that are due soon, an old backup, a quota that is nearly used up. Each is
//! sent once, or once a day while it lasts.

use crate::accounts::quota::{self, QuotaUse};
use crate::clock::{Millis, day_of, millis};
use crate::erasure::{self, DueErasure};
use crate::ids::AccountId;
use crate::limits;
use crate::maintenance::doctor;
use crate::node::Node;
use crate::store::{StoreFault, Tx};
use crate::webhooks::{self, MessageMarks, WebhookEvent};

/// Events to notify an account of.
struct Notice {
    account: AccountId,
    before: MessageMarks,
    marks: MessageMarks,
    events: Vec<WebhookEvent>,
}

/// Collects the notices for shops, and queues them with the ended submissions.
///
/// # Errors
/// When the store fails.
pub async fn notice(node: &Node) -> Result<(), StoreFault> {
    let now = node.clock.now();
    let part = node.quota_part();
    let found = node.store.read(move |tx| {
        let listening = webhooks::listening(tx)?;
        if listening.is_empty() {
            return Ok(Vec::new());
        }
        let holdings = quota::list(tx, part)?;
        let backup_at = doctor::backup_at(tx)?;
        let mut found = Vec::new();
        for (account, before) in listening {
            let due =
                erasure::due_soon(tx, account, before.due, now + millis(limits::ERASURE_DUE_SOON_DURATION))?;
            let holding = holdings.get(&account.0).copied();
            let notice = notice_of(account, before, now, (&due, backup_at, holding));
            found.extend(Some(notice).filter(|notice| !notice.events.is_empty()));
        }
        Ok::<_, StoreFault>(found)
    });
    for notice in found.await? {
        node.store.write_of_job(notice.account, move |tx| queue_notice(tx, &notice, now)).await?;
    }
    Ok(())
}

fn queue_notice(tx: &mut Tx<'_>, notice: &Notice, now: Millis) -> Result<(), StoreFault> {
    let Notice { account, before, marks, events } = notice;
    let is_new = webhooks::mark(tx, *account, *before, *marks)?;
    if is_new {
        events.iter().try_for_each(|event| webhooks::enqueue(tx, *account, event, now))?;
    }
    Ok(())
}

fn notice_of(
    account: AccountId,
    before: MessageMarks,
    now: Millis,
    (due, backup_at, holding): (&[DueErasure], Option<Millis>, Option<QuotaUse>),
) -> Notice {
    let mut marks = before;
    let mut events: Vec<_> = due
        .iter()
        .map(|due| WebhookEvent::ErasureDueSoon {
            erasure: due.id,
            asked_at: due.asked_at,
            due_at: due.due_at,
        })
        .collect();
    let last = due.last();
    marks.due = last.map_or(before.due, |last| (last.due_at, last.seq));
    let today = day_of(now);
    let is_old = backup_at.is_none_or(|at| now - at > millis(doctor::BACKUP_DURATION));
    if is_old && before.backup_day < today {
        marks.backup_day = today;
        events.push(WebhookEvent::BackupOld { made_at: backup_at });
    }
    if let Some((held_bytes, limit_bytes)) = holding.and_then(find_near_quota)
        && before.quota_day < today
    {
        marks.quota_day = today;
        events.push(WebhookEvent::QuotaNear { held_bytes, limit_bytes });
    }
    Notice { account, before, marks, events }
}

/// Bytes held and their limit, if an account has little room left.
fn find_near_quota(holding: QuotaUse) -> Option<(i64, i64)> {
    let limit = holding.limit_bytes?;
    let near = limit / 100 * limits::QUOTA_NEAR_PERCENT;
    (holding.held_bytes >= near).then_some((holding.held_bytes, limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_tenths_of_a_limit_are_near_it_and_a_byte_less_is_not() {
        let near = |held_bytes, limit_bytes| find_near_quota(QuotaUse { held_bytes, limit_bytes });
        assert_eq!([near(899, Some(1000)), near(900, Some(1000))], [None, Some((900, 1000))]);
        assert_eq!(near(i64::MAX, Some(i64::MAX)), Some((i64::MAX, i64::MAX)));
        assert_eq!(near(i64::MAX, None), None);
    }

    const DAY: Millis = 86_400_000;

    /// Bodies of the notices to an account that was told before what the marks say, and the marks behind them.
    fn list_notices(
        before: MessageMarks,
        now: Millis,
        facts: (&[DueErasure], Option<Millis>, Option<QuotaUse>),
    ) -> (Vec<String>, MessageMarks) {
        let notice = notice_of(AccountId(1), before, now, facts);
        (notice.events.iter().map(|event| event.body(0)).collect(), notice.marks)
    }

    fn ninth_day() -> MessageMarks {
        MessageMarks { due: (5, 6), backup_day: 9, quota_day: 9 }
    }

    #[test]
    fn a_condition_that_lasts_is_told_once_a_day() {
        let quota = QuotaUse { held_bytes: 95, limit_bytes: Some(100) };
        let no_erasure: &[DueErasure] = &[];
        let facts = || (no_erasure, None, Some(quota));
        let near = WebhookEvent::QuotaNear { held_bytes: 95, limit_bytes: 100 };
        let both = [WebhookEvent::BackupOld { made_at: None }, near].map(|event| event.body(0));
        let (first, marks) = list_notices(ninth_day(), 10 * DAY, facts());
        assert_eq!(first, both);
        assert!(marks == MessageMarks { due: (5, 6), backup_day: 10, quota_day: 10 });
        let (second, same) = list_notices(marks, 11 * DAY - 1, facts());
        assert!(second.is_empty() && same == marks);
        assert_eq!(list_notices(marks, 11 * DAY, facts()).0, both);
        // Each has its own day.
        let half = MessageMarks { backup_day: 10, ..ninth_day() };
        assert_eq!(list_notices(half, 10 * DAY, facts()).0, both[1..]);
        let half = MessageMarks { quota_day: 10, ..ninth_day() };
        assert_eq!(list_notices(half, 10 * DAY, facts()).0, both[..1]);
    }

    #[test]
    fn a_backup_is_old_after_its_time_and_not_before() {
        let made_at = 2 * DAY;
        let most = millis(doctor::BACKUP_DURATION);
        let no_erasure: &[DueErasure] = &[];
        let facts = || (no_erasure, Some(made_at), None);
        let (on_time, marks) = list_notices(ninth_day(), made_at + most, facts());
        assert!(on_time.is_empty() && marks == ninth_day());
        let before = MessageMarks { backup_day: 0, ..ninth_day() };
        assert!(list_notices(before, made_at + most, facts()).0.is_empty());
        let old = WebhookEvent::BackupOld { made_at: Some(made_at) }.body(0);
        assert_eq!(list_notices(before, made_at + most + 1, facts()).0, [old]);
    }

    #[test]
    fn erasures_that_are_due_soon_are_told_in_order_and_the_last_is_the_mark() {
        let due = |seq: i64, due_at| DueErasure { seq, id: uuid::Uuid::from_u128(7), asked_at: 3, due_at };
        let event =
            |due_at| WebhookEvent::ErasureDueSoon { erasure: uuid::Uuid::from_u128(7), asked_at: 3, due_at };
        let all = [due(8, 1000), due(7, 2000)];
        let (bodies, marks) = list_notices(ninth_day(), 0, (&all[..], Some(0), None));
        assert_eq!(bodies, [1000, 2000].map(|due_at| event(due_at).body(0)));
        assert!(marks == MessageMarks { due: (2000, 7), ..ninth_day() });
    }
}
