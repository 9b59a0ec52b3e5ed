//! Which addresses in the text of a catalogue belong to people who were forgotten: asked of the store, for every door.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use tokio::runtime::Handle;

use super::WorkFault;
use crate::feeds::rows;
use crate::ids::AccountId;
use crate::keys::{Keys, Tag};
use crate::limits;
use crate::node::Node;
use crate::store::{StoreFault, Tx};
use crate::subjects::door;
use crate::subjects::identifier::Identifier;

/// The addresses that were let through while a feed was read, and how many identifiers were suppressed before.
#[derive(Default)]
pub struct Passed {
    tags: HashSet<Tag>,
    has_more: bool,
    suppressed: i64,
}

impl Passed {
    /// Whether any address was let through.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty() && !self.has_more
    }

    fn add(&mut self, tag: Tag) {
        match self.tags.len() < limits::FEED_ADDRESSES {
            true => drop(self.tags.insert(tag)),
            false => self.has_more |= !self.tags.contains(&tag),
        }
    }

    /// Asks about them again, outside of any transaction: how many identifiers were suppressed before that. `None`: one
    /// of them is, or may be because there were more than are remembered.
    pub async fn ask_again(&self, node: &Node, account: AccountId) -> Result<Option<i64>, StoreFault> {
        let suppressed = node.store.read(move |tx| door::suppressed(tx, account)).await?;
        if self.is_empty() || suppressed == self.suppressed {
            return Ok(Some(suppressed));
        }
        let tags: Vec<Tag> = self.tags.iter().copied().collect();
        for some in tags.chunks(limits::UNIT_ROWS).map(<[Tag]>::to_vec) {
            let asked = node.store.read(move |tx| {
                for tag in &some {
                    if door::is_suppressed(tx, account, tag)? {
                        return Ok(true);
                    }
                }
                Ok::<_, StoreFault>(false)
            });
            if asked.await? {
                return Ok(None);
            }
        }
        Ok((!self.has_more).then_some(suppressed))
    }

    /// Whether nobody was forgotten since that was asked.
    pub fn is_current(
        &self,
        tx: &mut Tx<'_>,
        account: AccountId,
        suppressed: i64,
    ) -> Result<bool, StoreFault> {
        Ok(self.is_empty() || door::suppressed(tx, account)? == suppressed)
    }
}

/// Asks on a blocking thread, each address once.
pub struct Asker<'a> {
    node: &'a Node,
    account: AccountId,
    runtime: Handle,
    /// Called before the first address is let through.
    on_first: &'a dyn Fn() -> Result<(), WorkFault>,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    answers: HashMap<String, bool>,
    passed: Passed,
    fault: Option<WorkFault>,
}

impl<'a> Asker<'a> {
    /// Nobody was asked about yet. Call it on a thread of the runtime that may block.
    pub fn new(node: &'a Node, account: AccountId, on_first: &'a dyn Fn() -> Result<(), WorkFault>) -> Self {
        Self { node, account, runtime: Handle::current(), on_first, state: RefCell::default() }
    }

    /// Whether the person behind an address was forgotten. After a fault everybody was, and [`Asker::end`] tells it.
    pub fn is_forgotten(&self, email: &str) -> bool {
        let mut state = self.state.borrow_mut();
        if let Some(known) = state.answers.get(email) {
            return *known;
        }
        let answer = self.ask(email, &mut state).unwrap_or_else(|fault| {
            state.fault = Some(fault);
            true
        });
        if state.answers.len() < limits::FEED_ADDRESSES {
            state.answers.insert(email.to_owned(), answer);
        }
        answer
    }

    fn ask(&self, email: &str, state: &mut State) -> Result<bool, WorkFault> {
        let Ok(id) = Identifier::email(email) else { return Ok(false) };
        let (tag, account) = (self.node.keys.suppression_tag(self.account, &id), self.account);
        if state.passed.tags.contains(&tag) {
            return Ok(false);
        }
        if state.passed.is_empty() {
            (self.on_first)()?;
            // Before the first question: what is suppressed later changes the number.
            let suppressed = self.node.store.read(move |tx| door::suppressed(tx, account));
            state.passed.suppressed = self.runtime.block_on(suppressed)?;
        }
        let asked = self.node.store.read(move |tx| door::is_suppressed(tx, account, &tag));
        let is_forgotten = self.runtime.block_on(asked)?;
        if !is_forgotten {
            state.passed.add(tag);
        }
        Ok(is_forgotten)
    }

    /// The addresses that were let through.
    ///
    /// # Errors
    /// When the store could not be asked; what was written since is of no use.
    pub fn end(&self) -> Result<Passed, WorkFault> {
        let State { passed, fault, .. } = self.state.take();
        fault.map_or(Ok(passed), Err)
    }
}

/// Reads something with the addresses in it asked about together, and once more when one of them is forgotten; with how
/// many identifiers were suppressed before that, if it has any address.
pub async fn reading<T>(
    node: &Node,
    account: AccountId,
    read: impl Fn(&dyn Fn(&str) -> bool) -> Result<T, WorkFault>,
) -> Result<(T, Option<i64>), WorkFault> {
    let asked = RefCell::new(HashSet::new());
    let first = read(&|email| {
        asked.borrow_mut().insert(email.to_owned());
        false
    })?;
    let asked = asked.into_inner();
    if asked.is_empty() {
        return Ok((first, None));
    }
    let (forgotten, suppressed) = among(node, account, asked).await?;
    let read = match forgotten.is_empty() {
        true => first,
        false => read(&|email| forgotten.contains(email))?,
    };
    Ok((read, Some(suppressed)))
}

/// Which of these addresses belong to people who were forgotten, and how many identifiers were suppressed before that
/// was asked.
async fn among(
    node: &Node,
    account: AccountId,
    emails: HashSet<String>,
) -> Result<(HashSet<String>, i64), StoreFault> {
    let keys = node.keys.clone();
    node.store
        .read(move |tx| {
            let suppressed = door::suppressed(tx, account)?;
            let mut forgotten = HashSet::new();
            for email in &emails {
                if is_email_forgotten(tx, &keys, account, email)? {
                    forgotten.insert(email.clone());
                }
            }
            Ok((forgotten, suppressed))
        })
        .await
}

fn is_email_forgotten(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    email: &str,
) -> Result<bool, StoreFault> {
    let Ok(id) = Identifier::email(email) else { return Ok(false) };
    door::is_suppressed(tx, account, &keys.suppression_tag(account, &id))
}

/// The row of an item without forgotten addresses, asked inside the transaction that stores it; `None` when it has none.
pub fn blanked(
    tx: &mut Tx<'_>,
    keys: &Keys,
    account: AccountId,
    row: &[u8],
) -> Result<Option<Vec<u8>>, StoreFault> {
    let (tx, fault) = (RefCell::new(tx), RefCell::new(None));
    let is_forgotten = |email: &str| {
        is_email_forgotten(&mut tx.borrow_mut(), keys, account, email).unwrap_or_else(|refused| {
            *fault.borrow_mut() = Some(refused);
            false
        })
    };
    let blanked = rows::without_forgotten(row, &is_forgotten);
    fault.into_inner().map_or(Ok(blanked), Err)
}
