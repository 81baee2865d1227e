//! Which agent, in the words of a command line: `pi`, `codex:--profile work`, `acp:opencode acp`.

use crate::vocab::error::{Code, Error, Result};

/// An agent we know how to speak with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any agent that speaks the Agent Client Protocol.
    Acp,
    /// pi.
    Pi,
    /// Claude Code.
    Claude,
    /// codex.
    Codex,
    /// opencode.
    Opencode,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 5] = [Kind::Acp, Kind::Pi, Kind::Claude, Kind::Codex, Kind::Opencode];

    /// Its word, which is also the name of its program (but for `acp`, which names none).
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Acp => "acp",
            Kind::Pi => "pi",
            Kind::Claude => "claude",
            Kind::Codex => "codex",
            Kind::Opencode => "opencode",
        }
    }

    /// How its program is installed.
    pub fn install(self) -> &'static str {
        match self {
            Kind::Acp => {
                "the command behind `acp:` must be a program that speaks the Agent Client Protocol"
            }
            Kind::Pi => "npm install -g @mariozechner/pi-coding-agent",
            Kind::Claude => "npm install -g @anthropic-ai/claude-code",
            Kind::Codex => "npm install -g @openai/codex",
            Kind::Opencode => "npm install -g opencode-ai",
        }
    }
}

/// An agent with the arguments that its user adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Which.
    pub kind: Kind,
    /// What follows the colon, as words; for `acp` the whole command, never empty.
    pub words: Vec<String>,
}

impl Name {
    /// Reads `NAME` or `NAME:WORDS`; the words are split as a shell would, and never given to one.
    ///
    /// # Errors
    /// `unknown_value` for another name, `invalid_value` for words that cannot be split or a command
    /// that is missing.
    pub fn parse(text: &str) -> Result<Name> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let bad = |code, expected: &str| Err(Error::new(code, "agent", expected, text));
        let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.as_str() == name) else {
            return bad(Code::UnknownValue, "acp:COMMAND, pi, claude, codex or opencode");
        };
        let Some(words) = shlex::split(rest) else {
            return bad(Code::InvalidValue, "arguments whose quotes are closed");
        };
        if kind == Kind::Acp && words.is_empty() {
            return bad(Code::InvalidValue, "acp:COMMAND");
        }
        Ok(Name { kind, words })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_carry_words() {
        let name = Name::parse("pi:--model 'a b'").unwrap();
        assert_eq!(
            (name.kind, name.words),
            (Kind::Pi, vec!["--model".to_owned(), "a b".to_owned()])
        );
        assert_eq!(Name::parse("acp:opencode acp").unwrap().words, ["opencode", "acp"]);
        assert!(Name::parse("codex").unwrap().words.is_empty());
        for (bad, code) in [
            ("gpt", "unknown_value"),
            ("acp", "invalid_value"),
            ("acp:", "invalid_value"),
            ("pi:'", "invalid_value"),
        ] {
            assert_eq!(Name::parse(bad).unwrap_err().code.as_str(), code, "{bad}");
        }
    }
}
