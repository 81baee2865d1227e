//! What reaches a driver from outside while it drives: signals, letters in the inbox, reports of hosted runs.

use super::super::error::{HostError, HostResult};
use super::super::hosted::{self, HostedReport};
use super::super::inbox::Says;
use super::super::observer::Observer;
use super::options::StopFlag;
use super::{Driver, now};
use crate::vocab::command::{Command, StopMode};
use crate::vocab::error::{Code, Kind};
use crate::vocab::event::{Fact, UserCommanded};
use std::time::{Duration, Instant};

/// The longest time between two looks at the inbox.
pub(super) const INBOX_EVERY: Duration = Duration::from_millis(150);

impl Driver {
    /// Turns what the user asked for into commands. `true` if everything is to be left at once.
    pub(super) fn heed(
        &mut self,
        stop: &StopFlag,
        observer: &mut dyn Observer,
    ) -> HostResult<bool> {
        if stop.leaves() {
            return Ok(true);
        }
        while self.heeded < stop.count().min(3) {
            self.heeded += 1;
            let mode = match self.heeded {
                1 => StopMode::Drain,
                2 => StopMode::Kill,
                _ => return Ok(true),
            };
            let command = Command::Stop { mode };
            let fact = Fact::UserCommanded(UserCommanded { id: None, command });
            match self.apply(fact, observer) {
                Ok(_) => {}
                Err(HostError::Core(error)) if error.kind == Kind::Refused => {}
                Err(other) => return Err(other),
            }
            if mode == StopMode::Kill {
                self.performer.kill(|live| !live.role);
            }
        }
        Ok(false)
    }

    pub(super) fn look_into_inbox(&mut self, observer: &mut dyn Observer) -> HostResult<()> {
        if self.last_look.is_some_and(|last| last.elapsed() < INBOX_EVERY) {
            return Ok(());
        }
        self.last_look = Some(Instant::now());
        for path in self.inbox.waiting()? {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let taken = self.inbox.read(&path).and_then(|letter| match letter.says {
                Says::Fact(fact) => self.apply(fact, observer).map(drop),
                Says::Report(report) => self.report(&report, observer),
            });
            match taken {
                Ok(()) => self.inbox.remove(&path)?,
                Err(HostError::Core(error)) if error.code == Code::DuplicateCommand => {
                    self.inbox.remove(&path)?;
                }
                Err(error) if self.spoilt => return Err(error),
                Err(HostError::Core(error)) if error.kind == Kind::Broken => {
                    return Err(error.into());
                }
                Err(why) => {
                    self.inbox.refuse(&path, &why)?;
                    observer.refused(&name, &why);
                }
            }
        }
        Ok(())
    }

    /// Takes the report of a hosted run, from whoever was given it.
    pub(super) fn report(
        &mut self,
        said: &HostedReport,
        observer: &mut dyn Observer,
    ) -> HostResult<()> {
        let ended = hosted::reported(&self.engine, &self.performer.places, said, now())?;
        self.apply(Fact::RunEnded(ended), observer)?;
        self.performer.hosted.forget(said.run);
        Ok(())
    }

    /// Removes a letter whose event was the last thing the driver before this one did.
    pub(super) fn forget_taken(&mut self, last: Option<&Fact>) -> HostResult<()> {
        let Some(last @ (Fact::QuestionAnswered(_) | Fact::RunEnded(_))) = last else {
            return Ok(());
        };
        for path in self.inbox.waiting()? {
            if self.inbox.read(&path).is_ok_and(|letter| self.led_to(&letter.says, last)) {
                self.inbox.remove(&path)?;
            }
        }
        Ok(())
    }

    /// Whether this letter is where the fact came from.
    pub(super) fn led_to(&self, says: &Says, fact: &Fact) -> bool {
        match (says, fact) {
            (Says::Fact(said), fact) => said == fact,
            (Says::Report(said), Fact::RunEnded(ended)) => {
                let text = self.performer.options.redactor.text(said.text.clone());
                said.run == ended.effect && ended.report == Some(text)
            }
            (Says::Report(_), _) => false,
        }
    }
}
