//! A source of several parts, labelled by a role that sees nothing but its prompts.

use super::labeller::answer;
use super::{span, told};
use endstate::plan::import::{self, Next, Span, start};
use endstate::plan::read;

#[test]
fn a_long_source_goes_by_parts_that_are_joined() {
    let filler = "Some words that say little.\n".repeat(300);
    let section = |n: u32| {
        format!("## Step {n}\n\nNeeds: {}\n\n{filler}\n\n- [ ] it holds\n\n", n.saturating_sub(1))
    };
    let text: String = (1..=12).map(section).collect();
    let (mut import, mut ask) = start("a.md", &text).unwrap();
    assert!(ask.parts >= 4, "{}", ask.parts);
    for _ in 0..20 {
        assert!(ask.prompt.len() < 2 * import::MOST_PART);
        let spans = steps(&ask.prompt);
        match import.answer(&answer(&spans)) {
            Next::Ask(next) => ask = next,
            Next::Done(imported) => {
                let plan = read::read(&imported.plan).plan;
                let labels: Vec<(&str, String)> = plan
                    .sprints()
                    .map(|(_, one)| (one.label.as_str(), one.depends_on.clone().unwrap().join(",")))
                    .collect();
                assert_eq!(labels.len(), 12);
                assert_eq!(labels[11], ("12", "11".to_owned()));
                assert_eq!(labels[0], ("1", String::new()));
                return;
            }
            other => unreachable!("{}", told(&other)),
        }
    }
    unreachable!("no end");
}

/// Labels the steps of one prompt, as a role would that sees nothing but it.
fn steps(prompt: &str) -> Vec<Span> {
    use import::{Edge, EdgeKind, Kind};
    let (_, first) = prompt.split_once("your first one has the number ").unwrap();
    let base: usize = first.split('.').next().unwrap().parse().unwrap();
    let mut spans: Vec<Span> = Vec::new();
    let number = |own: usize| u32::try_from(base + own).unwrap();
    let mut sprint = None;
    for row in prompt.lines().filter_map(|line| line.trim_start().split_once('|')) {
        let Ok(line) = row.0.parse::<u32>().map(|line| line.to_string()) else { continue };
        if let Some(step) = row.1.strip_prefix("## Step ") {
            sprint = Some(number(spans.len()));
            let mut one = span(Kind::Sprint, None, &line, &line);
            one.label = Some(step.to_owned());
            spans.push(one);
        } else if let Some(needs) = row.1.strip_prefix("Needs: ") {
            let mut one = span(Kind::DependsOn, sprint, &line, &line);
            let kind = if needs == "0" { EdgeKind::Nothing } else { EdgeKind::After };
            let own = spans.iter().position(|one| one.label.as_deref() == Some(needs)).map(number);
            let named = |line: &str| line.split_once(&format!(": sprint {needs} "))?.0.parse().ok();
            let target = own.or_else(|| prompt.lines().find_map(named));
            one.edges.push(Edge { kind, span: target, label: needs.to_owned() });
            spans.push(one);
        } else if row.1.starts_with("- [ ]") {
            spans.push(span(Kind::ExitCriterion, sprint, &line, &line));
        }
    }
    spans
}
