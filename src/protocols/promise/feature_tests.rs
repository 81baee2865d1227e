use super::*;

const TASKS: &str = "\
id: F-1
name: A feature
tasks:
- {id: T-1, name: One, file_path: tasks/one.md, status: completed}
- {id: T-2, dependencies: [T-1]}
- {id: T-3, dependencies: [T-1], status: deferred, wave: 2}
";

fn with(more: &str) -> String {
    format!("{TASKS}{more}")
}

#[track_caller]
fn fault(text: &str, code: Code, at: &str) -> String {
    let error = parse(text).unwrap_err();
    assert_eq!((error.code, error.at.as_str()), (code, at), "{error}");
    error.got
}

#[test]
fn waves_follow_from_dependencies() {
    let feature = parse(TASKS).unwrap();
    assert_eq!(feature.waves, [vec!["T-1"], vec!["T-2", "T-3"]]);
    assert_eq!(feature.tasks[2].status, TaskStatus::Deferred);
    assert_eq!(feature.tasks[1].status, TaskStatus::Pending);
    assert_eq!(feature.notes, ["tasks[2].wave"]);
    assert_eq!(feature.smoke_gates, None);
}

#[test]
fn waves_and_gates_are_those_of_the_file() {
    let groups = "orchestration: {parallel_groups: [[T-1], [T-3], [T-2]], mode: x}\n";
    let gate = |after: &str| {
        with(&format!("{groups}smoke_gates: {{after_wave: {after}, command: make}}\n"))
    };
    for (after, waves) in [("2", vec![2]), ("[3, 1, 3]", vec![1, 3]), ("all", vec![1, 2, 3])] {
        let gates = parse(&gate(after)).unwrap().smoke_gates.unwrap();
        assert_eq!((gates.after_waves, gates.expected_exit), (waves, 0));
        assert_eq!((gates.command.as_str(), gates.timeout_seconds), ("make", None));
    }
    let feature = parse(&gate("all")).unwrap();
    assert_eq!(feature.waves, [["T-1"], ["T-3"], ["T-2"]]);
    assert_eq!(feature.notes, ["tasks[2].wave", "orchestration.mode"]);
    fault(&gate("4"), Code::NumberOutOfRange, "smoke_gates.after_wave");
    fault(&gate("[1, 0]"), Code::NumberOutOfRange, "smoke_gates.after_wave[1]");
    fault(&gate("some"), Code::WrongType, "smoke_gates.after_wave");
    fault(&gate("[]"), Code::WrongType, "smoke_gates.after_wave");
    fault(&gate("~"), Code::MissingField, "smoke_gates.after_wave");
    let bare = with("smoke_gates: {after_wave: 1, timeout: 0, command: make}");
    fault(&bare, Code::NumberOutOfRange, "smoke_gates.timeout");
    fault(&with("smoke_gates: {after_wave: 1}"), Code::MissingField, "smoke_gates.command");
}

#[test]
fn groups_must_fit_the_tasks() {
    let grouped = |groups: &str| with(&format!("orchestration: {{parallel_groups: {groups}}}"));
    let all = "orchestration.parallel_groups";
    fault(&grouped("[[T-1], [T-2, T-9]]"), Code::UnknownItem, &format!("{all}[1][1]"));
    fault(&grouped("[[T-1], [T-2, T-3], [T-1]]"), Code::DuplicateId, &format!("{all}[2][0]"));
    assert_eq!(fault(&grouped("[[T-1], [T-2]]"), Code::MissingField, all), "T-3 in none");
    fault(&grouped("[[T-1, T-2], [T-3]]"), Code::DependencyOpen, all);
    fault(&grouped("[[T-2], [T-1], [T-3]]"), Code::DependencyOpen, all);
    fault(&grouped("[[T-1], [], [T-2, T-3]]"), Code::InvalidValue, &format!("{all}[1]"));
    fault(&grouped("[T-1]"), Code::WrongType, &format!("{all}[0]"));
}

#[test]
fn tasks_are_checked() {
    let tasks = |list: &str| format!("id: F\nname: f\ntasks: [{list}]\n");
    fault("id: F\n", Code::MissingField, "tasks");
    fault(&tasks("{id: a}, {id: a}"), Code::DuplicateId, "tasks[1].id");
    fault(&tasks("{name: a}"), Code::MissingField, "tasks[0].id");
    fault(&tasks("a"), Code::WrongType, "tasks[0]");
    let read = parse(&tasks("{id: a, status: in_review}")).unwrap();
    assert_eq!(
        (read.tasks[0].status, read.notes),
        (TaskStatus::Pending, vec!["tasks[0].status".to_owned()])
    );
    fault(&tasks("{id: a, file_path: ../b}"), Code::InvalidValue, "tasks[0].file_path");
    let unknown = tasks("{id: a, dependencies: [b]}");
    fault(&unknown, Code::DependencyUnknown, "tasks[0].dependencies[0]");
    let own = tasks("{id: a, dependencies: [a]}");
    fault(&own, Code::DependencyCycle, "tasks[0].dependencies[0]");
    let circle = tasks("{id: a, dependencies: [b]}, {id: b, dependencies: [a]}");
    let got = fault(&circle, Code::DependencyCycle, "tasks");
    assert!(got == "a -> b -> a" || got == "b -> a -> b", "{got}");
    fault(&TASKS.replace("id: F-1\n", ""), Code::MissingField, "id");
}
