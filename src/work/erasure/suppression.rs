//! The fence of an erasure: the requested identifier is shut out since the request; the others are fenced here, where
//! thousands share an address.

use super::context::ErasureRun;
use crate::erasure::{self, ErasureState, OpenErasure};
use crate::ids::identifier::Identifier;
use crate::limits;
use crate::people::browser;
use crate::people::person::Person;
use crate::work::fault::WorkFault;

/// Records that nothing about a person may be stored any more.
pub(super) async fn fence(run: &ErasureRun<'_>, erasure: &mut OpenErasure) -> Result<(), WorkFault> {
    let account = run.account;
    let now = run.now();
    let keys = run.node.keys.clone();
    let mut person = erasure.person(&keys, account)?;
    if person.subjects.len() > limits::FORGET_OPENED {
        person = shut_many(run, erasure.seq, person).await?;
    }
    let fenced = OpenErasure { sealed: Vec::new(), ..*erasure };
    erasure.sealed =
        run.write(move |tx| Ok(erasure::fence(tx, &keys, account, &fenced, (&person, now))?)).await?;
    erasure.state = ErasureState::Fenced;
    Ok(())
}

/// Shuts the identifiers of thousands who share an address, some at a time: no unit of work is long.
async fn shut_many(run: &ErasureRun<'_>, seq: i64, begun: Person) -> Result<Person, WorkFault> {
    let account = run.account;
    let now = run.now();
    let keys = run.node.keys.clone();
    let opened = run.lease.read(&run.node.store, move |tx| {
        Ok::<_, WorkFault>(erasure::open_person(tx, &keys, account, (seq, &begun))?)
    });
    let person = opened.await?;
    let own: Vec<_> = person.own_identifiers().cloned().collect();
    let own = own.chunks(limits::FORGET_OPENED).map(|ids| (Vec::new(), ids.to_vec()));
    let subjects = person.subjects.chunks(limits::FORGET_OPENED).map(|ids| (ids.to_vec(), Vec::new()));
    let browsers: Vec<_> = person.browsers().cloned().collect();
    for browsers in browsers.chunks(limits::FORGET_OPENED).map(<[Identifier]>::to_vec) {
        let keys = run.node.keys.clone();
        let shutting = run.write(move |tx| {
            let shut = |browser| browser::shut_until_log_out(tx, &keys, account, browser, now);
            Ok(browsers.iter().try_for_each(shut)?)
        });
        shutting.await?;
    }
    for (subjects, ids) in subjects.chain(own) {
        let keys = run.node.keys.clone();
        let shutting =
            run.write(move |tx| Ok(erasure::fence_part(tx, &keys, account, (seq, now), (&subjects, &ids))?));
        shutting.await?;
    }
    Ok(person)
}
