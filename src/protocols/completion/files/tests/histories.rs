//! Histories: streams of good and bad lines.

use crate::protocols::completion::files::form;
use crate::protocols::completion::files::history::*;
use crate::protocols::completion::files::words::RecordKind;
use crate::protocols::completion::files::*;
use crate::vocab::error::Code;

/// A line as it stands in its file.
fn written(record: &impl OnDisk) -> String {
    line(record) + "\n"
}

fn record(kind: RecordKind, slice: &str, sha: &str) -> HistoryRecord {
    HistoryRecord {
        kind,
        at: 1_795_210_936_163,
        slice_id: slice.into(),
        commit_sha: sha.into(),
        head_sha: sha.into(),
        extra: vec![],
    }
}

fn judgement(head: &str, can_stop: bool, at: u64) -> Judgement {
    Judgement {
        at,
        head_sha: head.into(),
        can_stop,
        blocker_count: 0,
        high_value_gap_count: 0,
        extra: vec![],
    }
}

fn read(text: &[u8]) -> HistorySummary {
    let mut reader = HistoryReader::new();
    reader.push(text);
    reader.finish()
}

#[test]
fn the_latest_record_of_each_kind_counts() {
    let mut text = String::new();
    for sha in ["aaaa", "bbbb"] {
        for kind in RecordKind::ALL.iter().filter(|kind| **kind != RecordKind::Reopened) {
            text += &written(&record(*kind, "S1", sha));
        }
    }
    text += &written(&record(RecordKind::Implemented, "S2", "cccc"));
    let summary = read(text.as_bytes());
    assert_eq!(summary.extent.records, 9);
    assert_eq!(summary.extent.length, text.len() as u64);
    assert_eq!(summary.extent.digest, crate::vocab::digest::digest(&text));
    assert_eq!((summary.extent.faults_total, summary.extent.unterminated), (0, false));
    let first = summary.slice("S1").unwrap();
    assert_eq!(first.accepted_commit(), Some("bbbb"));
    assert_eq!(first.reviewed.as_ref().unwrap().line, 6);
    assert_eq!(first.reviewed.as_ref().unwrap().at, 1_795_210_936_163);
    assert_eq!(summary.slice("S2").unwrap().accepted_commit(), None);
    let reopened = text + &written(&record(RecordKind::Reopened, "S1", "bbbb"));
    assert_eq!(read(reopened.as_bytes()).slice("S1").unwrap().accepted_commit(), None);
}

#[test]
fn pieces_make_the_same_summary_as_the_whole() {
    let text = format!(
        "{}garbage ä\n{}{}",
        written(&record(RecordKind::Implemented, "Sä", "a")),
        written(&record(RecordKind::Reviewed, "Sä", "a")),
        written(&record(RecordKind::Audited, "Sä", "a")).trim_end(),
    );
    let whole = read(text.as_bytes());
    assert_eq!((whole.extent.records, whole.extent.faults_total), (3, 1));
    assert!(whole.extent.unterminated);
    for size in 1..40 {
        let mut reader = HistoryReader::new();
        text.as_bytes().chunks(size).for_each(|piece| reader.push(piece));
        assert_eq!(reader.finish(), whole);
    }
    let mut reader = HistoryReader::new();
    text.lines().for_each(|line| reader.push_line(line));
    assert_eq!(reader.finish().slices, whole.slices);
}

#[test]
fn garbage_is_named_with_its_line() {
    let good = written(&record(RecordKind::Implemented, "S1", "a"));
    let cases: [(&[u8], Code, &str); 14] = [
        (b"\n", Code::Empty, "line 2"),
        (b"garbage\n", Code::NotAnObject, "line 2"),
        (b"{\"schema_version\":1,\n", Code::Truncated, "line 2: column 20"),
        (b"[]\n", Code::NotAnObject, "line 2"),
        (b"\xff\xfe\n", Code::NotUtf8, "line 2: byte 0"),
        (b"\xef\xbb\xbf{}\n", Code::ByteOrderMark, "line 2"),
        (b"{}\n", Code::MissingField, "line 2: schema_version"),
        (b"{\"schema_version\":2}\n", Code::UnknownFormat, "line 2: schema_version"),
        (b"{\"schema_version\":1}\n", Code::MissingField, "line 2: type"),
        (b"{\"schema_version\":1,\"type\":\"judgment\"}\n", Code::UnknownValue, "line 2: type"),
        (
            b"{\"schema_version\":1,\"type\":\"audited\",\"recorded_at\":1.5}\n",
            Code::WrongType,
            "line 2: recorded_at",
        ),
        (
            b"{\"schema_version\":1,\"type\":\"audited\",\"recorded_at\":\"today\"}\n",
            Code::InvalidValue,
            "line 2: recorded_at",
        ),
        (
            b"{\"schema_version\":1,\"type\":\"audited\",\"recorded_at\":999999999999999}\n",
            Code::NumberOutOfRange,
            "line 2: recorded_at",
        ),
        (
            b"{\"schema_version\":1,\"type\":\"audited\",\"recorded_at\":1,\"slice_id\":7}\n",
            Code::WrongType,
            "line 2: slice_id",
        ),
    ];
    for (bad, code, at) in cases {
        let text = [good.as_bytes(), bad, good.as_bytes()].concat();
        let extent = read(&text).extent;
        let fault = &extent.faults[0];
        assert_eq!((extent.records, extent.lines, extent.faults_total), (2, 3, 1), "{fault}");
        assert_eq!((fault.code, fault.at.as_str()), (code, at), "{fault}");
    }
}

#[test]
fn faults_are_bounded_and_counted() {
    let summary = read("x\n".repeat(1_000).as_bytes());
    assert_eq!(summary.extent.faults.len(), MOST_FAULTS);
    assert_eq!(summary.extent.faults_total, 1_000);
    assert!(
        check::check_extent(SLICE_HISTORY, &summary.extent)
            .last()
            .unwrap()
            .to_string()
            .contains("950 more")
    );
}

#[test]
fn a_line_without_end_does_not_fill_the_memory() {
    let mut reader = HistoryReader::new();
    for _ in 0..9 {
        reader.push(&vec![b'x'; 1 << 20]);
    }
    reader.push(b"\n");
    reader.push(written(&record(RecordKind::Implemented, "S1", "a")).as_bytes());
    let extent = reader.finish().extent;
    assert_eq!((extent.faults[0].code, extent.records, extent.lines), (Code::TooLarge, 1, 2));
}

#[test]
fn times_come_as_milliseconds_and_as_text() {
    let line = |at: &str| {
        format!(
            "{{\"schema_version\": 1, \"type\": \"implemented\", \"recorded_at\": {at}, \
             \"slice_id\": \"S1\", \"commit_sha\": \"a\", \"head_sha\": \"a\"}}"
        )
    };
    let at = |text: &str| form::read::<HistoryRecord>(&line(text), Mode::Strict).unwrap().value.at;
    assert_eq!(at("1795210932958"), at("\"2026-11-20T21:42:12.958030Z\""));
}

#[test]
fn judgements_are_counted_by_wave_and_once() {
    let mut text = written(&judgement("a", true, 1));
    text += &written(&judgement("a", true, 1));
    text += &written(&judgement("a", true, 2));
    text += &written(&judgement("a", false, 3));
    text += &written(&judgement("b", true, 4));
    text += "{\"schema_version\":1,\"type\":\"accepted\"}\n";
    let mut reader = JudgementReader::new();
    reader.push(text.as_bytes());
    let summary = reader.finish();
    assert_eq!((summary.waves_total, summary.waves.len()), (2, 2));
    let first = &summary.waves[0];
    assert_eq!((first.can_stop, first.cannot_stop, first.repeated), (2, 1, 1));
    assert_eq!((first.last_line, first.last_at), (4, 3));
    assert_eq!(summary.waves[1].head_sha, "b");
    assert_eq!(summary.extent.faults[0].at, "line 6: type");
}

#[test]
fn only_the_newest_waves_are_kept() {
    let mut reader = JudgementReader::new();
    for wave in 0..200 {
        reader.push_line(&written(&judgement(&format!("h{wave}"), false, wave)));
    }
    let summary = reader.finish();
    assert_eq!((summary.waves_total, summary.waves.len()), (200, MOST_WAVES));
    assert_eq!(summary.waves.last().unwrap().head_sha, "h199");
}

#[test]
fn an_empty_history_is_legal() {
    assert_eq!(HistorySummary::none(), read(b""));
    let extent = JudgementSummary::none().extent;
    assert_eq!((extent.lines, extent.faults_total, extent.unterminated), (0, 0, false));
    assert_eq!(extent.digest, crate::vocab::digest::digest(""));
}
