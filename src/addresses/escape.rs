//! Display of foreign text: on a terminal, on a page, and as a word of a command that is copied.

use super::encodings::{is_invisible, is_joiner, joins};

/// Text with a dot in place of each letter that is invisible, that moves the cursor or that turns others around: it
/// commands no terminal, and looks like no other text. Joiners stay where they join something.
#[must_use]
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_shown =
            if is_joiner(letter) { joins(before, letters.peek().copied()) } else { !is_hidden(letter) };
        shown.push(if is_shown { letter } else { '·' });
        if !is_variant(letter) {
            before = Some(letter);
        }
    }
    shown
}

fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{FFF9}'..='\u{FFFB}')
        || is_invisible(letter) && !is_variant(letter)
}

/// Returns true if a letter decides how the one before it is drawn, as after pictures.
const fn is_variant(letter: char) -> bool {
    matches!(letter, '\u{FE00}'..='\u{FE0F}')
}

/// A value as one word of a command: quoted where a shell would read more or less in it. Invisible letters are written
/// with digits (`$'\x1b'`, as bash, zsh and ksh read it), so that the word can be shown as it is.
#[must_use]
pub fn shell_word(value: &str) -> String {
    match shlex::try_quote(value) {
        Ok(word) if printable(value) == value => word.into_owned(),
        _ => in_digits(value),
    }
}

fn in_digits(value: &str) -> String {
    let mut word = String::from("$'");
    for letter in value.chars() {
        match letter {
            '\\' | '\'' => word.extend(['\\', letter]),
            letter if is_hidden(letter) || is_joiner(letter) => {
                let mut bytes = [0; 4];
                let bytes = letter.encode_utf8(&mut bytes).bytes();
                word.extend(bytes.map(|byte| format!("\\x{byte:02x}")));
            }
            letter => word.push(letter),
        }
    }
    word + "'"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_shown_as_a_dot() {
        for (text, shown) in [
            ("Tea & <b>more</b>", "Tea & <b>more</b>"),
            ("\u{1b}[2J", "·[2J"),
            ("a\nb\tc\r", "a·b·c·"),
            ("\u{9b}31m", "·31m"),
            ("gnp.\u{202e}exe", "gnp.·exe"),
            ("\u{2066}a\u{2069}\u{200f}\u{61c}", "·a···"),
            ("in\u{ad}vis\u{200b}ible\u{feff}", "in·vis·ible·"),
            ("line\u{2028}line\u{2029}", "line·line·"),
            ("x\u{e0041}", "x·"),
            // Signs that join letters and pictures, or say how one is drawn, are a part of the text.
            ("نامه\u{200c}ای", "نامه\u{200c}ای"),
            ("👩\u{200d}🍳 ❤\u{fe0f}\u{200d}🔥", "👩\u{200d}🍳 ❤\u{fe0f}\u{200d}🔥"),
            ("a\u{200d}b\u{200c}", "a·b·"),
            ("Thé & cætera — чай 茶\u{a0}«\u{202f}x»", "Thé & cætera — чай 茶\u{a0}«\u{202f}x»"),
        ] {
            assert_eq!(printable(text), shown, "{text:?}");
        }
    }

    #[test]
    fn a_value_is_one_word_of_a_command() {
        for (value, word) in [
            ("P-0000002", "P-0000002"),
            ("userid:4711", "userid:4711"),
            ("ann+x@mail.example", "ann+x@mail.example"),
            ("z;touch pwned", "'z;touch pwned'"),
            ("$(x)`y`", "'$(x)`y`'"),
            ("it's", "\"it's\""),
            ("", "''"),
            ("\u{1b}[2J'\\", "$'\\x1b[2J\\'\\\\'"),
            ("a\u{202e}b", "$'a\\xe2\\x80\\xaeb'"),
        ] {
            assert_eq!(shell_word(value), word, "{value:?}");
        }
        // As a shell reads them.
        for value in
            ["z;touch pwned", "a b\tc", "it's \"$HOME\" `id` !x \\", "~", "*", "ä\u{1b}\u{202e}'x", "\n"]
        {
            let script = format!("printf %s {}", shell_word(value));
            let Ok(ended) = std::process::Command::new("bash").arg("-c").arg(&script).output() else {
                return;
            };
            assert_eq!(String::from_utf8_lossy(&ended.stdout), value, "{script}");
        }
    }
}
