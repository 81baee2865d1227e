//! The fields of each role's form, in one table for each. A field that is in no table is an extra field: it is named,
//! so that nothing of its author is ignored in silence.

use super::super::form::wave_of;
use super::super::plan_form::PLANNED;
use super::super::role::Role;
use crate::vocab::error::place;
use Kind::{Count, Flag, List, Mapping, Needed, Part, Text, Texts, Typed, Wave};
use serde_json::Value;

/// The fields of an object: names with a space between them, and what a field of these names is.
pub(in super::super) type Form = &'static [(&'static str, Kind)];

/// What a field is.
pub(in super::super) enum Kind {
    /// What its type says, when it is read.
    Typed,
    /// The same; it is an object or a list of objects, with fields of its own.
    Part(Form),
    /// A text.
    Text,
    /// A text that must be there.
    Needed,
    /// A text, or a list of texts.
    Texts,
    /// Yes or no.
    Flag,
    /// A whole number.
    Count,
    /// The number of a wave; what is none counts as absent.
    Wave,
    /// A mapping, in the words that a fault has for it.
    Mapping(&'static str, Form),
    /// A list of such mappings.
    List(&'static str, Form),
}

/// The fields of a form, one by one.
pub(in super::super) fn each(form: Form) -> impl Iterator<Item = (&'static str, &'static Kind)> {
    form.iter().flat_map(|(names, kind)| names.split(' ').map(move |name| (name, kind)))
}

const LESSONS: Form =
    &[("codebase_patterns gotchas user_preferences almost_did fragile_areas", Typed)];

pub(super) const ENTRY: Form = &[("category finding impact action details", Typed)];

const EXECUTOR: Form = &[
    ("block plan block_id status approaches beside", Typed),
    ("summary", Part(SUMMARY)),
    ("claims", Part(&[("criterion evidence", Typed)])),
    ("checkpoint", Part(CHECKPOINT)),
    ("failure", Part(FAILURE)),
    ("deviations", Part(&[("rule description files", Typed)])),
    ("scratchpad", Part(ENTRY)),
    ("lessons_learned", Part(LESSONS)),
];

const SUMMARY: Form = &[
    ("subsystem provides affects commits decisions already_there words", Typed),
    ("requires", Part(&[("phase provides", Typed)])),
    ("tech-stack tech_stack", Part(&[("added patterns", Typed)])),
    ("key-files key_files", Part(&[("created modified", Typed)])),
];

const CHECKPOINT: Form = &[
    ("type total_threads resume_point awaiting", Typed),
    ("completed_threads", Part(&[("thread name commit files", Typed)])),
    ("current_thread", Part(&[("thread name status", Typed)])),
    ("what_was_built how_to_verify", Typed),
    ("decision", Typed),
    ("options", Part(&[("option id pros cons", Typed)])),
    ("automation_attempted what_you_need_to_do verify_after", Typed),
];

const FAILURE: Form = &[
    ("thread attempts created commits hypothesis suggested_retry do_not_retry", Typed),
    ("tried", Part(&[("approach reason", Typed)])),
];

const RECOGNIZER: Form = &[
    ("verdict anomaly", Typed),
    ("verdicts", Part(&[("block criterion finding method evidence", Typed)])),
    ("gaps", Part(&[("block criterion reason missing", Typed)])),
    ("lessons_learned", Part(LESSONS)),
];

const DEBUGGER: Form = &[
    ("status tried ruled_out current_focus findings beside", Typed),
    ("hypotheses", Part(&[("hypothesis status evidence", Typed)])),
    ("lessons_learned", Part(LESSONS)),
];

const PLANNER: Form = &[
    ("cluster total_blocks total_waves wave_structure", Typed),
    ("lessons_learned", Part(LESSONS)),
    ("plans", Part(PLANNED)),
];

const LEAD: Form = &[("context", Typed), ("personas", Part(&[("name goal traits", Typed)]))];

const SWARM: Form = &[
    ("findings", Part(&[("priority title where expected beside", Typed)])),
    ("screenshots", Typed),
    ("lessons_learned", Part(LESSONS)),
];

const LEARNER: Form = &[
    ("project_type tech_stack complexity", Typed),
    ("what_worked what_failed patterns recommendations", Typed),
];

/// The form of a role's report.
pub(super) fn of(role: Role) -> Form {
    match role {
        Role::Planner => PLANNER,
        Role::Executor => EXECUTOR,
        Role::Recognizer => RECOGNIZER,
        Role::Debugger => DEBUGGER,
        Role::RefinementLead => LEAD,
        Role::VisualInspector | Role::E2eExerciser | Role::PersonaSimulator => SWARM,
        Role::Learner => LEARNER,
    }
}

/// Something written that the form has no place for.
pub(in super::super) struct Extra<'a> {
    /// Its place.
    pub(in super::super) at: String,
    /// What is written there.
    pub(in super::super) value: &'a Value,
    /// The form knows the field: it is a wave, and this is the number of none.
    pub(in super::super) no_wave: bool,
}

/// All of a value that its form has no place for: of each object first the fields that are not known.
pub(in super::super) fn extra(form: Form, value: &Value) -> Vec<Extra<'_>> {
    let mut found = Vec::new();
    look(form, value, "", &mut found);
    found
}

fn look<'a>(form: Form, value: &'a Value, at: &str, found: &mut Vec<Extra<'a>>) {
    for (nth, one) in value.as_array().into_iter().flatten().enumerate() {
        look(form, one, &format!("{at}[{nth}]"), found);
    }
    let Some(fields) = value.as_object() else { return };
    let unknown = fields.iter().filter(|(name, _)| each(form).all(|(known, _)| known != *name));
    found.extend(unknown.map(|(name, value)| Extra { at: place(at, name), value, no_wave: false }));
    for (name, kind) in each(form) {
        let Some(value) = fields.get(name) else { continue };
        let at = place(at, name);
        match kind {
            Part(form) | Mapping(_, form) | List(_, form) => look(form, value, &at, found),
            Wave if !value.is_null() && wave_of(value).is_none() => {
                found.push(Extra { at, value, no_wave: true });
            }
            Typed | Text | Needed | Texts | Flag | Count | Wave => {}
        }
    }
}
