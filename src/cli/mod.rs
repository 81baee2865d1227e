//! The command line: what a person types, in the order of a mission's life.
//!
//! `init` begins a mission and commits its contract files; `run` drives it; `status`, `why`, `view` and
//! `journal` read it, also beside a live driver; `answer`, `pause`, `grant` and the other commands of
//! the user go through the inbox to a live driver, or take the lock themselves; `check`, `replay` and
//! `schema` verify. `demo` plays a whole mission with the scripted team.

mod adopt;
mod archive;
mod begin;
mod certify;
mod check;
mod confine;
mod demo;
mod detect;
mod drive;
mod exit;
mod init;
mod inspect;
mod mcp;
mod out;
mod plan;
mod point;
mod proof;
mod screen;
mod send;
mod state;
mod view;
mod words;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use endstate::native::script::{Scenario, Told, play};
use endstate::native::{HostResult, role_agent};
use endstate::vocab::budget::Counter;
use endstate::vocab::command::{Command, StopMode};
use exit::{Exit, Fault, STATUSES};
use out::Out;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Drives long-running agent work to a verified end.
#[derive(Debug, Parser)]
#[command(name = "endstate", version, after_help = STATUSES)]
struct Line {
    /// Act on the repository in DIR rather than in the current directory.
    #[arg(
        short = 'C',
        global = true,
        value_name = "DIR",
        default_value = ".",
        hide_default_value = true
    )]
    directory: PathBuf,
    /// Print one JSON object per line, the summary last.
    #[arg(long, global = true)]
    json: bool,
    /// Without a command: go on with the mission that is there, else start the nearest EXECUTION_PLAN.md. Who
    /// plays the roles: see `run`.
    #[arg(long)]
    agent: Option<String>,
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Begin a mission: write and commit its contract files, dispatch nothing yet.
    #[command(
        after_help = "Example:\n  endstate init 'Every command has a manual page' --judges 2 --verify 'make test'"
    )]
    Init(init::Init),
    /// Drive the mission until it is done or needs you.
    #[command(
        after_help = "Examples:\n  endstate run 'Every command has a manual page' --agent 'exec:my-agent --print'\n  \
        endstate run --agent script:team.yaml\n  \
        endstate run --protocol promise tasks/TASK-001.md --agent script:team.yaml --test 'make test'\n  \
        endstate run --protocol grid .grid/phases/01-base --parallel 8 --agent script:team.yaml\n\nAn agent gets its prompt on standard input, or in the file that replaces \
        {prompt_file} in its arguments, and prints its report. Ctrl-C once lets live runs end, twice ends them; both leave \
        a mission that `endstate run --resume` goes on with."
    )]
    Run(drive::Run),
    /// Look at what was built as inspectors and users would, and mend what they find, the worst first.
    #[command(after_help = "Examples:\n  endstate refine --agent 'exec:my-agent --print'\n  \
        endstate refine personas --agent script:team.yaml")]
    Refine(drive::Refine),
    /// Play a whole small mission with the scripted team, in a new repository.
    #[command(
        after_help = "Examples:\n  endstate demo --dir /tmp/greet --json\n  endstate demo --protocol promise"
    )]
    Demo(demo::Demo),
    /// Where the mission stands.
    #[command(after_help = "Example:\n  endstate status")]
    Status,
    /// Why the next step is what it is, and what would set it free.
    #[command(after_help = "Example:\n  endstate why --json")]
    Why,
    /// Answer an open question.
    #[command(after_help = "Examples:\n  endstate answer retry\n  endstate answer 12.1 yes\n  \
        endstate answer 'Use the second form of the address'")]
    Answer {
        /// The question's id (not needed when one question is open), then the words.
        #[arg(required = true, value_name = "[ID] WORDS")]
        words: Vec<String>,
    },
    /// Dispatch nothing new until resumed.
    #[command(after_help = "Example:\n  endstate pause")]
    Pause,
    /// Go on after a pause, a stop or a block.
    #[command(after_help = "Example:\n  endstate resume && endstate run --agent script:team.yaml")]
    Resume,
    /// Come to rest.
    #[command(after_help = "Example:\n  endstate stop --mode wait")]
    Stop {
        /// How: let live runs end, ask them to wind up, or end them.
        #[arg(long, value_enum, default_value = "drain")]
        mode: Mode,
    },
    /// End everything that runs, at once.
    #[command(visible_alias = "killall", after_help = "Example:\n  endstate kill")]
    Kill,
    /// Raise a limit of the budget.
    #[command(after_help = "Example:\n  endstate grant role_runs 50")]
    Grant {
        /// Which, e.g. role_runs, regrounds, reopens, commands, questions, tokens.
        #[arg(value_parser = counter)]
        counter: Counter,
        /// By how much.
        amount: u64,
    },
    /// Let a slice go: it counts as waived and satisfies its dependants.
    #[command(after_help = "Example:\n  endstate skip S3 --reason 'the platform does it now'")]
    Skip(Item),
    /// Put a slice off: it does not satisfy its dependants.
    #[command(after_help = "Example:\n  endstate defer S4 --reason 'next release'")]
    Defer(Item),
    /// Open a closed slice again; the reason goes to the next implementer.
    #[command(after_help = "Example:\n  endstate reopen S2 --reason 'fails on empty files'")]
    Reopen(Item),
    /// Change the plan: all changes or none. What of it an agent proved wrong goes on with them.
    #[command(after_help = "Examples:\n  endstate amend --criterion 'S3=Prints its version'\n  \
        endstate amend --waive S3=AC-002 --reason 'the platform does it'\n  endstate amend changes.json")]
    Amend(send::Amend),
    /// What is enough for the end to count as shown, from now on: what the engine observed, or what another run judged, too.
    #[command(after_help = "Example:\n  endstate accept judged")]
    Accept {
        /// What.
        #[arg(value_enum)]
        what: proof::Enough,
    },
    /// Verify nothing for the rest of the mission; its criteria, and the gates and builds of sprints, count as waived by you.
    #[command(
        after_help = "Example:\n  endstate skip-verification --reason 'a throw-away prototype'"
    )]
    SkipVerification {
        /// Why; is kept.
        #[arg(long)]
        reason: String,
    },
    /// Check the canonical files, each by itself, or the whole mission.
    #[command(after_help = "Examples:\n  endstate check\n  endstate check --level files")]
    Check {
        /// `files`: each file by itself, without git, lock or any other file. `mission`: everything.
        #[arg(long, value_enum, default_value = "mission")]
        level: check::Level,
    },
    /// Take over a directory of another completion engine.
    #[command(after_help = "Example:\n  endstate adopt --lenient")]
    Adopt(adopt::Adopt),
    /// Move the record of a mission that is done aside, so that the next can begin.
    #[command(after_help = "Example:\n  endstate archive")]
    Archive(archive::Archive),
    /// Write a signed certificate of what the end of a mission rests on.
    #[command(after_help = "Examples:\n  endstate certify --new-key\n  endstate certify --out -")]
    Certify(certify::Certify),
    /// Verify a certificate: signature, commit and, where it is here, the journal.
    #[command(after_help = "Example:\n  endstate verify done.intoto.jsonl --key their.pub --rerun")]
    Verify(certify::Verify),
    /// List what happened, event by event.
    #[command(
        after_help = "Examples:\n  endstate journal --from 40\n  endstate journal --raw | tail -n 1"
    )]
    Journal {
        /// The first event to list; 0 is the start.
        #[arg(long, default_value_t = 0, value_name = "SEQ")]
        from: u64,
        /// The lines as they stand.
        #[arg(long)]
        raw: bool,
    },
    /// Decide every event of a journal again, and compare.
    #[command(after_help = "Example:\n  endstate replay .agent/endstate/journal.jsonl --json")]
    Replay {
        /// A journal; `-` for standard input.
        file: PathBuf,
    },
    /// Write the JSON Schemas of everything that crosses the border.
    #[command(after_help = "Example:\n  endstate schema --out schemas/")]
    Schema {
        /// The directory to write to; is made.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// See a plan, watch a run, replay it, ask why, in the browser.
    #[command(
        after_help = "Examples:\n  endstate view\n  endstate view .agent/endstate/journal.jsonl --html run.html\n  endstate view features/greet.yaml\n  \
        endstate view --print"
    )]
    View(view::View),
    /// Read, check, make and improve plan documents.
    #[command(subcommand, after_help = "Example:\n  endstate plan lint docs/EXECUTION_PLAN.md")]
    Plan(plan::Plan),
    /// Serve the mission to an agent of yours over the Model Context Protocol, so that it plays the
    /// roles that claim; drives the mission, too, if it is given an agent for the others.
    #[command(
        after_help = "Examples:\n  endstate mcp --agent 'exec:my-agent --print'\n  endstate mcp --hosted implementer\n\nSee docs/hosted.md for Claude Code, codex and opencode."
    )]
    Mcp(mcp::Mcp),
    /// Answer the hooks of an agent's host.
    #[command(
        subcommand,
        after_help = "Examples:\n  endstate hook stop < hook-input.json\n  endstate hook check"
    )]
    Hook(mcp::Hook),
    /// Completions for a shell.
    #[command(
        after_help = "Example:\n  endstate completions bash > ~/.local/share/bash-completion/completions/endstate"
    )]
    Completions {
        /// Which.
        shell: Shell,
    },
    /// Play one run of a scenario; started by the driver.
    #[command(
        hide = true,
        after_help = "Example:\n  ENDSTATE_ROLE=reviewer ENDSTATE_VISIT=1 endstate role-script team.yaml"
    )]
    RoleScript {
        /// The scenario.
        file: PathBuf,
    },
    /// Play one run with a real agent; started by the driver.
    #[command(
        hide = true,
        after_help = "Example:\n  ENDSTATE_ACCESS=read_only endstate role-agent pi --model local/m1 < prompt.md"
    )]
    RoleAgent {
        /// Which: pi, claude, codex, opencode or acp:COMMAND; arguments may follow a colon.
        name: String,
        /// More arguments for the agent.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        extra: Vec<String>,
    },
}

#[derive(Debug, clap::Args)]
struct Item {
    /// The slice.
    item: String,
    /// Why; is kept.
    #[arg(long)]
    reason: String,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Mode {
    /// Live runs end by themselves and count.
    Drain,
    /// Live runs are asked to wind up.
    Wait,
    /// Live runs are ended.
    Kill,
}

/// Where a command acts and prints.
#[derive(Clone, Debug)]
struct Place {
    root: PathBuf,
    out: Out,
}

fn counter(word: &str) -> Result<Counter, String> {
    let known = Counter::ALL.into_iter().find(|counter| counter.as_str() == word);
    known.ok_or_else(|| {
        let words: Vec<&str> = Counter::ALL.iter().map(|counter| counter.as_str()).collect();
        format!("expected one of {}", words.join(", "))
    })
}

/// Reads the line, does it, and says how it ended.
pub(crate) fn main() -> ExitCode {
    let line = match Line::try_parse() {
        Ok(line) => line,
        Err(error) => return misread(&error),
    };
    let out = Out { json: line.json };
    match act(line) {
        Ok(exit) => exit.into(),
        Err(fault) => {
            out.fault(&fault);
            fault.exit.into()
        }
    }
}

/// Help and version go to standard output; what is wrong with a line is told as every error.
fn misread(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().any(|word| word == "--json");
    if error.use_stderr() && json {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        let got = first.strip_prefix("error: ").unwrap_or(first);
        Out { json }.fault(&Fault::usage("command line", "see endstate --help", got));
    } else {
        // Nobody may be reading.
        let _ = error.print();
    }
    if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() }
}

fn act(line: Line) -> Result<Exit, Fault> {
    let place = Place { root: root(&line.directory)?, out: Out { json: line.json } };
    let command = |command| send::command(&place, command);
    let what = match (line.what, line.agent) {
        (None, agent) => return drive::go_on(&place, agent),
        (Some(what), None) => what,
        (Some(_), Some(agent)) => {
            return Err(Fault::usage("--agent", "behind the command, or no command", &agent));
        }
    };
    match what {
        What::Init(init) => init::init(&place, &init),
        What::Run(run) => drive::run(&place, &run),
        What::Refine(refine) => drive::refine(&place, &refine),
        What::Demo(demo) => demo::demo(place.out, &line.directory, &demo),
        What::Status => inspect::status(&place),
        What::Why => inspect::why(&place),
        What::Answer { words } => send::answer(&place, &words),
        What::Pause => command(Command::Pause),
        What::Resume => command(Command::Resume),
        What::Stop { mode } => command(Command::Stop {
            mode: match mode {
                Mode::Drain => StopMode::Drain,
                Mode::Wait => StopMode::Wait,
                Mode::Kill => StopMode::Kill,
            },
        }),
        What::Kill => command(Command::Kill),
        What::Grant { counter, amount } => command(Command::Grant { counter, amount }),
        What::Skip(Item { item, reason }) => command(Command::Skip { item, reason }),
        What::Defer(Item { item, reason }) => command(Command::Defer { item, reason }),
        What::Reopen(Item { item, reason }) => command(Command::Reopen { item, reason }),
        What::Amend(amend) => command(amend.command(&line.directory)?),
        What::Accept { what } => command(Command::Accept { what: what.into() }),
        What::SkipVerification { reason } => command(Command::SkipVerification { reason }),
        What::Check { level } => check::check(&place, level),
        What::Adopt(adopt) => adopt::adopt(&place, &adopt),
        What::Archive(options) => archive::archive(&place, &options),
        What::Certify(options) => certify::certify(&place, &line.directory, &options),
        What::Verify(options) => certify::verify(&place, &line.directory, &options),
        What::Journal { from, raw } => inspect::journal(&place, from, raw),
        What::Replay { file } => inspect::replay(place.out, &line.directory.join(file)),
        What::Schema { out } => inspect::schema(place.out, &line.directory.join(out)),
        What::View(view) => view::view(&place, &view),
        What::Plan(what) => plan::plan(&place, &what),
        What::Mcp(mcp) => mcp::mcp(&place, &mcp),
        What::Hook(hook) => mcp::hook(&place, &hook),
        What::Completions { shell } => {
            let mut command = Line::command();
            clap_complete::generate(shell, &mut command, "endstate", &mut std::io::stdout());
            Ok(Exit::Done)
        }
        What::RoleScript { file } => role_script(&file),
        What::RoleAgent { name, extra } => {
            role_ended(role_agent::of_process(&name, &extra).and_then(role_agent::play))
        }
    }
}

fn root(directory: &Path) -> Result<PathBuf, Fault> {
    std::fs::canonicalize(directory).map_err(|error| {
        let at = directory.display().to_string();
        Fault::usage(&at, "a directory", &error.to_string())
    })
}

fn role_script(file: &Path) -> Result<Exit, Fault> {
    role_ended(Scenario::read(file).and_then(|scenario| play(&scenario, &Told::of_process())))
}

/// The exit status of a run is its own.
fn role_ended(played: HostResult<u8>) -> Result<Exit, Fault> {
    let status = played.map_err(|error| {
        let fault = Fault::from(error);
        Fault { exit: Exit::Unexpected, ..fault }
    })?;
    match status {
        0 => Ok(Exit::Done),
        status => std::process::exit(i32::from(status)),
    }
}
