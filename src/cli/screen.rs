//! Shows a mission while it is driven: live bars on a terminal, plain lines otherwise, or one JSON
//! object per event.

use super::out::Out;
use super::state;
use super::words::{Narrator, plain_role};
use endstate::engine::{Applied, Engine};
use endstate::native::redact::printable;
use endstate::native::{HostError, Observer, Report};
use endstate::vocab::budget::Counter;
use endstate::vocab::effect::Notify;
use endstate::vocab::error::clip;
use endstate::vocab::event::{Event, Fact};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use std::io::IsTerminal;
use std::time::Duration;

/// Watches a driver.
pub(crate) struct Screen {
    out: Out,
    narrator: Narrator,
    bars: Option<Bars>,
}

struct Bars {
    all: MultiProgress,
    criteria: ProgressBar,
    role: ProgressBar,
    budget: ProgressBar,
}

impl Screen {
    pub(crate) fn new(out: Out, engine: &Engine) -> Screen {
        let live = !out.json && std::io::stdout().is_terminal();
        let screen = Screen { out, narrator: Narrator::of(engine), bars: live.then(Bars::new) };
        screen.draw(engine);
        screen
    }

    fn line(&self, text: &str) {
        match &self.bars {
            None => self.out.say(text),
            Some(bars) => {
                // A terminal that went away is noticed elsewhere.
                let _ = bars.all.println(printable(text));
            }
        }
    }

    fn draw(&self, engine: &Engine) {
        let Some(bars) = &self.bars else { return };
        let view = engine.view();
        bars.criteria.set_length(view.progress.total);
        bars.criteria.set_position(view.progress.settled);
        let closed = state::closed(&view);
        let total = view.nodes.len();
        bars.criteria.set_message(format!("criteria · {closed}/{total} items · {}", view.phase));
        let at_work = view.runs.first().map(|run| {
            let item = run.item.as_deref().unwrap_or("the mission");
            let line = run.last_line.as_deref().unwrap_or("…");
            format!("{} on {item}: {}", plain_role(&run.role), clip(&printable(line), 100))
        });
        bars.role.set_message(at_work.unwrap_or_else(|| "no role is running".to_owned()));
        let account = engine.snapshot().head.budget.account(Counter::RoleRuns);
        bars.budget.set_message(format!("{} of {} role runs used", account.spent, account.limit));
    }
}

impl Bars {
    fn new() -> Bars {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stdout());
        let style = |template: &str| {
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
        };
        let criteria = all.add(ProgressBar::new(0));
        criteria.set_style(style("[{bar:30}] {pos}/{len} {msg}"));
        let role = all.add(ProgressBar::new_spinner());
        role.set_style(style("{spinner} {wide_msg}"));
        role.enable_steady_tick(Duration::from_millis(120));
        let budget = all.add(ProgressBar::new_spinner());
        budget.set_style(style("  {wide_msg}"));
        Bars { all, criteria, role, budget }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if let Some(bars) = &self.bars {
            bars.role.finish_and_clear();
            bars.criteria.finish_and_clear();
            bars.budget.finish_and_clear();
        }
    }
}

impl Observer for Screen {
    fn event(&mut self, engine: &Engine, event: &Event, applied: &Applied) {
        let said = self.narrator.tell(engine, event, &applied.effects);
        let loud: Vec<&str> =
            said.iter().filter(|one| one.loud).map(|one| one.text.as_str()).collect();
        for text in &loud {
            self.line(text);
        }
        if !matches!(event.fact, Fact::RunProgressed(_)) || self.out.json {
            self.out.object(&json!({
                "event": event.fact.name(), "seq": engine.snapshot().head.seq, "at": event.at,
                "rule": applied.decided.rule, "continuation": applied.decided.continuation,
                "says": loud,
            }));
        }
        self.draw(engine);
    }

    fn notice(&mut self, notice: &Notify) {
        if self.narrator.unsaid(notice) {
            self.line(&notice.text);
            self.out.object(&json!({"note": notice.text}));
        }
    }

    fn report(&mut self, report: &Report) {
        self.line(&format!("note: {report}"));
        self.out.object(&json!({"note": report.to_string()}));
    }

    fn refused(&mut self, id: &str, why: &HostError) {
        self.line(&format!("letter {id} was refused. {why}"));
        self.out.object(&json!({"refused": id, "code": why.code(), "why": why.to_string()}));
    }
}
