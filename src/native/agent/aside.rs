//! Lines of a run's output that are for the host and no part of its report.

use crate::vocab::event::RunOutcome;
use crate::vocab::role::Usage;
use serde::Deserialize;

/// A line for the host.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "endstate", rename_all = "snake_case")]
pub(super) enum Aside {
    Progress {
        #[serde(default)]
        kind: Option<String>,
        #[serde(default)]
        text: String,
    },
    Result(Box<Said>),
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Said {
    pub(super) session: Option<String>,
    pub(super) tokens: Option<u64>,
    pub(super) cost_micros: Option<u64>,
    pub(super) turns: Option<u32>,
    pub(super) turns_exhausted: Option<bool>,
    pub(super) context_exhausted: Option<bool>,
    pub(super) outcome: Option<RunOutcome>,
}

/// Reads a line for the host; `None` if it is one of the report's.
pub(super) fn aside(line: &str) -> Option<Aside> {
    let line = line.trim();
    let candidate = line.starts_with('{') && line.contains("\"endstate\"");
    candidate.then(|| serde_json::from_str(line).ok()).flatten()
}

impl Said {
    pub(super) fn take(&mut self, later: Said) {
        let Said {
            session,
            tokens,
            cost_micros,
            turns,
            turns_exhausted,
            context_exhausted,
            outcome,
        } = later;
        self.session = session.or(self.session.take());
        self.tokens = tokens.or(self.tokens);
        self.cost_micros = cost_micros.or(self.cost_micros);
        self.turns = turns.or(self.turns);
        self.turns_exhausted = turns_exhausted.or(self.turns_exhausted);
        self.context_exhausted = context_exhausted.or(self.context_exhausted);
        self.outcome = outcome.or(self.outcome);
    }

    pub(super) fn usage(&self, duration_ms: u64) -> Usage {
        let most = crate::vocab::json::MOST_INTEGER;
        Usage {
            turns: self.turns.unwrap_or(0),
            duration_ms: duration_ms.min(most),
            tokens: self.tokens.unwrap_or(0).min(most),
            cost_micros: self.cost_micros.unwrap_or(0).min(most),
            turns_exhausted: self.turns_exhausted.unwrap_or(false),
            context_exhausted: self.context_exhausted.unwrap_or(false),
        }
    }
}

/// Takes the lines for the host out of the whole standard output: what is left is the report.
pub(super) fn report(stdout: &[u8]) -> (String, Said) {
    let mut said = Said::default();
    let text = String::from_utf8_lossy(stdout);
    let mut report = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match aside(line) {
            Some(Aside::Result(more)) => said.take(*more),
            Some(Aside::Progress { .. }) => {}
            None => report.push_str(line),
        }
    }
    (report, said)
}
