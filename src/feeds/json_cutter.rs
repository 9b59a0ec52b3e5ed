//! Finds where one JSON value ends, in pieces of any size, without judging its content.
//!
//! It knows strings, escapes and brackets only, so invalid UTF-8 or bad syntax inside a row stays that row's trouble.
//! Where quotes or brackets contradict each other the end of a row is a guess, and a wrong guess would swallow the next
//! rows: that is a fault of the whole feed.

use super::fault::FaultReason;
use crate::limits;
use memchr::memchr2;

/// Meaning of a byte outside a string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Quote,
    Open,
    Close,
    Mark,
    Bare,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Bare; 256];
    classes[b' ' as usize] = Class::Space;
    classes[b'\t' as usize] = Class::Space;
    classes[b'\n' as usize] = Class::Space;
    classes[b'\r' as usize] = Class::Space;
    classes[b'"' as usize] = Class::Quote;
    classes[b'{' as usize] = Class::Open;
    classes[b'[' as usize] = Class::Open;
    classes[b'}' as usize] = Class::Close;
    classes[b']' as usize] = Class::Close;
    classes[b',' as usize] = Class::Mark;
    classes[b':' as usize] = Class::Mark;
    classes
};

/// Progress of the cutter after a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CutterStep {
    /// The value ends before this index of the piece.
    End(usize),
    /// Everything before this index is read; continue from there with more bytes.
    More(usize),
}

/// A contradiction, and its index in the piece.
type Contradiction = (FaultReason, usize);

/// The state between two pieces of one value.
#[derive(Default)]
pub(super) struct Cutter {
    /// One bit for each open bracket: set for `[`.
    open: Vec<u64>,
    depth: usize,
    in_string: bool,
    /// The value is a number or word; it ends before the next delimiter.
    is_bare: bool,
    /// The last byte that is no white space, `"` for a finished string, 0 at the start.
    last: u8,
}

impl Cutter {
    /// Makes it ready for the first byte of another value.
    pub(super) fn restart(&mut self) {
        (self.depth, self.in_string, self.is_bare, self.last) = (0, false, false, 0);
    }

    /// Reads on. The first byte of a value must be neither white space, comma, colon nor a closing
    /// bracket. Errors: quotes or brackets contradict each other.
    pub(super) fn advance(&mut self, piece: &[u8]) -> Result<CutterStep, Contradiction> {
        let mut at = 0;
        while at < piece.len() {
            if self.in_string {
                let Some(found) = memchr2(b'"', b'\\', &piece[at..]) else {
                    return Ok(CutterStep::More(piece.len()));
                };
                at += found;
                if piece[at] == b'\\' {
                    if at + 1 == piece.len() {
                        return Ok(CutterStep::More(at));
                    }
                    at += 2;
                    continue;
                }
                (self.in_string, self.last) = (false, b'"');
                at += 1;
                if self.depth == 0 {
                    return Ok(CutterStep::End(at));
                }
                continue;
            }
            let byte = piece[at];
            let class = CLASSES[usize::from(byte)];
            if self.is_bare && class != Class::Bare {
                return Ok(CutterStep::End(at));
            }
            if class != Class::Space {
                self.token(class, byte).map_err(|reason| (reason, at))?;
            }
            at += 1;
            if class == Class::Close && self.depth == 0 {
                return Ok(CutterStep::End(at));
            }
        }
        Ok(CutterStep::More(at))
    }

    #[inline]
    fn token(&mut self, class: Class, byte: u8) -> Result<(), FaultReason> {
        let follows_string = self.last == b'"';
        match class {
            Class::Quote if !matches!(self.last, 0 | b'{' | b'[' | b',' | b':') => {
                return Err(FaultReason::QuoteMisplaced);
            }
            Class::Open | Class::Bare if follows_string => return Err(FaultReason::QuoteMisplaced),
            Class::Quote => self.in_string = true,
            Class::Open => self.push(byte == b'[')?,
            Class::Close => self.pop(byte == b']')?,
            Class::Bare => self.is_bare = self.depth == 0,
            Class::Mark | Class::Space => {}
        }
        self.last = byte;
        Ok(())
    }

    fn push(&mut self, is_list: bool) -> Result<(), FaultReason> {
        if self.depth == limits::FEED_CUT_DEPTH_LEVELS {
            return Err(FaultReason::TooDeep);
        }
        let word = self.depth / 64;
        let bit = 1_u64 << (self.depth % 64);
        if word == self.open.len() {
            self.open.push(0);
        }
        if is_list {
            self.open[word] |= bit;
        } else {
            self.open[word] &= !bit;
        }
        self.depth += 1;
        Ok(())
    }

    fn pop(&mut self, is_list: bool) -> Result<(), FaultReason> {
        let depth = self.depth.checked_sub(1).ok_or(FaultReason::BracketMismatch)?;
        let was_list = self.open[depth / 64] >> (depth % 64) & 1 == 1;
        if was_list != is_list {
            return Err(FaultReason::BracketMismatch);
        }
        self.depth = depth;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Result<CutterStep, Contradiction> {
        Cutter::default().advance(text.as_bytes())
    }

    #[test]
    fn a_value_ends_at_its_own_bracket_quote_or_delimiter() {
        assert_eq!(cut(r#"{"a":"}\"]"},{"#), Ok(CutterStep::End(12)));
        assert_eq!(cut(r#""x","#), Ok(CutterStep::End(3)));
        assert_eq!(cut("-12.5e3 ,"), Ok(CutterStep::End(7)));
        assert_eq!(cut("[[],{}]]"), Ok(CutterStep::End(7)));
        assert_eq!(cut("[1,2"), Ok(CutterStep::More(4)));
    }

    #[test]
    fn an_unescaped_quote_is_noticed_before_it_swallows_the_next_row() {
        assert_eq!(cut(r#"{"T":"17" monitor","L":"x"},"#), Err((FaultReason::QuoteMisplaced, 10)));
        assert_eq!(cut(r#"{"T":"17"","L":"x"},"#), Err((FaultReason::QuoteMisplaced, 9)));
        assert_eq!(cut(r#"{"T":"abc,"L":"x"},"#), Err((FaultReason::QuoteMisplaced, 11)));
        assert_eq!(cut(r#"{"T":1"x"}"#), Err((FaultReason::QuoteMisplaced, 6)));
    }

    #[test]
    fn a_bracket_that_closes_another_kind_is_noticed() {
        assert_eq!(cut(r#"{"a":["b"},"#), Err((FaultReason::BracketMismatch, 9)));
    }
}
