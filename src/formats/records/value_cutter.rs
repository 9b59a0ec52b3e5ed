//! Cuts values out of JSON that arrives in pieces.

/// Deepest nesting, as of `serde_json`.
const DEPTH_LEVELS: usize = 128;
/// Values that one object may hold: each takes far more memory than its text.
const NODES_MAX: usize = 200_000;

/// Sentence for JSON that breaks its grammar.
pub(super) const BROKEN: &str = "the JSON is broken here; write the feed by a JSON encoder";
const TOO_DEEP: &str = "the JSON is nested more than 128 deep; send a list of products";

/// Finds the end of a value by its strings and brackets; `serde_json` reads what is inside.
#[derive(Default)]
pub(super) struct ValueCutter {
    /// Closing brackets that are awaited.
    closing: Vec<u8>,
    is_in_string: bool,
    is_escaped: bool,
    is_scalar: bool,
    /// Number of values so far, about.
    nodes: usize,
}

impl ValueCutter {
    /// Cuts the rest of a list whose bracket was read.
    pub(super) fn inside_list() -> Self {
        Self { closing: vec![b']'], ..Self::default() }
    }

    /// Number of the next bytes that belong to the value if it ends in them, else `None`.
    ///
    /// # Errors
    /// The sentence, for brackets that do not match.
    pub(super) fn find_end(&mut self, bytes: &[u8]) -> Result<Option<usize>, &'static str> {
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            at += 1;
            if self.is_in_string {
                at += self.skip_string(bytes.get(at - 1..).unwrap_or_default());
                if !self.is_in_string && self.closing.is_empty() {
                    return Ok(Some(at));
                }
                continue;
            }
            if self.is_scalar && (is_blank(*byte) || matches!(byte, b',' | b'}' | b']')) {
                return Ok(Some(at - 1));
            }
            match byte {
                b'"' if !self.is_scalar => self.is_in_string = true,
                b'{' | b'[' if self.closing.len() == DEPTH_LEVELS => return Err(TOO_DEEP),
                b'{' => self.open(b'}'),
                b'[' => self.open(b']'),
                b'}' | b']' if self.closing.pop() != Some(*byte) => return Err(BROKEN),
                b'}' | b']' if self.closing.is_empty() => return Ok(Some(at)),
                b',' => self.nodes += 1,
                b'-' | b'0'..=b'9' | b't' | b'f' | b'n' if self.closing.is_empty() => self.is_scalar = true,
                _ if self.closing.is_empty() && !self.is_scalar => return Err(BROKEN),
                _ => {}
            }
        }
        Ok(None)
    }

    /// True if the bytes so far hold more values than one object may.
    pub(super) const fn has_too_many_nodes(&self) -> bool {
        self.nodes > NODES_MAX
    }

    fn open(&mut self, closing: u8) {
        self.closing.push(closing);
        self.nodes += 1;
    }

    /// Number of bytes after the first that belong to the string.
    fn skip_string(&mut self, bytes: &[u8]) -> usize {
        if std::mem::take(&mut self.is_escaped) {
            return 0;
        }
        let Some(end) = memchr::memchr2(b'"', b'\\', bytes) else { return bytes.len() - 1 };
        self.is_escaped = bytes.get(end) == Some(&b'\\');
        self.is_in_string = self.is_escaped;
        end
    }
}

/// True if a line holds more values than one object may.
pub(super) fn has_too_many_nodes(line: &[u8]) -> bool {
    let mut cutter = ValueCutter::default();
    line.len() > NODES_MAX && cutter.find_end(line).is_ok() && cutter.has_too_many_nodes()
}

/// True for the blanks between values.
pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
